import Logging
import Synchronization

/// Answers a call as a reply says.
struct ReplyHandler: Handler {
    let reply: Reply
    let title: String
    let input: ReplyInput
    let request: Request
    let book: ReplyBook
    /// Gives what comes from programs and files; nil where nobody can.
    let supplier: (any ReplySupplier)?

    /// So long a request is held that nobody ever answers: a program that asks learns that it waits in vain.
    private static let patience = 60

    /// What is left of a body that no reply looked at stays where it is.
    static var bodyMode: BodyMode { .streamed }

    func startLoading(_ request: Request) async throws -> Response {
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
            preconditionFailure("\(title) is no answer, and was to be given as one")
        }
    }

    /// Tells what stands before the answer, where the bridge hears it.
    private func tellProgress() async throws {
        for (place, template) in reply.progress.enumerated() {
            if place > 0 { try await Task.sleep(for: .milliseconds(reply.every)) }
            let isHeard = try request.progress(try await filled(template))
            if !isHeard, book.isNews("$progress", in: title) {
                request.logger.notice("reply \(title): this bridge hears no $progress, and goes without")
            }
        }
    }

    private var givenSupplier: any ReplySupplier {
        get throws {
            guard let supplier else {
                throw HTTPError(
                    .badGateway, "programs and files are for the command alone; serve by it")
            }
            return supplier
        }
    }

    /// What a program says, that is asked by `{"name": …, "input": …, "page": …}`.
    private func forwarded(to target: ForwardTarget) async throws -> Response {
        let page = request.page
        let call: JSON = [
            "name": .string(request.path.hasPrefix("/") ? String(request.path.dropFirst()) : request.path),
            "input": input.value ?? .null,
            "page": page.map { ["id": .string($0.id), "url": .string($0.url), "title": .string($0.title)] }
                ?? .null,
        ]
        return Response(body: .output(try await givenSupplier.ask(call.bytes, at: target, for: request)))
    }

    /// What goes out as it stands; a page that called by a bridge with a callback gets its body.
    private func response(_ raw: RawReply) async throws -> Response {
        let found = try await self.body(of: raw)
        let type = raw.headers[.contentType] ?? found.headers[.contentType] ?? ""
        guard request.callingPage == nil else { return try await value(of: found.body, type, raw) }
        // A part of a file, as players ask for, has a status of its own.
        var response = Response(
            raw.status == 200 ? found.status : .init(code: raw.status), headers: raw.headers, body: found.body
        )
        for field in found.headers where raw.headers[field.name] == nil && field.name != .contentType {
            response.headers.append(field)
        }
        if found.body.length != 0 { response.headers[.contentType] = type }
        // Opened as a document, it would run as a page of this origin. A page's own fetch only reads it.
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
                "there is no file \(file.text) in the folder of the file of replies; put it there")
        }
    }

    /// What a bridge with a callback makes of an answer of HTTP's.
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
                throw HTTPError(.internalServerError, "\(file.text) is no JSON: \(error)")
            }
        case .text, .file:
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw HTTPError(
                    .internalServerError,
                    "it is no text, and a callback takes none but text; let the page ask by a flagged request"
                )
            }
            return Response(body: .output(JSON.string(text).bytes))
        }
    }

    private func filled(_ template: Template) async throws -> JSON {
        guard input.isLarge, template.looksAtInput else { return try filledHere(template) }
        // Megabytes take milliseconds, which no other request on this loop should wait for.
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await filledApart(template)
        }
    }

    @concurrent
    private func filledApart(_ template: Template) async throws -> JSON { try filledHere(template) }

    private func filledHere(_ template: Template) throws -> JSON {
        do {
            return try template.filled(input) { word in
                if book.isNews(word, in: title) {
                    request.logger.warning(
                        "\(title): the input has no \(word.trimmingPrefix("input.")): {{\(word)}} is left empty"
                    )
                }
            }
        } catch {
            throw HTTPError(
                .contentTooLarge,
                """
                reply \(title) says more than \(Template.mostBytes >> 20) MB of its input; let it say less of that, or \
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

    /// A bridge with a callback never calls it; a request is held until its caller leaves, or a minute has passed.
    ///
    /// A page that stands still meanwhile gets nothing, at once: a frozen page teaches nobody anything.
    private func silence() async throws -> Response {
        let isForNobody = request.channelCall is RepeatedCall
        if isForNobody || request.callingPage?.call.isByChannel == true {
            var response = Response()
            response.isSilent = true
            return response
        }
        if request.callingPage != nil || CallingPage.waiting(for: request) != nil {
            request.logger.warning(
                "reply \(title) is silence, and the page stands still until it is answered: it gets nothing, at once"
            )
            return Response(body: .output([]))
        }
        try await Task.sleep(for: .seconds(Self.patience))
        throw RepliedError(error: HTTPError(.gatewayTimeout, "reply \(title) is silence, and nobody answers"))
    }
}

/// An error that a reply says, and that is nobody's mistake.
struct RepliedError: Error {
    let error: HTTPError
}
