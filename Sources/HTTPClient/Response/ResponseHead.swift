import HTTPGrammar
import HTTPTypes

package struct ResponseHead: Sendable {
    /// The status code, with the reason phrase that was sent.
    package let status: HTTPResponse.Status
    /// True for HTTP/1.0.
    package let isOldVersion: Bool
    /// All header fields in order, including the framing fields.
    package let text: FieldText
    package var fields: HTTPFields { text.fields }
    /// The value of Content-Length, which for HEAD is that of a body that is not sent; nil if there is none.
    package let contentLength: Int?
    package let isChunked: Bool

    /// How the body's end is determined, in a response to this method (RFC 9112, section 6.3).
    func body(of method: HTTPRequest.Method) -> Transfer.Receiving {
        if method == .head || status == .noContent || status == .notModified || status == .switchingProtocols
        {
            return .over
        }
        if isChunked { return .chunks(ChunkReader()) }
        guard let contentLength else { return .toEnd }
        return contentLength == 0 ? .over : .length(left: contentLength)
    }

    /// How many milliseconds the server keeps the idle connection open, by `Keep-Alive: timeout=` in seconds (RFC 2068,
    /// section 19.7.1); `.max` without that field; nil if the connection cannot be used again (RFC 9112, section 9.3).
    var idleTime: Int? {
        var keeps = !isOldVersion
        var time = Int.max
        for place in text.places {
            switch place.known {
            // Nearly every server sends exactly this value, so no list has to be parsed.
            case .connection where text.read(place, { $1.isText("keep-alive") }): keeps = true
            case .connection:
                for option in Self.elements(of: text.field(at: place).value) {
                    if option == "close" { return nil }
                    if option == "keep-alive" { keeps = true }
                }
            case .keepAlive:
                for element in Self.elements(of: text.field(at: place).value)
                where element.hasPrefix("timeout=") {
                    // A timeout that is not a number is ignored.
                    guard let seconds = UInt16(element.dropFirst("timeout=".count)) else { continue }
                    time = Int(seconds) * 1000
                }
            default: break
            }
        }
        return keeps ? time : nil
    }

    /// Throws if a 101 switches to another protocol than the one that was asked for (RFC 9110, section 7.8).
    func checkSwitch(to upgrade: String?) throws(MalformedResponse) {
        guard let upgrade else {
            throw MalformedResponse("it switches protocols, although the request has no Upgrade")
        }
        let named = fields[values: .upgrade].flatMap(Self.elements)
        guard named == [upgrade] else {
            throw MalformedResponse("its 101 has no \"Upgrade: \(upgrade)\", which the request asks for")
        }
    }

    private static func elements(of value: String) -> [String] {
        value.split(separator: ",").map { element in element.filter { $0 != " " && $0 != "\t" }.lowercased() }
    }
}
