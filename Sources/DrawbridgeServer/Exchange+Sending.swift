import HTTPClient
import MicroHTTPD

// Sends the gateway's responses with the engine.
extension Exchange {
    private func sendInTask(
        _ response: Response, to request: Request, since start: ContinuousClock.Instant, _ log: AccessLog?
    ) {
        run { [self] in
            let bytes = await stream(response, to: request)
            unlessRefused(log)?.add(
                request, response, bytes: bytes, took: start.duration(to: .now),
                cut: Task.isCancelled ? whyCancelled : nil)
        }
    }

    /// Sends a response; a 502 instead if an upstream's header fields do not fit the connection's memory.
    func send(
        _ answer: borrowing Response, to request: Request, by gateway: Gateway,
        since start: ContinuousClock.Instant, _ log: AccessLog?, cut: AccessLog.Cut? = nil
    ) {
        if let refusal = gateway.refusesHead(of: answer, to: request, on: self) {
            deliver(refusal, to: request, since: start, log, cut: cut)
        } else {
            deliver(answer, to: request, since: start, log, cut: cut)
            answer.afterwards?()
        }
    }

    /// Sends a response: a complete body immediately, an upstream's from its socket, any other in a task.
    private func deliver(
        _ answer: borrowing Response, to request: Request, since start: ContinuousClock.Instant,
        _ log: AccessLog?, cut: AccessLog.Cut?
    ) {
        switch answer.body.content {
        case .bytes(let bytes), .output(let bytes):
            answer.withAddedText { added in
                send(answer.status, answer.headersForEngine, fixed: answer.fixedText, adding: added, bytes)
            }
        case .file(let file):
            send(
                answer.head, file: file.handle.descriptor, owner: file.handle, offset: file.offset,
                length: file.length)
        case .upgrade(let upgrade): (upgrade as? UpstreamTunnel)?.take(self, copy answer)
        case .stream: return sendInTask(copy answer, to: request, since: start, log)
        case .source(let source):
            let answer = copy answer
            guard let body = source as? UpstreamBody,
                body.send(
                    answer.head, to: self,
                    whenFetched: { [self] bytes in
                        unlessRefused(log)?.add(
                            request, answer, bytes: bytes, took: start.duration(to: .now),
                            cut: self.cut)
                        end()
                    })
            else { return sendInTask(answer, to: request, since: start, log) }
            return
        }
        // HEAD gets no body, so 0 bytes are logged.
        unlessRefused(log)?.add(
            request, copy answer, bytes: request.method == .head ? 0 : answer.body.length ?? 0,
            took: start.duration(to: .now), cut: cut)
        end()
    }

    /// The log, unless the engine has refused the request for lack of memory: that is already logged.
    func unlessRefused(_ log: AccessLog?) -> AccessLog? { isRefused ? nil : log }

    /// Why the request ended early; nil if it did not; for its loop only.
    var cut: AccessLog.Cut? { isStopped || hasLeft ? whyCancelled : nil }

    var whyCancelled: AccessLog.Cut { isStopped ? .stopped : .callerLeft }

    private func stream(_ response: Response, to request: Request) async -> Int {
        begin(response.head, length: response.body.length)
        // HEAD gets no body, so a writer would be suspended forever.
        if request.method == .head { return 0 }
        let count = Guarded(0)
        let client = Client { chunk in
            try await self.write(chunk)
            count.withLock { $0 += chunk.count }
        }
        do {
            try await response.body.write(to: client)
        } catch {
            switch error {
            case is CancellationError: break
            // An upstream aborted its response, which is not an error of the gateway.
            case is TransferError: request.logger.warning("a stream was aborted: \(error)")
            default: request.logger.error("a stream was aborted: \(error)")
            }
            fail()
        }
        client.finish()
        return count.withLock { $0 }
    }
}

extension Gateway {
    /// A 502 if an upstream's header fields do not fit the connection's memory; else nil.
    fileprivate func refusesHead(
        of answer: borrowing Response, to request: Request, on exchange: Exchange
    ) -> Response? {
        guard answer.isRelayed else { return nil }
        let room = exchange.headRoom
        let bytes = answer.relayed?.text.size ?? answer.headers.bytes
        guard bytes > room else { return nil }
        let error = HTTPError(
            .badGateway,
            """
            the upstream's response has \(bytes) bytes of header fields, but only \(room) fit; raise --memory-per-connection \
            (Limits.pool)
            """)
        request.logger.warning("\(request.method) \(request.path): \(error.message)")
        var refusal = Self.refusal(error)
        finish(&refusal, for: request)
        return refusal
    }
}
