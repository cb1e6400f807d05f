import DrawbridgeDocuments
import DrawbridgeJournal
import DrawbridgeMocks

/// Inserts the page runtime's `<script>` tag into HTML documents of the responders behind the gateway.
///
/// A document is `text/html` that a browser shows as a page: not the response to a script's `fetch`, not JSON with a
/// wrong type, not a download, a range or an encoded body, since nothing is decompressed here. `application/xhtml+xml`
/// is left unchanged: in XML a single wrong byte breaks the page.
///
/// The `ETag` of a changed document gets a suffix, of this process's epoch and the tag's version, which is removed from
/// `If-None-Match` again. Caches must always revalidate the document, because its tag contains the page token, which is
/// new in every process.
package final class HTMLInjection: Sendable {
    /// The suffix of entity tags of changed documents, unique to this process.
    private let mark: String
    /// The version of the tag for a request; changes whenever the tag does.
    private let version: @Sendable (_ request: Request) -> String
    /// Whether pages of other sites may frame documents that have no policy for that.
    private let isForForeignFrames: Bool
    /// Whether the page is in the web view of an app that answers itself, and gets the app's URLs.
    package let isLeftToApp: @Sendable (_ request: Request) -> Bool
    package let withoutNative: PagesWithoutNative
    private let replyBook: ReplyBook?
    private let workers = ServiceWorkers()
    private let tag: @Sendable (_ request: Request, _ nonce: String?) -> String

    /// Makes an injection; it is used for the life of the process.
    ///
    /// - Parameters:
    ///   - epoch: new in every process; letters and digits.
    ///   - version: a text that changes when the tag does; letters, digits, `-`, `_` and `.`.
    ///   - tag: the tag for the response to a request, with the given nonce if any.
    package init(
        epoch: String, isForForeignFrames: Bool = false,
        isLeftToApp: @escaping @Sendable (_ request: Request) -> Bool = { _ in false },
        _ replyBook: ReplyBook? = nil,
        _ journal: Journal? = nil,
        version: @escaping @Sendable (_ request: Request) -> String = { _ in "" },
        tag: @escaping @Sendable (_ request: Request, _ nonce: String?) -> String
    ) {
        mark = "-db\(epoch)"
        self.version = version
        self.isForForeignFrames = isForForeignFrames
        self.isLeftToApp = isLeftToApp
        self.tag = tag
        self.replyBook = replyBook
        withoutNative = PagesWithoutNative(journal)
    }

    func suffix(for request: Request) -> String { mark + version(request) }

    /// The response with the tag inserted if it is a document; otherwise the response unchanged.
    ///
    /// - Parameters:
    ///   - response: the response of the responders behind the gateway.
    ///   - request: the request as it was received, before ``outgoing(_:)``.
    package func apply(to response: Response, for request: Request) -> Response {
        if ServiceWorkers.isScript(request.headers) { return worker(response, for: request) }
        if response.status == .notModified {
            return use(of: request) == .other ? response : notModified(response, for: request)
        }
        let use = use(of: request)
        let isUnnamed = use == .page && response.isUnnamed
        guard response.isHTML || isUnnamed else {
            if use == .page, response.isXHTML { withoutNative.tell(of: request, .xml) }
            return response
        }
        guard use != .other else {
            // A cache must not reuse this response if the same URL is later requested as a page.
            var part = response
            part.headers.vary(by: "Sec-Fetch-Dest")
            return part
        }
        guard response.isPlain else {
            if use == .page { withoutNative.tell(of: request, response.coding.map { .encoded($0) } ?? .wide) }
            return response
        }
        if use == .page, let reason = reason(for: response, to: request) {
            withoutNative.tell(of: request, reason)
        }
        let access = RuntimeAccess(response.policies, socket: request.socketOrigin)
        let rewriter = HTMLRewriter(
            tag: Array(tag(request, access.nonce).utf8), isPage: use == .page && !isUnnamed,
            addresses: response.addressRewriter, policy: access.opened)
        guard let (body, beginning) = rewriter.rewrite(response.body, isHead: request.method == .head) else {
            if use == .page, response.body.isWide { withoutNative.tell(of: request, .wide) }
            return response
        }
        var document = response
        document.body = body
        document.headers = headers(of: response, for: request, access, beginning: beginning)
        // A 401 makes the browser ask for a password first, and a response without a type may not be a page.
        if use == .page, !isUnnamed, response.status != .unauthorized, isOpened(by: request) {
            document.body = withoutNative.expect(request, document.body)
        }
        return document
    }

    /// Changes a document in place: no copy is made of the others, which are most.
    package func apply(to response: inout Response, for request: Request) {
        guard
            response.status == .notModified || response.isHTML || response.isUnnamed || response.isXHTML
                || ServiceWorkers.isScript(request.headers)
        else { return }
        response.headers = response.headers
        response = apply(to: response, for: request)
    }

    private func worker(_ response: Response, for request: Request) -> Response {
        if let coding = response.coding {
            withoutNative.tell(of: request, .encoded(coding))
            return response
        }
        return workers.changed(response, at: request.path) ?? leaving(request) ?? response
    }

    /// Whether a browser loads the page now, and will request its script; logs the session that the page uses.
    private func isOpened(by request: Request) -> Bool {
        // Browsers send the first field to https and to this machine, and the second to other machines.
        guard request.headers.contains(.secFetchDest) || request.headers.contains(.upgradeInsecureRequests),
            request.method != .head, !request.headers.contains(.secPurpose)
        else { return false }
        let session = request.session
        if session != .usual, replyBook?.isNews("a page", in: session.name) == true {
            request.logger.notice(
                """
                \(request.path) uses session \(session.name), which has its own mocks and scenarios; \
                /__drawbridge__/session/default leaves it
                """)
        }
        return true
    }

    /// A script that unregisters a service worker that no longer exists; nil if the request is not for such a script.
    package func leaving(_ request: Request) -> Response? {
        guard ServiceWorkers.isScript(request.headers) else { return nil }
        if replyBook?.isNews("a worker", in: request.path) != false {
            request.logger.notice(
                "the service worker \(request.path) no longer exists; the browser is told to remove it and to reload its pages"
            )
        }
        return ServiceWorkers.leaving
    }

    func use(of request: Request) -> DocumentRequest { DocumentRequest(request, workers: workers.has) }

    /// Why a page cannot call native although it gets the script; nil if it can.
    private func reason(for response: Response, to request: Request) -> PagesWithoutNative.Reason? {
        let policies = response.policies(.contentSecurityPolicy)
        if policies.contains(where: { $0.isSandboxed(without: "allow-scripts") }) { return .scriptless }
        if policies.contains(where: { $0.isSandboxed(without: "allow-same-origin") }) { return .sandboxed }
        let isFramed = ["iframe", "frame", "object", "embed"].contains(request.headers.value(.secFetchDest))
        let site = request.headers.value(.secFetchSite)
        return isFramed && !isForForeignFrames && (site == "cross-site" || site == "same-site")
            ? .framed : nil
    }

    /// An error for a request to prerender a page before anybody opens it; nil for any other request.
    ///
    /// A prerendered page would run its scripts, and call native, unseen. After a refusal the browser loads the page
    /// when it is opened.
    package func refusal(of request: Request) -> HTTPError? {
        guard !request.isAnonymous,
            request.headers.value(.secPurpose)?.contains("prerender") == true, use(of: request) == .page
        else { return nil }
        return HTTPError(
            .serviceUnavailable,
            "prerendering is refused: the page would make native calls before anybody opens it")
    }

    private func headers(
        of response: Response, for request: Request, _ access: RuntimeAccess, beginning: [UInt8]?
    ) -> HTTPFields {
        var headers = HTTPFields()
        for var field in response.headers {
            // Compares the length first: it rules out most names cheaply.
            switch field.name.canonicalName.utf8.count {
            case 23 where field.name == .contentSecurityPolicy,
                35 where field.name == .contentSecurityPolicyReportOnly:
                let opened = access.opened(Array(field.value.utf8))
                if let opened { field.value = String(decoding: opened, as: UTF8.self) }
            // The text of the runtime's script changes with what is mocked, so the tag has no hash of it.
            case 16 where field.name == .integrityPolicy:
                headers.append(HTTPField(name: .integrityPolicyReportOnly, value: field.value))
                field.value = field.value.replacing(/\bscript\b/, with: "")
            // Injected functions and the like are synchronous requests, which apps do not need for them.
            case 14 where field.name == .featurePolicy, 18 where field.name == .permissionsPolicy:
                field.value = field.value.replacing(/\bsync-xhr(?:=\(\s*\)| 'none')/) {
                    $0.output.contains("=") ? "sync-xhr=(self)" : "sync-xhr 'self'"
                }
            default: break
            }
            headers.append(field)
        }
        headers.becomeThoseOfADocument()
        headers[.contentLength] = nil
        headers[.eTag] = access.hasOwnNonce ? nil : suffixed(headers.value(.eTag), for: request)?.text
        // Browsers look for `<meta charset>` in the first 1,024 bytes only, and the tag may push it out of them.
        if let beginning, let type = headers[.contentType], !type.lowercased().contains("charset"),
            let label = HTMLEncoding.declared(in: beginning)
        {
            headers[.contentType] = "\(type); charset=\(label)"
        }
        // Blocks custom schemes in frames and forms, for which desktop browsers would offer to open an app.
        if !isLeftToApp(request) {
            headers.append(HTTPField(name: .contentSecurityPolicy, value: Self.ownPolicy))
        }
        let enforced = response.policies(.contentSecurityPolicy)
        if !isForForeignFrames, !headers.contains(.xFrameOptions),
            !enforced.contains(where: { $0.has("frame-ancestors") })
        {
            headers[.xFrameOptions] = "SAMEORIGIN"
        }
        return headers
    }

    private static let ownPolicy = {
        let schemes = "http: https: data: blob: javascript: mailto: tel: sms:"
        return "frame-src \(schemes); form-action \(schemes)"
    }()

    /// The 304 for a document that was changed here.
    ///
    /// Its policies are removed, so that those of the first response, with their nonce, stay in force.
    private func notModified(_ response: Response, for request: Request) -> Response {
        guard case .tags(let known)? = request.headers.value(.ifNoneMatch).map(EntityTag.List.init) else {
            return response
        }
        let tag = suffixed(response.headers.value(.eTag), for: request)
        let suffix = suffix(for: request)
        guard known.contains(where: { tag?.matchesWeakly($0) ?? $0.opaque.hasSuffix(suffix) }) else {
            return response
        }
        var headers = response.headers
        headers.becomeThoseOfADocument()
        headers[.eTag] = tag?.text
        headers[.contentSecurityPolicy] = nil
        headers[.contentSecurityPolicyReportOnly] = nil
        headers[.integrityPolicy] = nil
        var document = response
        document.headers = headers
        return document
    }

    /// The entity tag with this process's suffix; nil if the document has none, or a malformed one.
    private func suffixed(_ text: String?, for request: Request) -> EntityTag? {
        guard let text, case .tags(let tags) = EntityTag.List(text), tags.count == 1 else { return nil }
        return EntityTag("\(tags[0].opaque)\(suffix(for: request))", isWeak: tags[0].isWeak)
    }
}

