package import DrawbridgeMessages
import HTTPTypes

extension HTMLInjection {
    /// What goes to the responders behind the gateway in place of `request`, so that validators and ranges fit the
    /// document as they have it.
    ///
    /// A browser whose copy of a page has no tag, or that of another process, gets the page anew. Requests for anything
    /// else are not changed: entity tags of documents mean nothing there.
    package func outgoing(_ request: Request) -> Request {
        if ServiceWorkers.isScript(request.headers) {
            var outgoing = request
            outgoing.headers = ServiceWorkers.outgoing(request.headers)
            return outgoing
        }
        let use = use(of: request)
        guard use != .other, !request.headers.isEmpty else { return request }
        var headers = request.headers
        let suffix = suffix(for: request)
        if let field = headers.value(.ifMatch) {
            headers[.ifMatch] = Self.without(suffix, field, keepingOthers: true)
        }
        if let field = headers.value(.ifNoneMatch) {
            headers[.ifNoneMatch] = Self.without(suffix, field, keepingOthers: use == .unknown)
        }
        if use != .unknown {
            // Documents must come uncompressed, since nothing is decompressed here.
            headers[.acceptEncoding] = "identity"
            headers[.ifModifiedSince] = nil
        }
        // A range of the original does not fit the changed document.
        if use == .page || headers.value(.ifRange)?.contains(suffix) == true {
            headers[.ifRange] = nil
            headers[.range] = nil
        }
        guard headers != request.headers else { return request }
        var outgoing = request
        outgoing.headers = headers
        return outgoing
    }

    /// The entity tags as they are behind the gateway; nil for none.
    private static func without(_ suffix: String, _ field: String, keepingOthers: Bool) -> String? {
        guard case .tags(let tags) = EntityTag.List(field) else { return field }
        let originals = tags.compactMap { tag in
            guard tag.opaque.hasSuffix(suffix) else { return keepingOthers ? tag : nil }
            return EntityTag(tag.opaque.dropLast(suffix.count), isWeak: tag.isWeak)
        }
        if keepingOthers, originals == tags { return field }
        return originals.isEmpty ? nil : originals.map(\.text).joined(separator: ", ")
    }
}
