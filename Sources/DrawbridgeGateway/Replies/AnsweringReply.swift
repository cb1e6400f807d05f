/// A call and the mock that answers it: waits, fills in templates, and makes the response.
struct AnsweringReply: Answering {
    let reply: Reply
    /// Which reply it is: `pay, case 2`.
    let which: String
    let input: ReplyInput
    let request: Request
    let book: ReplyBook
    let supplier: (any ReplySupplier)?

    /// The seconds after which a request with `$silence` fails, so that a program does not wait for ever.
    private static let patience = 60

    var name: String { "reply \(which)" }
    var title: String { name }
    var timing: [UInt8] { Array("reply;desc=\"\(Percent.encode(which, keeping: " ,/:*"))\";dur=".utf8) }
    var answerer: JournalRecord.Answerer { .reply(which) }
    var hasEnvelope: Bool { true }

    func answer() async throws -> Response {
        try await tellProgress()
        if let delay = reply.delay { try await Task.sleep(for: .milliseconds(Int.random(in: delay))) }
        switch reply.outcome {
        case .value(let bytes): return Response(body: .output(bytes))
        case .template(let template): return Response(body: .output(try await filled(template).bytes))
        case .error(let failure): throw RepliedError(error: try await error(failure))
        case .silence: return try await silence()
        case .raw(let raw): return try await response(raw)
        case .forward(let target): return try await forwarded(to: target)
        case .missing, .pass, .sequence, .cases, .ask:
            preconditionFailure("\(which) only chooses between replies, and has no answer of its own")
        }
    }

    private func tellProgress() async throws {
        for (place, template) in reply.progress.enumerated() {
            if place > 0 { try await Task.sleep(for: .milliseconds(reply.every)) }
            let isHeard = try request.progress(try await filled(template))
            if !isHeard, book.isNews("$progress", in: which) {
                request.logger.notice("\(name): this bridge does not support $progress, so it is ignored")
            }
        }
    }

    private var givenSupplier: any ReplySupplier {
        get throws {
            if let supplier { return supplier }
            throw HTTPError(
                .badGateway, "only the drawbridge command answers with programs and files; serve with it")
        }
    }

    /// The answer of another program, which is sent `{"name": …, "input": …, "page": …}`.
    private func forwarded(to target: ForwardTarget) async throws -> Response {
        let page = request.page
        let call: JSON = [
            "name": .string(request.name),
            "input": input.value ?? .null,
            "page": page.map { ["id": .string($0.id), "url": .string($0.url), "title": .string($0.title)] }
                ?? .null,
        ]
        return Response(body: .output(try await givenSupplier.ask(call.bytes, at: target, for: request)))
    }

    /// The HTTP response of a `$response`; a page that called by a bridge with a callback gets its body.
    private func response(_ raw: RawReply) async throws -> Response {
        let found = try await self.body(of: raw)
        let type = raw.headers[.contentType] ?? found.headers[.contentType] ?? ""
        if request.callingPage?.isForScript == true { return try await value(of: found.body, type, raw) }
        // The answer may be a range of the file, as media players ask for it, with status 206.
        var response = Response(
            raw.status == 200 ? found.status : .init(code: raw.status), headers: raw.headers, body: found.body
        )
        for field in found.headers where raw.headers[field.name] == nil && field.name != .contentType {
            response.headers.append(field)
        }
        if found.body.length != 0 { response.headers[.contentType] = type }
        // As a document, the body would run scripts in this origin, so it is sandboxed. A fetch only reads it.
        let isFetched = request.headers[.secFetchDest] == "empty"
        if !isFetched, raw.runs(as: response.headers[.contentType] ?? "") {
            response.headers[.contentSecurityPolicy] = "sandbox"
        }
        return response
    }

    private func body(of raw: RawReply) async throws -> Response {
        func made(_ body: Response.Body, _ type: String) -> Response {
            Response(headers: [.contentType: type], body: body)
        }
        switch raw.body {
        case .none: return made(.empty, "application/json")
        case .json(let template): return made(.bytes(try await filled(template).bytes), "application/json")
        case .text(let text): return made(.bytes(Array(text.utf8)), "text/plain; charset=utf-8")
        case .file(let file):
            let asker = raw.status == 200 && request.callingPage == nil ? request : nil
            if let found = try givenSupplier.open(file, for: asker) { return found }
            throw HTTPError(
                .internalServerError,
                "cannot find \(file.text) in the folder of the file of mocks; put it there")
        }
    }

    /// The body of a `$response`, as a value or error for a bridge with a callback.
    private func value(of body: Response.Body, _ type: String, _ raw: RawReply) async throws -> Response {
        let bytes = try await body.collect(upTo: Template.mostBytes)
        guard raw.status < 400 else {
            throw RepliedError(
                error: HTTPError(
                    .init(code: raw.status), String(decoding: bytes, as: UTF8.self),
                    data: try? JSON(parsing: bytes)))
        }
        let isJSON = type.hasPrefix("application/json")
        switch raw.body {
        case .none, .json: return Response(body: .output(bytes))
        case .file(let file) where isJSON:
            do {
                return Response(body: .output(try JSON(parsing: bytes).bytes))
            } catch {
                throw HTTPError(.internalServerError, "\(file.text) is not JSON: \(error)")
            }
        case .text, .file:
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw HTTPError(
                    .internalServerError,
                    "the body is not UTF-8 text, and a callback takes only text; let the page send a request with _mobile_bridge=1"
                )
            }
            return Response(body: .output(JSON.string(text).bytes))
        }
    }

    private func filled(_ template: Template) async throws -> JSON {
        try await Apart.perform(where: input.isLarge && template.looksAtInput) { try filledNow(template) }
    }

    private func filledNow(_ template: Template) throws -> JSON {
        do {
            return try template.filled(input) { word in
                if book.isNews(word, in: which) {
                    request.logger.warning(
                        "\(which): the input has no \(word.trimmingPrefix("input.")): {{\(word)}} is left empty"
                    )
                }
            }
        } catch {
            throw HTTPError(
                .contentTooLarge,
                """
                \(name) repeats more than \(Template.mostBytes >> 20) MB of its input; use fewer placeholders, or \
                send less
                """)
        }
    }

    private func error(_ failure: Reply.Failure) async throws -> HTTPError {
        var message = ""
        if let template = failure.message {
            let filled = try await filled(template)
            message = filled.stringValue ?? "\(filled)"
        }
        var data: JSON?
        if let template = failure.data { data = try await filled(template) }
        let status = (400...599).contains(failure.code) ? failure.code : 500
        return HTTPError(.init(code: status), message, code: failure.code, data: data)
    }

    /// Does not call the callback; a request is held until its caller leaves, or a minute has passed.
    ///
    /// A page that is blocked by a synchronous call gets an empty answer at once, since to freeze it is of no use.
    private func silence() async throws -> Response {
        let isForNobody = request.channelCall is RepeatedCall
        if isForNobody || request.callingPage?.call.isByChannel == true {
            var response = Response()
            response.isSilent = true
            return response
        }
        if request.callingPage != nil || CallingPage.waiting(for: request) != nil {
            request.logger.warning(
                "\(name) is $silence, but a synchronous call blocks the page: it gets an empty answer at once"
            )
            return Response(body: .output([]))
        }
        try await Task.sleep(for: .seconds(Self.patience))
        throw RepliedError(error: HTTPError(.gatewayTimeout, "\(name) is $silence, which sends no answer"))
    }
}

/// An intended error, such as that of a reply; it is not logged as a fault.
package struct RepliedError: Error {
    let error: HTTPError

    package init(error: HTTPError) { self.error = error }
}
