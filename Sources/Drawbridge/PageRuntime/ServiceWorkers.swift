import HTTPTypes
import Synchronization

/// The service workers of pages: what they answer pages with has the page runtime too.
///
/// A worker may answer from a cache that was filled without the gateway, on this port yesterday. So behind each worker's
/// script stand lines of ours, which see to it that a page without the runtime is loaded anew; and a worker whose script is
/// gone is told to go.
final class ServiceWorkers: Sendable {
    /// More paths than this are not kept.
    private static let most = 1000

    private let paths = Mutex<Set<String>>([])

    /// Whether a browser asks for the script of a service worker (Service Workers, section 6.2).
    static func isScript(_ headers: HTTPFields) -> Bool { headers.value(.serviceWorker) == "script" }

    /// What goes to the responders behind the gateway for such a script.
    ///
    /// Whoever has it without our lines has another one, and nothing is decompressed here.
    static func outgoing(_ headers: HTTPFields) -> HTTPFields {
        var outgoing = headers
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange, .range] { outgoing[name] = nil }
        outgoing[.acceptEncoding] = "identity"
        return outgoing
    }

    /// Whether the script of a service worker has this path.
    func has(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

    /// The answer to a request for such a script; nil where it stands for one that is not there any more.
    func changed(_ response: Response, at path: String) -> Response? {
        paths.withLock { paths in
            if paths.count < Self.most { paths.insert(path) }
        }
        switch response.status.code {
        case 200 where response.isScript: return followed(response, by: Texts.core["worker.js"])
        // An app with one page shows it for every path.
        case 200, 404, 410: return nil
        default: return response
        }
    }

    /// The script of a worker that goes.
    static let leaving = Response(
        headers: [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-cache"],
        body: .bytes(Texts.core["leave.js"]))

    private func followed(_ response: Response, by lines: [UInt8]) -> Response {
        // Who asked for no body gets none.
        if case .bytes(let bytes) = response.body, bytes.isEmpty { return response }
        var whole = response
        let body = response.body
        // Behind a last line that may be a comment, or have no semicolon.
        let more = Array("\n;\n".utf8) + lines
        whole.body = .stream(length: body.length.map { $0 + more.count }) { client in
            try await body.write(to: client)
            try await client.didLoad(more)
        }
        // Those of the script alone would have the browser keep what it had without the lines.
        for name in [
            HTTPField.Name.contentLength, .eTag, .lastModified, .acceptRanges, .digest, .contentDigest,
        ] {
            whole.headers[name] = nil
        }
        whole.headers[.cacheControl] = "no-cache"
        return whole
    }
}

extension Response {
    /// Whether its type is one that a service worker's script may have.
    fileprivate var isScript: Bool {
        let type = (contentType?.text ?? headers[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        return type.contains("javascript") || type.contains("ecmascript")
    }
}
