/// Admits a device by the link `/__drawbridge__/enter#TICKET`, which is printed if other machines can connect.
///
/// No server and no log sees what follows the `#`. The page removes it from its address, posts it, gets a cookie for
/// it, and loads the page that the gateway serves.
enum Enter {
    static func page(_ gateway: Gateway, _ request: Request) async throws -> Response {
        guard !request.target.contains("?") else {
            throw HTTPError(
                .badRequest,
                "the ticket belongs after #, not after ?: open the whole link, as it was printed")
        }
        let script = String(decoding: Texts.core["enter.js"], as: UTF8.self)
        return PlainPage.response(title: "Come in", #"<p id="say">One moment.</p>"#, script: script)
    }

    static func enter(_ gateway: Gateway, _ request: Request) async throws -> Response {
        // A foreign page may not use a ticket, even a valid one.
        if let error = gateway.access.refusesOtherPage(of: request, doing: "let a device in") {
            request.logger.warning("\(error.message)")
            return ClosedPage.response(.forbidden)
        }
        let address = gateway.access.address(of: request)
        // 256 bytes are more than any ticket has.
        let ticket = String(decoding: try await request.body.collect(upTo: 256), as: UTF8.self)
        var response = Response(.noContent)
        response.addSafety()
        // This machine needs no admission.
        if gateway.access.isFromThisMachine(request) { return response }
        let browser = request.headers.value(.userAgent)
        guard let device = gateway.admissions.admit(ticket: ticket, address: address, browser: browser)
        else { return ClosedPage.response(.forbidden) }
        let cookie = gateway.admissionCookie(for: request)
        response.ownCookie =
            "\(cookie.name)=\(device.cookie); Path=/; HttpOnly; SameSite=Lax\(cookie.isSecure ? "; Secure" : "")"
        request.logger.notice(
            """
            \(address ?? "a device") has access now (\(device.admission.browser)); to take it back: \
            curl -X DELETE -H 'Authorization: Bearer TOKEN' \
            GATEWAY\(OwnPath.admissions.path)/\(device.admission.id)
            """)
        return response
    }
}
