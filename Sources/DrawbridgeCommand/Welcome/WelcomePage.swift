import Drawbridge
import HTTPTypes

/// The page that is served when no folder is: it shows every handler at work.
struct WelcomePage: Responder {
    /// Where the page has the list of handlers; empty in the file, so that it also works by itself.
    private static let list = Array(#"id="registered">[]<"#.utf8)

    func respond(to request: Request) async throws -> Response? {
        guard request.path == "/", request.method == .get || request.method == .head else { return nil }
        var response = Response(bytes: page(for: request), contentType: "text/html; charset=utf-8")
        response.headers[.cacheControl] = "no-cache"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    /// The page with the handlers that a caller can ask for by their path.
    private func page(for request: Request) -> [UInt8] {
        var page = PackageResources.welcome_html
        guard let place = page.firstRange(of: Self.list) else { return page }
        let handlers: [JSON] = (request.registered ?? []).filter { !$0.path.contains(where: ":*".contains) }
            .map { ["path": .string($0.path), "handler": .string($0.handler)] }
        // The list stands inside an element, and a `<` in a path could end that. So each is written as an escape of
        // JSON.
        let text = "\(JSON.array(handlers))".split(separator: "<", omittingEmptySubsequences: false)
            .joined(separator: "\\u003C")
        page.replaceSubrange(place.upperBound - 3..<place.upperBound - 1, with: text.utf8)
        return page
    }
}
