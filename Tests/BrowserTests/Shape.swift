import Drawbridge
import Foundation
import HTTPTypes

/// What a page may be other than a file that comes at once: `/SHAPE/page.html` is a page of the bridges in that
/// shape.
enum Shape: String, CaseIterable, Sendable {
    /// Its HTML comes bit by bit, and its scripts run long before its end is there.
    case inPieces = "in-pieces"
    /// It has no `<html>`, `<head>` and `<body>`.
    case bare
    /// Its policy takes scripts with a nonce only, and no `eval`.
    case nonce
    /// Its policy takes scripts with a nonce, and those that they load.
    case dynamic
    /// Its policy is in the page itself, and lets it connect to nothing.
    case meta
    /// It says that nobody sees it, as a page in the background does.
    case hidden
    /// It was saved with the runtime's tag in it, and gets another one.
    case twice

    /// The pages of bridges for which it matters, the first before all.
    var pages: [String] {
        switch self {
        case .inPieces: ["wvjb6", "wvjb4", "own6", "inject"]
        case .bare: ["wvjb6", "queue"]
        case .nonce: ["messages", "wvjb6", "wvjb4", "own6", "queue", "shortcuts"]
        case .dynamic: ["messages", "wvjb6"]
        case .meta: ["messages", "queue"]
        case .hidden: ["wvjb6", "wvjb4", "own6", "queue"]
        case .twice: ["inject", "wvjb6", "messages"]
        }
    }

    private static let secret = "bm9uY2U="

    private var policy: String? {
        switch self {
        case .nonce:
            "default-src 'none'; script-src 'nonce-\(Self.secret)'; connect-src 'self'; img-src data:"
        case .dynamic:
            "script-src 'nonce-\(Self.secret)' 'strict-dynamic'; object-src 'none'; base-uri 'none'"
        case .inPieces, .bare, .meta, .hidden, .twice: nil
        }
    }

    private static let charset = #"<meta charset="utf-8">"#

    private func shaped(_ page: String) -> String {
        switch self {
        case .inPieces:
            page
        case .bare:
            page.replacing(/<\/?(html|head|body)[^>]*>\n?/, with: "")
        case .nonce, .dynamic:
            page.replacing("<script", with: "<script nonce=\"\(Self.secret)\"")
        case .meta:
            page.replacing(
                Self.charset,
                with: Self.charset + #"<meta http-equiv="Content-Security-Policy" content=""#
                    + #"script-src 'self' 'unsafe-inline'; connect-src 'none'">"#)
        case .hidden:
            page.replacing(
                Self.charset,
                with: Self.charset
                    + "<script>Object.defineProperty(document, 'hidden', { get: () => true });</script>")
        case .twice:
            page.replacing(Self.charset, with: Self.charset + "<script src=/__drawbridge__/page.js></script>")
        }
    }

    /// Serves the pages of a folder in every shape.
    struct Site: Responder {
        let pages: String

        func respond(to request: Request) async throws -> Response? {
            let parts = request.path.split(separator: "/")
            guard parts.count == 2, let shape = Shape(rawValue: String(parts[0])) else { return nil }
            let file = try String(contentsOfFile: "\(pages)/\(parts[1])", encoding: .utf8)
            guard parts[1].hasSuffix(".html") else {
                return Response(text: file, contentType: "text/javascript; charset=utf-8")
            }
            let page = shape.shaped(file)
            var response = Response(text: page, contentType: "text/html; charset=utf-8")
            if shape == .inPieces { response = Self.inPieces(page) }
            if let policy = shape.policy { response.headers[.contentSecurityPolicy] = policy }
            return response
        }

        private static func inPieces(_ page: String) -> Response {
            Response(contentType: "text/html; charset=utf-8") { client in
                let bytes = Array(page.utf8)
                // Between lines: browsers run a script when its end tag is there.
                for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                    try await client.didLoad(line + [UInt8(ascii: "\n")])
                    let text = String(decoding: line, as: UTF8.self)
                    if text.contains("</script>") || text.contains("<body") || text.contains("<p") {
                        try await Task.sleep(for: .milliseconds(100))
                    }
                }
            }
        }
    }
}