extension HTTPFields {
    /// Removes header fields that describe the original bytes, and makes caches revalidate.
    fileprivate mutating func becomeThoseOfADocument() {
        for name in [
            HTTPField.Name.lastModified, .acceptRanges, .contentMD5, .digest, .contentDigest, .reprDigest,
            .expires,
        ] where contains(name) {
            self[name] = nil
        }
        let kept = (value(.cacheControl) ?? "").lowercased().split { ", \t".contains($0) }
        self[.cacheControl] =
            (["no-cache"] + ["private", "no-store"].filter { name in kept.contains { $0 == name } })
            .joined(separator: ", ")
        // The same URL may be requested as a page or by a script, with different responses.
        vary(by: "Sec-Fetch-Dest")
    }
}

extension Response {
    /// Whether a browser that navigates to it would show it as an HTML page.
    fileprivate var isHTML: Bool {
        guard 200...203 ~= status.code || 400...599 ~= status.code else { return false }
        return isType("text/html") && headers.word(.contentDisposition)?.hasPrefix("attachment") != true
    }

    /// With or without parameters; compares bytes and makes no index of the fields, to be fast for every response.
    private func isType(_ name: String) -> Bool {
        var text = typeText ?? ""
        return text.withUTF8 { type in
            // Of several the last one is meant (Fetch, "extract a MIME type").
            var place = (type.lastIndex(of: UInt8(ascii: ",")) ?? -1) + 1
            while place < type.count, type[place].isBlank { place += 1 }
            for byte in name.utf8 {
                guard place < type.count, type[place] | 0x20 == byte else { return false }
                place += 1
            }
            return place == type.count || type[place] == UInt8(ascii: ";") || type[place].isBlank
        }
    }

