import HTTPTypes

/// An answer, and the header fields that the gateway adds to it.
///
/// These are apart because an engine can send them as they are, and putting them in among the others costs more than
/// all the rest of a small answer.
///
/// Whoever makes one finishes it before anybody else sees it; from then on it is only read: that makes it Sendable, and
/// checks of exclusive access useless.
package final class SealedResponse: @unchecked Sendable {
    @exclusivity(unchecked) package internal(set) var response: Response
    @exclusivity(unchecked) private var fixed = FixedFields.none
    @exclusivity(unchecked) private var requestID = ""
    @exclusivity(unchecked) private var timing: (route: Route, took: Duration)?

    package init(_ response: consuming Response) { self.response = response }

    /// Gives the answer fields in place of those that it has under their names.
    func set(_ fixed: FixedFields) {
        self.fixed = fixed
        for field in fixed.fields { remove(field.name) }
    }

    /// Gives an answer that has a type and no other field all that answers of its type have.
    func set(_ type: ContentType) {
        response.headers = [:]
        fixed = type.fixed
    }

    /// Gives the answer the id of its request.
    func set(requestID: String) {
        self.requestID = requestID
        remove(.requestID)
    }

    /// Says how long the handler took (W3C Server Timing): browsers show it beside their own times.
    func set(took: Duration, by route: Route) { timing = (route, took) }

    private func remove(_ name: HTTPField.Name) {
        if response.contains(name) { response.headers[name] = nil }
    }

    /// The fields that are the same in other answers, as C strings: a name, its value, the next name.
    package var fixedText: [UInt8] { fixed.text }

    /// The fields that are this answer's own, written so as well: its request's id, and how long it took.
    package var added: [UInt8] {
        let digits = 24
        let count =
            Self.idName.utf8CodeUnitCount + requestID.utf8.count + 1
            + (timing.map { Self.timingName.utf8CodeUnitCount + $0.route.timing.count + digits + 1 } ?? 0)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, count in
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
            count = writer.count
        }
    }

    private static let idName: StaticString = "X-Request-Id\0"
    private static let timingName: StaticString = "Server-Timing\0"

    /// The answer with all its fields.
    package var whole: Response {
        var whole = response
        for field in fixed.fields { whole.headers.append(field) }
        if !requestID.isEmpty { whole.headers.append(HTTPField(name: .requestID, value: requestID)) }
        if let (route, took) = timing {
            let value = String(decoding: route.timing, as: UTF8.self) + took.milliseconds
            whole.headers.append(HTTPField(name: .serverTiming, value: value))
        }
        return whole
    }
}
