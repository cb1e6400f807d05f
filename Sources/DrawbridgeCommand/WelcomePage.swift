import Drawbridge
import HTTPTypes

/// The page that is served when no folder is: it shows the bridge at work.
struct WelcomePage: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard request.path == "/", request.method == .get || request.method == .head else { return nil }
        var response = Response(bytes: PackageResources.welcome_html, contentType: "text/html; charset=utf-8")
        response.headers[.cacheControl] = "no-cache"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}
