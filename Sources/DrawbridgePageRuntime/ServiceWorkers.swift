import DrawbridgeMessages
import HTTPTypes
import Synchronization

/// Changes the scripts of pages' service workers, so that pages from a worker's cache have the page runtime too.
///
/// A worker may answer from a cache that was filled without the gateway, on this port yesterday. So lines are appended
/// to its script that reload a page without the runtime; and a worker whose script no longer exists is unregistered.
package final class ServiceWorkers: Sendable {
    /// More paths than this are not kept.
    private static let most = 1000

    private let paths = Mutex<Set<String>>([])

    /// Whether a browser asks for the script of a service worker (Service Workers, section 6.2).
    static func isScript(_ headers: HTTPFields) -> Bool { headers.value(.serviceWorker) == "script" }

    /// The header fields with which responders are asked for such a script.
    ///
    /// They have no validators, since a copy without our lines is out of date, and ask for no compression.
    static func outgoing(_ headers: HTTPFields) -> HTTPFields {
        var outgoing = headers
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange, .range] { outgoing[name] = nil }
        outgoing[.acceptEncoding] = "identity"
        return outgoing
    }

    func has(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

    /// The answer to a request for such a script; nil where the script no longer exists.
    func changed(_ response: Response, at path: String) -> Response? {
        paths.withLock { if $0.count < Self.most { $0.insert(path) } }
        switch response.status.code {
        case 200 where response.isScript: return followed(response, by: Texts.core["worker.js"])
        // A single-page app answers every path with its page.
        case 200, 404, 410: return nil
        default: return response
        }
    }

    static let leaving = Response(
        headers: [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-cache"],
        body: .bytes(Texts.core["leave.js"]))

    private func followed(_ response: Response, by lines: [UInt8]) -> Response {
        // The answer to HEAD has no body.
        if case .bytes(let bytes) = response.body, bytes.isEmpty { return response }
        var whole = response
        let body = response.body
        // The last line of the script may be a comment, or have no semicolon.
        let more = Array("\n;\n".utf8) + lines
        whole.body = .stream(length: body.length.map { $0 + more.count }) { client in
            try await body.write(to: client)
            try await client.didLoad(more)
        }
        // With these fields of the original, a browser would keep a copy without our lines.
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
    fileprivate var isScript: Bool {
        let type = (contentType?.text ?? headers[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        return type.contains("javascript") || type.contains("ecmascript")
    }
}
