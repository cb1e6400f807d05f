extension Response {
    /// The header fields that the gateway adds to an answer.
    ///
    /// They are kept apart until somebody reads ``Response/headers``: an engine can send them as they are, and merging
    /// them with the others costs more than all the rest of a small answer.
    struct Seal: Sendable {
        var fixed: FixedFields?
        /// The id of the request; empty where it has none yet.
        var requestID = ""
        /// The text of `Server-Timing` before the milliseconds, and how long the handler took.
        var timing: (name: [UInt8], took: Duration)?

        var isEmpty: Bool { fixed == nil && requestID.isEmpty && timing == nil }

        func contains(_ name: HTTPField.Name) -> Bool {
            if !requestID.isEmpty, name == .requestID { return true }
            if timing != nil, name == .serverTiming { return true }
            return fixed?.fields.contains { $0.name == name } ?? false
        }

        func added(to others: HTTPFields) -> HTTPFields {
            var fields = others
            for field in fixed?.fields ?? [] { fields.append(field) }
            if !requestID.isEmpty { fields.append(HTTPField(name: .requestID, value: requestID)) }
            if let (name, took) = timing {
                let value = String(decoding: name, as: UTF8.self) + took.milliseconds
                fields.append(HTTPField(name: .serverTiming, value: value))
            }
            return fields
        }
    }

    package mutating func seal(_ fixed: FixedFields) {
        unseal()
        for field in ownHeaders.isEmpty ? [] : fixed.fields where contains(field.name) {
            ownHeaders[field.name] = nil
        }
        seal.fixed = fixed
    }

    /// Adds the fixed fields of a type to an answer that has only a `Content-Type`.
    package mutating func seal(_ type: ContentType) {
        ownHeaders = HTTPFields()
        seal.fixed = type.fixed
    }

    package mutating func seal(requestID: String) {
        if hasOwn(.requestID) { ownHeaders[.requestID] = nil }
        seal.requestID = requestID
    }

    /// Adds how long the handler took (W3C Server Timing), which browsers show in their network tools.
    package mutating func seal(timing name: [UInt8], _ took: Duration) {
        // This is the response of another gateway that a handler passed on: keep that gateway's timing too.
        if seal.timing != nil { unseal() }
        seal.timing = (name, took)
    }

    /// Forbids caching, unless `Cache-Control` is set, and use by a foreign page.
    package mutating func addSafety() { seal(contains(.cacheControl) ? .guarded : .guardedAndFresh) }

    private mutating func unseal() {
        if !seal.isEmpty { headers = headers }
    }

    /// The fixed fields as C strings: a name, its value, the next name.
    package var fixedText: [UInt8] {
        guard let relayed else { return seal.fixed?.text ?? [] }
        return seal.fixed.map { relayed.text.bytes + $0.text } ?? relayed.text.bytes
    }

    /// Calls `body` with the other fields that the gateway adds, in the same form: the request's id and the timing.
    package func withAddedText(_ body: (UnsafeRawBufferPointer) -> Void) {
        let (id, timing, digits) = (seal.requestID, seal.timing, 24)
        let count =
            Self.idName.utf8CodeUnitCount + id.utf8.count + 1
            + (timing.map { Self.timingName.utf8CodeUnitCount + $0.name.count + digits + 1 } ?? 0)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
            var writer = ByteWriter(buffer)
            if !id.isEmpty {
                writer.write(Self.idName)
                id.withBytes { writer.write($0) }
                writer.write("\0")
            }
            if let (name, took) = timing {
                writer.write(Self.timingName)
                name.withUnsafeBufferPointer { writer.write($0) }
                writer.write(milliseconds: took)
                writer.write("\0")
            }
            body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<writer.count]))
        }
    }

    private static let idName: StaticString = "X-Request-Id\0"
    private static let timingName: StaticString = "Server-Timing\0"
}
