import Synchronization

/// Changes scripts of service workers, so that pages from a worker's cache get the page runtime too.
///
/// A worker's cache may have been filled without the gateway, for example by a server on this port yesterday. Lines
/// appended to its script reload pages without the runtime; a worker whose script no longer exists is unregistered.
package final class ServiceWorkers: Sendable {
    private static let most = 1000

    private let paths = Mutex<Set<String>>([])

    /// Whether a request is for the script of a service worker (Service Workers, section 6.2).
    static func isScript(_ headers: HTTPFields) -> Bool { headers.value(.serviceWorker) == "script" }

    /// The header fields for a request for a worker's script.
    ///
    /// Without validators, because the browser's copy lacks the appended lines, and without compression.
    static func outgoing(_ headers: HTTPFields) -> HTTPFields {
        var outgoing = headers
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange, .range] { outgoing[name] = nil }
        outgoing[.acceptEncoding] = "identity"
        return outgoing
    }

    func has(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

    /// The response with the lines appended; nil if the script no longer exists.
    func changed(_ response: Response, at path: String) -> Response? {
        paths.withLock { if $0.count < Self.most { $0.insert(path) } }
        switch response.status.code {
        case 200 where response.isScript: return followed(response, by: Texts.core["worker.js"])
        // Not a script, for a single-page app answers every unknown path with its HTML page.
        case 200, 404, 410: return nil
        default: return response
        }
    }

    static let leaving = Response(
        headers: [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-cache"],
        body: .bytes(Texts.core["leave.js"]))

    private func followed(_ response: Response, by lines: [UInt8]) -> Response {
        // A response to HEAD has no body to append to.
        if case .bytes(let bytes) = response.body.content, bytes.isEmpty { return response }
        var whole = response
        let body = response.body
        // The semicolon and newlines end a last statement or comment of the script.
        let more = Array("\n;\n".utf8) + lines
        whole.body = .stream(length: body.length.map { $0 + more.count }) { client in
            try await body.write(to: client)
            try await client.didLoad(more)
        }
        // These fields describe the original, and would make the browser keep a copy without the appended lines.
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
        let type = (typeText ?? "").prefix { $0 != ";" }.lowercased()
        return type.contains("javascript") || type.contains("ecmascript")
    }
}
