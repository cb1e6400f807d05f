extension HTMLInjection {
    /// The request as it is sent to the responders behind the gateway: its validators and ranges refer to the unchanged
    /// document.
    ///
    /// If the browser's copy of a page has no tag, or that of another process, the validators are dropped, so that the
    /// whole page is sent. Requests for anything but documents are not changed.
    package func outgoing(_ request: Request) -> Request {
        if ServiceWorkers.isScript(request.headers) {
            var outgoing = request
            outgoing.headers = ServiceWorkers.outgoing(request.headers)
            return outgoing
        }
        let use = use(of: request)
        let conditions = [HTTPField.Name.ifMatch, .ifNoneMatch, .ifRange]
        guard use != .other, use != .unknown || conditions.contains(where: request.headers.contains) else {
            return request
        }
        var headers = request.headers
        let suffix = suffix(for: request)
        if let field = headers.value(.ifMatch) {
            headers[.ifMatch] = Self.without(suffix, field, keepingOthers: true)
        }
        if let field = headers.value(.ifNoneMatch) {
            headers[.ifNoneMatch] = Self.without(suffix, field, keepingOthers: use == .unknown)
        }
        if use != .unknown {
            // The gateway does not decompress, and can put its tag only into plain text.
            headers[.acceptEncoding] = "identity"
            headers[.ifModifiedSince] = nil
        }
        // A byte range of the original document does not fit the changed one.
        if use == .page || headers.value(.ifRange)?.contains(suffix) == true {
            headers[.ifRange] = nil
            headers[.range] = nil
        }
        guard headers != request.headers else { return request }
        var outgoing = request
        outgoing.headers = headers
        return outgoing
    }

    /// The entity tags without the suffix, as the responders know them; nil if none is left.
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
