import HTTPGrammar
import HTTPTypes

// Sorts fields: into the headers, or into those that frame the body.
extension HeadAudit.Fields {
    mutating func add(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(Refusal) {
        // Looked at first, because most requests have these two.
        if name.isText("Host") { return try add(host: value) }
        if name.isText("Content-Length") {
            lengths.append(Self.asJudged(value))
            count += 1
            return
        }
        guard let name = FieldNames.name(name) else {
            throw .malformed("the name of a header field is no token")
        }
        switch name {
        case .host: return try add(host: value)
        case .contentLength: lengths.append(Self.asJudged(value))
        case .transferEncoding: codings.append(Self.asJudged(value))
        case .expect:
            expectations.append(Self.asJudged(value))
            append(name, value)
        default: append(name, value)
        }
        count += 1
    }

    private mutating func append(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer) {
        // A value that is not ASCII is kept byte by byte.
        headers.append(
            value.allSatisfy { $0 < 0x80 }
                ? HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
                : HTTPField(name: name, value: value))
    }

    /// A value as the library reads it: without the white space in front of it, with that behind it.
    private static func asJudged(_ value: UnsafeRawBufferPointer) -> String {
        String(decoding: value.drop { $0.isBlank }, as: UTF8.self)
    }

    /// Takes the host without white space around it, which is safe because the library does not read `Host`.
    private mutating func add(host value: UnsafeRawBufferPointer) throws(Refusal) {
        guard host == nil else { throw .malformed("there are two Host headers; send one") }
        host = String(decoding: value.trimmed, as: UTF8.self)
        count += 1
    }
}
