/// Puts a browser into a session: `/__drawbridge__/session/ann?to=/cart` gives it a cookie, and goes on to `/cart`.
///
/// Everybody who may load a page may use it, since a session grants nothing.
enum SessionCookie {
    static func give(_ gateway: Gateway, _ request: Request) async throws -> Response {
        guard let session = Session(request.parameters["session"] ?? "") else {
            throw HTTPError(
                .badRequest,
                "\(OwnPath.session.path)/NAME: the name of a session has 1 to 64 of A-Z, a-z, 0-9, ., _ and -"
            )
        }
        if let error = gateway.access.refusesOtherPage(of: request, doing: "put this browser into a session")
        {
            throw error
        }
        let to = request.query["to"] ?? "/"
        guard isHere(to) else {
            throw HTTPError(.badRequest, "to: must be a path of this gateway, such as /cart")
        }
        var response = Response(.seeOther, headers: [.location: to, .cacheControl: "no-store"])
        let end = session == .usual ? "; Max-Age=0" : ""
        response.ownCookie =
            "\(Session.cookie(port: request.ownPort))=\(session.name); Path=/; SameSite=Lax\(end)"
        response.addSafety()
        return response
    }

    /// Whether a browser that follows this path stays at the gateway.
    ///
    /// Browsers read `//host` and `/\host` as another host, and leave out tabs and line ends when they read.
    static func isHere(_ path: String) -> Bool {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return false
        }
        return bytes.count == 1 || bytes[1] != UInt8(ascii: "/") && !bytes.contains(UInt8(ascii: "\\"))
    }
}
