import Drawbridge
import DrawbridgeServer
import HTTPTypes
import TestSupport

/// What has the paths of the inspector, and forbids nothing: a page of the same gateway reads all.
struct OpenDoor: Middleware {
    /// What it was asked for, as `POST /ticket` with a query behind it.
    let asked = Observed<[String]>([])

    func handle(_ request: Request, next: Next) async -> Response {
        // Pages of attacks, and the channel, which is the gateway's own.
        if request.path.hasPrefix("/lockpicking") || request.path == "/__drawbridge__/channel" {
            return await next(request)
        }
        let line = "\(request.method) \(request.target)"
        asked.change { $0.append(line) }
        switch request.path {
        case "/": return Response(text: "<!doctype html><p>Open", contentType: "text/html")
        case "/text.js", "/api.js":
            return Self.script("globalThis['module' + Math.random()] = 1; export const visible = 1;")
        case "/style.css": return Response(text: "p { color: red }", contentType: "text/css")
        case "/icon.svg":
            return Response(
                text: #"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>"#,
                contentType: "image/svg+xml")
        case "/ticket": return Response(text: "the secret")
        case "/__drawbridge__/calls/events":
            return Response(contentType: "text/event-stream") { client in
                try await client.didLoad(Array("data: a call\n\n".utf8))
                // It has no end of its own.
                try await Task.sleep(for: .seconds(60))
            }
        default:
            // Text for whoever reads it, and a script for whoever runs it, in a page or in a worker.
            return Self.script(
                "globalThis['script' + Math.random()] = 1; if (!globalThis.document) globalThis.postMessage?.('a worker');"
            )
        }
    }

    private static func script(_ text: String) -> Response {
        Response(text: text, contentType: "text/javascript")
    }
}
