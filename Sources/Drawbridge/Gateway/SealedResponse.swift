import HTTPTypes

/// An answer, and the header fields that the gateway adds to it.
///
/// These are apart because an engine can send them as they are, and putting them in among the others costs more than
/// all the rest of a small answer. There is one of each, for the same reason.
package struct SealedResponse: ~Copyable, Sendable {
    package internal(set) var response: Response
    private var fixed: FixedFields?
    private var requestID = ""
    private var timing: (route: Route, took: Duration)?

    package init(_ response: consuming Response) { self.response = response }

    /// Gives the answer fields in place of those that it has under their names.
    mutating func set(_ fixed: FixedFields) {
        self.fixed = fixed
        for field in fixed.fields { remove(field.name) }
    }

    /// Gives an answer that has a type and no other field all that answers of its type have.
    mutating func set(_ type: ContentType) {
        response.headers = HTTPFields()
        fixed = type.fixed
    }

    /// Gives the answer the id of its request.
    mutating func set(requestID: String) {
        self.requestID = requestID
        remove(.requestID)
    }

    /// Says how long the handler took (W3C Server Timing): browsers show it beside their own times.
    mutating func set(took: Duration, by route: Route) { timing = (route, took) }

    private mutating func remove(_ name: HTTPField.Name) {
        if response.contains(name) { response.headers[name] = nil }
    }

    /// The fields that are the same in other answers, as C strings: a name, its value, the next name.
    package var fixedText: [UInt8] { fixed?.text ?? [] }

    /// Gives the fields that are this answer's own, written so as well: its request's id, and how long it took.
    package func withAddedText(_ body: (UnsafeRawBufferPointer) -> Void) {
        let digits = 24
        let count =
            Self.idName.utf8CodeUnitCount + requestID.utf8.count + 1
            + (timing.map { Self.timingName.utf8CodeUnitCount + $0.route.timing.count + digits + 1 } ?? 0)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
            var writer = ByteWriter(buffer)
            writer.write(Self.idName)
            requestID.withBytes { writer.write($0) }
            writer.write("\0")
            if let (route, took) = timing {
                writer.write(Self.timingName)
                route.timing.withUnsafeBufferPointer { writer.write($0) }
                writer.write(milliseconds: took)
                writer.write("\0")
            }
            body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<writer.count]))
        }
    }

    private static let idName: StaticString = "X-Request-Id\0"
    private static let timingName: StaticString = "Server-Timing\0"

    /// The answer with all its fields.
    package var whole: Response {
        var whole = response
        for field in fixed?.fields ?? [] { whole.headers.append(field) }
        if !requestID.isEmpty { whole.headers.append(HTTPField(name: .requestID, value: requestID)) }
        if let (route, took) = timing {
            let value = String(decoding: route.timing, as: UTF8.self) + took.milliseconds
            whole.headers.append(HTTPField(name: .serverTiming, value: value))
        }
        return whole
    }
}

extension Response {
    /// Makes it not cacheable, and of no use to a foreign page.
    mutating func addSafety() {
        var reply = SealedResponse(self)
        reply.set(contains(.cacheControl) ? .guarded : .guardedAndFresh)
        self = reply.whole
    }
}
