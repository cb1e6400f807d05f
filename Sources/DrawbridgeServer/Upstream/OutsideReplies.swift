import HTTPClient
import Synchronization

/// Posts calls to the programs named by `$forward`, and opens the files named by `$response`.
///
/// Programs on this machine may be called, others only if they are listed. Connections to the gateway itself and to
/// cloud metadata services are always refused.
package final class OutsideReplies: ReplySupplier {
    private let origins: Set<String>
    private let patience: Duration
    private let records = Mutex<[String: UpstreamRecord]>([:])

    private static let mostBytes = 8 << 20
    /// The maximum length of a program's error message in characters.
    private static let mostOfMessage = 300

    /// - Parameters:
    ///   - origins: the programs on other machines that may be called.
    ///   - patience: the timeout for a program's complete answer.
    package init(origins: Set<String>, patience: Duration = .seconds(30)) {
        self.origins = origins
        self.patience = patience
    }

    /// Why a program may not be called; nil if it may.
    package func refusal(of target: ForwardTarget) -> String? {
        guard !target.isLoopback, !origins.contains(target.origin) else { return nil }
        return """
            $forward leads to another machine, \(target.origin); start the gateway with --forward-to \(target.origin), or \
            name a program on this machine
            """
    }

    package func ask(
        _ call: [UInt8], at target: ForwardTarget, for request: Request
    ) async throws -> [UInt8] {
        if let refusal = refusal(of: target) { throw HTTPError(.badGateway, refusal) }
        return try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask { try await self.send(to: call, at: target, for: request) }
            group.addTask { [patience] in
                try await Task.sleep(for: patience)
                throw HTTPError(
                    .gatewayTimeout,
                    "\(target.text) gave no complete answer within \(patience); let it answer sooner, or use $delay"
                )
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    private func send(
        to call: [UInt8], at target: ForwardTarget, for request: Request
    ) async throws -> [UInt8] {
        let url = try UpstreamURL(target.text)
        let record = record(of: url.name)
        let sender = UpstreamSender(url, options, record: record, guardian: guardian(of: target))
        // The page's header fields are not sent, above all no cookies.
        var asked = Request(
            .post, url.path ?? "/", headers: [.contentType: "application/json", .accept: "application/json"],
            body: .init(call))
        asked.answerer = request.answerer
        let answer = await sender.send(asked, url.path ?? "/", by: nil)
        let body: [UInt8]
        do {
            body = try await answer.body.collect(upTo: Self.mostBytes)
        } catch let error as TransferError {
            record.failed(error, request.logger)
            throw HTTPError(error.kind == .late ? .gatewayTimeout : .badGateway, "\(target.text): \(error)")
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw HTTPError(
                .badGateway,
                "\(target.text) answers \(answer.status.code) and more than \(Self.mostBytes) bytes; let it answer less"
            )
        }
        guard answer.status.kind == .successful else { throw Self.error(of: answer, body, from: target) }
        return try await Self.value(body, from: target)
    }

    private static func error(of answer: Response, _ body: [UInt8], from target: ForwardTarget) -> HTTPError {
        let why = (try? JSON(parsing: body))?["message"]?.stringValue?.cut(to: mostOfMessage)
        // If it is not relayed, it is the gateway's own error: the program could not be reached.
        guard answer.isRelayed else {
            let status: HTTPResponse.Status =
                answer.status == .gatewayTimeout ? .gatewayTimeout : .badGateway
            return HTTPError(status, "\(target.text): \(why ?? "no answer")")
        }
        return HTTPError(
            .badGateway,
            """
            \(target.text) answers \(answer.status.code)\(why.map { ": \($0)" } ?? ""); it must answer 200 with a value \
            as JSON
            """)
    }

    /// Parses an answer outside of the loop's thread, which megabytes would block.
    @concurrent
    private static func value(_ body: [UInt8], from target: ForwardTarget) async throws -> [UInt8] {
        do {
            return try JSON(parsing: body).bytes
        } catch {
            throw HTTPError(.badGateway, "\(target.text) answers something that is not JSON: \(error)")
        }
    }

    private var options: Upstream.Options {
        var options = Upstream.Options()
        options.tellsCaller = false
        options.rewritesAddresses = false
        options.answerTimeout = patience
        return options
    }

    /// Checks each address before connecting; if the target is `localhost`, the address must be loopback.
    private func guardian(of target: ForwardTarget) -> Transfer.Guardian {
        let guardian = ForwardAddresses.guardian(of: target.text)
        return { bytes, port throws(TransferError) in
            if target.isLoopback, IPAddress(bytes: bytes)?.isLoopback != true {
                throw TransferError(.forbidden, "\(target.text) is not on this machine; name its address")
            }
            try guardian(bytes, port)
        }
    }

    package func open(_ file: AnswerFile, for request: Request?) throws -> Response? {
        do {
            return try StaticFiles(unchecked: file.folder).open(file.names, for: request)
        } catch {
            throw HTTPError(
                .internalServerError, "\(file.text) cannot be read: \(error); let the gateway's user read it")
        }
    }

    private func record(of name: String) -> UpstreamRecord {
        records.withLock { records in
            let record =
                records[name]
                ?? UpstreamRecord("$forward \(name)", advice: "start it, or correct its URL in $forward")
            records[name] = record
            return record
        }
    }
}
