import TestSupport

/// A request or a response as it was on the wire, with its body taken out of its frame.
struct Message: Sendable {
    /// Without the CRLF.
    var start: String
    /// With their names as they were written.
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// A response as a client has read it; only the code of its first line.
    init(_ reply: RawAnswer) {
        start = "\(reply.status)"
        fields = reply.headers.map { ($0.name, $0.value) }
        body = reply.body
    }

    /// A request, nil while it is not whole.
    init?(request bytes: [UInt8]) {
        guard let end = Self.endOfHead(in: bytes) else { return nil }
        let lines = String(decoding: bytes[..<(end - 4)], as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        guard let start = lines.first else { return nil }
        self.start = String(start)
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            fields.append((String(parts[0]), String(value)))
        }
        let rest = Array(bytes[end...])
        if let length = value("content-length").flatMap({ Int($0) }) {
            guard rest.count >= length else { return nil }
            body = rest
        } else if value("transfer-encoding") != nil {
            guard rest.suffix(5).elementsEqual("0\r\n\r\n".utf8) else { return nil }
            let reader = RawClient(reading: rest)
            while let chunk = try? reader.chunk() { body += chunk }
        } else {
            body = rest
        }
    }

    /// The first field of a name in lower case.
    func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }

    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual(mark) }.map { $0 + 4 }
    }
}