    /// Whether a browser guesses the type from the bytes (MIME Sniffing, section 7).
    fileprivate var isUnnamed: Bool {
        ["", "unknown/unknown", "application/unknown", "*/*"].contains(typeText ?? "")
            && status.kind == .successful
            && headers.value(.xContentTypeOptions)?.lowercased() != "nosniff"
            && headers.word(.contentDisposition)?.hasPrefix("attachment") != true
    }

    fileprivate var isXHTML: Bool { isType("application/xhtml+xml") }

    /// Whether the body is uncompressed, and in an encoding that contains ASCII.
    fileprivate var isPlain: Bool {
        if case .output = body.content { return false }
        return coding == nil && headers.value(.contentType)?.lowercased().contains("utf-16") != true
    }

    fileprivate var coding: String? {
        let coding = headers.word(.contentEncoding) ?? ""
        return coding == "identity" || coding.isEmpty ? nil : coding
    }

    /// The policies of the header fields: the enforced ones first, then the report-only ones.
    fileprivate var policies: [ContentSecurityPolicy] {
        policies(.contentSecurityPolicy) + policies(.contentSecurityPolicyReportOnly)
    }

    fileprivate func policies(_ name: HTTPField.Name) -> [ContentSecurityPolicy] {
        guard headers.contains(name) else { return [] }
        return headers[values: name].flatMap { ContentSecurityPolicy.list(Array($0.utf8)) }
    }
}
