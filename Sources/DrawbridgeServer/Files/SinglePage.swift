package import Drawbridge
import HTTPTypes

/// Answers with the folder's `index.html` where a browser requests a page that is no file: routes of a single-page app.
///
/// It is the last responder. A path whose last part has a dot, such as `/app.js`, is taken for a missing file.
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
