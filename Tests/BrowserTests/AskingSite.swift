import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What a page may be over which a question is not easily shown: `/KIND/` is the page without a bridge, as such a page.
enum AskingKind: String, CaseIterable, Sendable {
    /// Nothing is unusual.
    case plain
    /// Its policies, in its header and in itself, take no style, and scripts with a nonce only.
    case strict
    /// Its policy takes scripts with a nonce, and those that they load.
    case nonces
    /// Its policy takes the address of a script from nobody.
    case trustedTypes = "trusted-types"
    /// It is alone in its process, and embeds only what says that it may be.
    case isolated
    /// Its styles undo whatever they can name.
    case hostile
    /// A modal dialog of its own is open.
    case modal
    /// A frame of one pixel asks, and not the page itself.
    case frame
    /// It is in GBK.
    case chinese
    /// It is left while it asks, and found again by the back button.
    case back

    static let pages = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pages/asking")
        .path()

    private static let nonce = "bm9uY2U="

    private var policy: String? {
        switch self {
        case .strict:
            "default-src 'none'; connect-src 'self'; script-src 'nonce-\(Self.nonce)'; style-src 'none'"
        case .nonces:
            "script-src 'nonce-\(Self.nonce)' 'strict-dynamic'; object-src 'none'; base-uri 'none'"
        case .trustedTypes:
            "script-src 'nonce-\(Self.nonce)'; require-trusted-types-for 'script'; trusted-types 'none'"
        case .plain, .isolated, .hostile, .modal, .frame, .chinese, .back: nil
        }
    }

    private var headers: HTTPFields {
        var headers: HTTPFields = [.contentType: "text/html; charset=\(self == .chinese ? "gbk" : "utf-8")"]
        headers[.contentSecurityPolicy] = policy
        if self == .isolated {
            headers[HTTPField.Name("Cross-Origin-Embedder-Policy")!] = "require-corp"
            headers[HTTPField.Name("Cross-Origin-Opener-Policy")!] = "same-origin"
        }
        return headers
    }

    private static let hostileStyle = """
        <style>
        * { all: unset !important; visibility: hidden !important; pointer-events: none !important; }
        html, body, h1, p, #ask { visibility: visible !important; pointer-events: auto !important; }
        *::backdrop { display: none !important; }
        drawbridge-app, dialog, drawbridge-app * { display: none !important; }
        @layer late { drawbridge-app { display: none !important; opacity: 0 !important; } }
        html { overflow: hidden !important; transform: scale(.9) !important; }
        </style>
        """

    private func shaped(_ page: String) -> [UInt8] {
        let charset = #"<meta charset="utf-8">"#
        switch self {
        case .strict:
            let own = #"<meta http-equiv="Content-Security-Policy" content="\#(policy ?? "")">"#
            return Array(
                page.replacing(charset, with: charset + own).replacing("<script", with: Self.script).utf8)
        case .nonces, .trustedTypes: return Array(page.replacing("<script", with: Self.script).utf8)
        case .hostile: return Array(page.replacing(charset, with: charset + Self.hostileStyle).utf8)
        case .modal:
            return Array(
                page.replacing("<p>", with: "<dialog>").replacing("</p>", with: "</dialog>")
                    .replacing("'use strict';", with: "document.querySelector('dialog').showModal();").utf8)
        case .frame:
            return Array(
                page.replacing("<script", with: "<iframe width=1 height=1 src=/></iframe><script").utf8)
        case .chinese:
            let parts = page.replacing(charset, with: "").components(separatedBy: "Order 7")
            return parts.map { Array($0.utf8) }.joined(separator: [0xB6, 0xA9, 0xB5, 0xA5]).map(\.self)
        case .plain, .isolated, .back: return Array(page.utf8)
        }
    }

    private static let script = "<script nonce=\"\(nonce)\""

    /// Serves the page as each of them.
    struct Site: Responder {
        func respond(to request: Request) async throws -> Response? {
            guard let kind = AskingKind(rawValue: request.path.replacing("/", with: "")) else { return nil }
            let page = try String(contentsOfFile: "\(AskingKind.pages)/index.html", encoding: .utf8)
            return Response(headers: kind.headers, body: .bytes(kind.shaped(page)))
        }
    }

    /// A gateway that asks over all of them, and answers `alert` by a mock.
    static func serve() throws -> GatewayServer {
        let gateway = Gateway(
            passThrough: [Site(), .staticFiles(pages)], pageRuntime: PageRuntime(asking: .page))
        let choices: JSON = ["ok": ["result": "ok"], "cancel": ["result": "cancel"]]
        try gateway.mock(["alert": ["$ask": "{{input.message}}", "$choices": choices]])
        return try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
    }
}

extension DrivenBrowser {
    /// An expression for what a question over the page has.
    static func asked(_ selector: String) -> String {
        "document.querySelector('drawbridge-app')?.shadowRoot.querySelector('\(selector)')"
    }

    /// Waits until nothing is shown over the page.
    func expectNothingAsked(_ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expect("document.querySelector('drawbridge-app') === null", true, sourceLocation)
    }

    /// Clicks on a button of the page's.
    func click(id: String, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await click("document.getElementById('\(id)')", sourceLocation)
    }

    /// Clicks on the answer to the question over the page, as soon as it may be clicked.
    func answer(_ choice: String, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await click(Self.asked("dialog:last-of-type button:enabled[value=\(choice)]"), sourceLocation)
    }
}
