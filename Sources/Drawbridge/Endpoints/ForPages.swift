/// Endpoints for pages: the page runtime, the page token, and messages that cannot use the page's WebSocket.
enum ForPages {
    /// The runtime for the page at `?path=`: its text changes only with its configuration.
    static func script(_ gateway: Gateway, _ request: Request) async throws -> Response {
        guard let runtime = gateway.pageRuntime else { throw HTTPError.nothingBehind(request.path) }
        let path = request.query["path"] ?? "/"
        gateway.injection?.withoutNative.asked(from: path)
        let settings = gateway.replyBook.settings(ofPageAt: path)
        // Then the page opens its channel at once: native has something to tell it, for example to reload.
        let isWanted =
            gateway.replyBook.hasEventAtArrival || !gateway.spokenBridges(ofPageAt: path).isEmpty
            || !runtime.bridges.allSatisfy(\.isShipped)
        let configuration = runtime.configuration(
            epoch: gateway.pages.epoch, path: path,
            names: gateway.shownNames(toPageAt: path, id: request.query["id"], in: request.session),
            browser: request.headers.value(.userAgent) ?? "", session: request.session,
            asking: gateway.questions.asking(in: request.session) ?? runtime.asking,
            isWanted: isWanted, hasJournal: gateway.journal.isOn, settings: settings
        ).bytes
        // The `ETag` is a hash of the configuration: the rest of the script is the same for the life of the process.
        return script(to: request, of: configuration) {
            RuntimeScript.text(
                configuration, hasBridges: !runtime.bridges(for: settings).isEmpty,
                hasJournal: gateway.journal.isOn)
        }
    }

    /// A script, or a 304 if the browser has it already.
    ///
    /// - Parameter version: bytes that change whenever the script does.
    private static func script(to request: Request, of version: [UInt8], _ text: () -> [UInt8]) -> Response {
        let tag = "\"\(String(hash(version), radix: 36))\""
        var headers = scriptFields
        headers[.eTag] = tag
        guard request.headers[.ifNoneMatch]?.contains(tag) == true else {
            return Response(headers: headers, body: .bytes(text()))
        }
        headers[.contentType] = nil
        return Response(.notModified, headers: headers)
    }

    /// The script of a bridge; a custom one is sent exactly as in its file, so that line numbers in errors are right.
    static func bridge(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let bridges = gateway.pageRuntime?.bridges ?? []
        guard let bridge = bridges.first(where: { $0.path == request.path }) else {
            let others = bridges.map(\.path).joined(separator: ", ")
            throw HTTPError(
                .notFound,
                "no bridge at \(request.path); \(others.isEmpty ? "there are none: --bridge gives them" : "there are \(others)")"
            )
        }
        let text: [UInt8]
        do throws(BridgeScript.ScriptError) {
            text = try bridge.text()
        } catch {
            request.logger.error("\(error)")
            throw HTTPError(
                .notFound, "the script of the bridge \(bridge.name) cannot be read; the log says why")
        }
        return script(to: request, of: text) { text }
    }

    /// What shows questions over a page, which its runtime loads for the first one.
    static func ask(_ gateway: Gateway, _ request: Request) async throws -> Response {
        script(to: request, of: RuntimeScript.asking) { RuntimeScript.asking }
    }

    private static let scriptFields: HTTPFields = [
        .contentType: "text/javascript; charset=utf-8", .cacheControl: "no-cache",
        .xContentTypeOptions: "nosniff", .crossOriginResourcePolicy: "same-origin",
    ]

