import HTTPGrammar
package import HTTPTypes

/// The head of an upstream's response, as ``ResponseHeadReader`` found it.
package struct ResponseHead: Sendable {
    /// The code, with the reason as it was sent.
    package let status: HTTPResponse.Status
    /// True for HTTP/1.0.
    package let isOldVersion: Bool
    /// All fields in their order, those that frame the body too.
    package let fields: HTTPFields
    /// The length of the body, or of the one that a HEAD is not sent; nil where none is given.
    package let contentLength: Int?
    package let isChunked: Bool

    /// The body that follows, as the answer to a method (RFC 9112, section 6.3).
    func body(of method: HTTPRequest.Method) -> Transfer.Receiving {
        if method == .head || status == .noContent || status == .notModified || status == .switchingProtocols
        {
            return .over
        }
        if isChunked { return .chunks(ChunkReader()) }
        guard let contentLength else { return .toEnd }
        return contentLength == 0 ? .over : .length(left: contentLength)
    }

    /// How many milliseconds the server keeps the connection idle, if the body does not end with the connection: `.max`
    /// where it does not say; nil where it takes no other request (RFC 9112, section 9.3).
    ///
    /// Many say it by `Keep-Alive: timeout=5` (RFC 2068, section 19.7.1), and mean seconds.
    var idleTime: Int? {
        var keeps = !isOldVersion
        var time = Int.max
        // `Connection` and `Keep-Alive` have ten letters, and most other names have not.
        for field in fields where field.name.canonicalName.utf8.count == 10 {
            if field.name == .connection {
                // Nearly every server sends exactly this, which saves parsing a list.
                if field.value == "keep-alive" {
                    keeps = true
                    continue
                }
                for option in Self.elements(of: field.value) {
                    if option == "close" { return nil }
                    if option == "keep-alive" { keeps = true }
                }
            } else if field.name == .keepAlive {
                for element in Self.elements(of: field.value) where element.hasPrefix("timeout=") {
                    // A time that is not a number is ignored.
                    guard let seconds = UInt16(element.dropFirst("timeout=".count)) else { continue }
                    time = Int(seconds) * 1000
                }
            }
        }
        return keeps ? time : nil
    }

    /// Checks that a 101 goes on with the protocol that was asked for, and no other (RFC 9110, section 7.8).
    func checkSwitch(to upgrade: String?) throws(MalformedResponse) {
        guard let upgrade else {
            throw MalformedResponse("it changes to another protocol, which nobody asked for")
        }
        let named = fields[values: .upgrade].flatMap(Self.elements)
        guard named == [upgrade] else {
            throw MalformedResponse("its 101 does not say \"Upgrade: \(upgrade)\", which was asked for")
        }
    }

    private static func elements(of value: String) -> [String] {
        value.split(separator: ",").map { element in element.filter { $0 != " " && $0 != "\t" }.lowercased() }
    }
}
