package import Drawbridge
import HTTPTypes

/// Shows the folder's `index.html` where a browser asks for a page that is no file: the routes of an app with one page.
///
/// It stands behind all others. A path whose last part has a dot, such as `/app.js`, is that of a file, and missing.
package struct SinglePage: Responder {
    private let files: StaticFiles

    package init(of files: StaticFiles) { self.files = files }

    package func respond(to request: Request) async throws -> Response? {
        guard DocumentRequest(request) == .page, request.method == .get || request.method == .head,
            request.path.split(separator: "/").last?.contains(".") != true
        else { return nil }
        return try files.index(for: request)
    }
}