    /// Gives a global to the runtime of a page whose policy forbids `eval`: a top-level `const` is not on `window`.
    static func global(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let name = request.query["name"] ?? ""
        guard name.utf8.count <= 100, PageSettings.isName(name) else {
            throw HTTPError(.notFound, "name: must be a JavaScript identifier of ASCII characters")
        }
        return Response(
            headers: scriptFields,
            body: .bytes(
                Array(
                    #"window[Symbol.for("drawbridge")]("\#(name)", function () { return \#(name); });"#.utf8))
        )
    }

    /// The token for a page from before a restart; a foreign page cannot send `X-Drawbridge-Page` without a preflight.
    static func token(_ gateway: Gateway, _ request: Request) async throws -> Response {
        guard request.headers.contains(.pageID) else {
            throw HTTPError(
                .forbidden, "only the page runtime may ask for the token; it sends X-Drawbridge-Page"
            )
        }
        // Checked as a call is, except for the token, which the page does not have yet.
        var asked = request
        asked.headers[.pageToken] = nil
        if let error = gateway.access.refusesPage(asked) { throw error }
        let known: JSON = [
            "token": .string(gateway.access.token.text), "epoch": .string(gateway.pages.epoch),
        ]
        return .guarded(known.bytes)
    }

    /// Answers a page's synchronous call, after the messages that the page sent before it.
    static func call(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let body = try await body(of: request, gateway)
        guard let id = request.headers[.pageID], let name = body["call"]?.stringValue else {
            throw HTTPError(.badRequest, "send the page's id as X-Drawbridge-Page, and {\"call\":…}")
        }
        let sign = try PageSign(body, id: id)
        guard let page = try page(sign, body, gateway, request) else { return isOver(sign, gateway) }
        var call = PageCall(name, body["data"], by: Page.Bridge(body["bridge"]))
        call.isByChannel = false
        let handler = name.hasPrefix("/") ? name : "/\(name)"
        let wait = page.standStill(for: handler)
        defer { page.goOn(after: wait) }
        // The call waits until the handling of the page's earlier messages has begun.
        let isTaken = await withCheckedContinuation { turn in
            let step: @Sendable () -> Void = { turn.resume(returning: true) }
            let messages = body["up"]?.arrayValue ?? []
            if page.take(messages, bytes: request.body.count ?? 0, then: step, by: nil) == nil {
                turn.resume(returning: false)
            }
        }
        guard isTaken else { return isOver(sign, gateway) }
        let answer = await CallingPage.$waiting.withValue((page.id, handler)) {
            await gateway.respond(to: call, of: page, by: nil)
        }
        gateway.hear(of: answer, to: call, from: page)
        var text = Array(#"{"received":\#(page.received),"#.utf8)
        text += answer.member
        text.append(UInt8(ascii: "}"))
        var response = Response.guarded(text)
        response.afterwards = answer.afterwards
        return response
    }

    /// Takes messages without a call: those before a synchronous request that the page itself makes, and those of a
    /// page that is closed, which may be its first.
    static func messages(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let body = try await body(of: request, gateway)
        let messages = body["up"]?.arrayValue ?? []
        let sign = try PageSign(body)
        let isLeaving = body["leaving"]?.boolValue
        if let page = try page(sign, body, gateway, request),
            let received = page.take(messages, bytes: request.body.count ?? 0, by: nil)
        {
            if let isLeaving { isLeaving ? page.leave() : page.freeze() }
            return .guarded((["received": .number(.init(received))] as JSON).bytes)
        }
        // A page that leaves gets no answer and cannot repeat its messages, so those that were not taken are taken now.
        if isLeaving != nil, let before = gateway.pages.lastWords(of: sign, messages) {
            Page(
                sign, body, head: request.asPage, remoteAddress: request.remoteAddress, gateway: gateway
            ).takeLast(messages, behind: before)
        }
        return isOver(sign, gateway)
    }

    private static func isOver(_ sign: PageSign, _ gateway: Gateway) -> Response {
        var response = Response.guarded(gateway.isOver(sign).bytes)
        response.status = .conflict
        return response
    }

    private static func body(of request: Request, _ gateway: Gateway) async throws -> JSON {
        if let error = gateway.access.refusesPage(request) { throw error }
        let body = try await request.bodyAsJSON(upTo: gateway.bodyLimit) ?? .null
        let token = request.headers[.pageToken] ?? body["token"]?.stringValue
        switch token.map({ gateway.access.token.judge($0, from: gateway.access.address(of: request)) }) {
        case .right: return body
        case .throttled: throw AccessPolicy.throttled
        case .wrong, nil:
            throw HTTPError(.forbidden, "this needs the page token, which the page runtime sends")
        }
    }

    /// The page that sent this; nil if that page has ended, or has connected anew since (``PageSign/life``).
    ///
    /// - Throws: a 503 if there are too many pages.
    private static func page(
        _ sign: PageSign, _ body: JSON, _ gateway: Gateway, _ request: Request
    ) throws(HTTPError) -> Page? {
        let arrival = gateway.pages.find(sign) {
            Page(sign, body, head: request.asPage, remoteAddress: request.remoteAddress, gateway: gateway)
        }
        if case .full = arrival { throw Pages.isFull }
        guard case .page(let page, let isNew) = arrival else { return nil }
        if isNew {
            page.awaitConnection()
            gateway.greet(page)
        }
        return page
    }

    private static func hash(_ text: [UInt8]) -> UInt64 {
        // FNV-1a: unlike Swift's own hash, it is the same in every process.
        text.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
