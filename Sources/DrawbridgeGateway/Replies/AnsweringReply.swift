import DrawbridgeJSON
import DrawbridgeJournal
package import DrawbridgeMessages
import DrawbridgeMocks
import HTTPTypes
import Logging

/// Answers a call as a reply says.
struct AnsweringReply: Answering {
    let reply: Reply
    /// Which reply it is: `pay, case 2`.
    let which: String
    let input: ReplyInput
    let request: Request
    let book: ReplyBook
    /// Supplies the answers of other programs, and files; nil where nothing does.
    let supplier: (any ReplySupplier)?

    /// For how many seconds `$silence` holds a request, which then fails: a program learns that it waits in vain.
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
            preconditionFailure("\(which) does not answer, and was to be given as an answer")
        }
    }

    /// Reports progress before the answer, where the bridge takes that.
    private func tellProgress() async throws {
        for (place, template) in reply.progress.enumerated() {
            if place > 0 { try await Task.sleep(for: .milliseconds(reply.every)) }
            let isHeard = try request.progress(try await filled(template))
            if !isHeard, book.isNews("$progress", in: which) {
                request.logger.notice("\(name): this bridge hears no $progress, and goes without")
            }
        }
    }

    private var givenSupplier: any ReplySupplier {
        get throws {
            if let supplier { return supplier }
            throw HTTPError(
                .badGateway, "programs and files are for the command alone; serve by it")
        }
    }

    /// The answer of another program, which is sent `{"name": …, "input": …, "page": …}`.
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

    /// An HTTP response as it is written; a page that called by a bridge with a callback gets its body.
    private func response(_ raw: RawReply) async throws -> Response {
        let found = try await self.body(of: raw)
        let type = raw.headers[.contentType] ?? found.headers[.contentType] ?? ""
        guard request.callingPage == nil else { return try await value(of: found.body, type, raw) }
        // A range of a file, as media players ask for it, has a status of its own.
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

    /// The value or error of an HTTP response for a bridge with a callback.
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
                    "it is not UTF-8 text, and a callback takes only text; let the page ask by a flagged request"
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

    /// Never calls a callback; a request is held until its caller leaves, or a minute has passed.
    ///
    /// A page that is blocked by a synchronous call gets nothing, at once: to freeze it would be of no use.
    private func silence() async throws -> Response {
        let isForNobody = request.channelCall is RepeatedCall
        if isForNobody || request.callingPage?.call.isByChannel == true {
            var response = Response()
            response.isSilent = true
            return response
        }
        if request.callingPage != nil || CallingPage.waiting(for: request) != nil {
            request.logger.warning(
                "\(name) is silence, and the page is blocked until it is answered: it gets nothing, at once"
            )
            return Response(body: .output([]))
        }
        try await Task.sleep(for: .seconds(Self.patience))
        throw RepliedError(error: HTTPError(.gatewayTimeout, "\(name) is silence, and nobody answers"))
    }
}

/// An error that is meant so, such as a reply's, and is not logged as a fault.
package struct RepliedError: Error {
    let error: HTTPError

    package init(error: HTTPError) { self.error = error }
}
