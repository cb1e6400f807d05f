/// A small page for people who are not admitted yet; its policy lets it load nothing, and forbids framing.
package enum PlainPage {
    /// - Parameters:
    ///   - body: HTML; fixed text only, since it is not escaped.
    ///   - script: JavaScript of the page, which may send requests to the gateway; nil for none.
    package static func response(title: String, _ body: String, script: String? = nil) -> Response {
        let nonce = String.random128()
        let text = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            <style nonce="\(nonce)">
            body { font: 18px/1.5 system-ui, sans-serif; max-width: 30em; margin: 15vh auto; padding: 0 1em; }
            h1 { font-size: 1.3em; }
            </style>
            \(body)
            \(script.map { "<script nonce=\"\(nonce)\">\n\($0)\n</script>\n" } ?? "")
            """
        var response = Response(text: text, contentType: "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        response.headers[.xFrameOptions] = "DENY"
        response.headers[.referrerPolicy] = "no-referrer"
        response.addSafety()
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = Self("Referrer-Policy")!
}

/// The page for people on other machines without an admission; it reveals no name, no version and no link.
package enum ClosedPage {
    package static func response(_ status: HTTPResponse.Status) -> Response {
        var response = PlainPage.response(
            title: "This device is not connected yet",
            """
            <h1>This device is not connected yet</h1>
            <p>\(status == .tooManyRequests ? "Wait a moment. Then ask" : "Ask") whoever runs this for the link, and
            open it here. A link works for ten minutes.</p>
            """)
        response.status = status
        response.answeredBy = "refused"
        return response
    }
}
