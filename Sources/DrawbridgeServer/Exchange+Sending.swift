import Drawbridge
import EventLoop
import HTTPClient
import HTTPTypes
import Logging
import MicroHTTPD

// Sends the gateway's responses by the engine.
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

    /// Sends a gateway's response; a 502 instead if its header fields do not fit the connection's memory.
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

    /// Sends a response: at once where its body is complete, by the engine where that can fetch it, else in a task.
    private func deliver(
        _ answer: borrowing Response, to request: Request, since start: ContinuousClock.Instant,
        _ log: AccessLog?, cut: AccessLog.Cut?
    ) {
        switch answer.body {
        case .bytes(let bytes), .output(let bytes):
            answer.withAddedText { added in
                send(answer.status, answer.ownHeaders, fixed: answer.fixedText, adding: added, bytes)
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
        // To HEAD no body is sent.
        unlessRefused(log)?.add(
            request, copy answer, bytes: request.method == .head ? 0 : answer.body.length ?? 0,
            took: start.duration(to: .now), cut: cut)
        end()
    }

    /// The log, unless the engine has refused the request for lack of memory, which is logged already.
    func unlessRefused(_ log: AccessLog?) -> AccessLog? { isRefused ? nil : log }

    /// Why the request ended early, if it did; only on its loop.
    var cut: AccessLog.Cut? { isStopped || hasLeft ? whyCancelled : nil }

    var whyCancelled: AccessLog.Cut { isStopped ? .stopped : .callerLeft }

    /// Streams a response, and returns how many bytes of its body were sent.
    private func stream(_ response: Response, to request: Request) async -> Int {
        begin(response.head, length: response.body.length)
        // The body of a response to HEAD is never read, so its writer would wait for ever.
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
            // A server behind the gateway broke the stream off, so it is not the gateway's error.
            case is TransferError: request.logger.warning("a stream broke off: \(error)")
            default: request.logger.error("a stream broke off: \(error)")
            }
            fail()
        }
        client.finish()
        return count.withLock { $0 }
    }
}

extension Gateway {
    /// The 502 for an upstream's response with more header fields than there is room for; nil where they fit.
    fileprivate func refusesHead(
        of answer: borrowing Response, to request: Request, on exchange: Exchange
    ) -> Response? {
        guard answer.isRelayed else { return nil }
        let room = exchange.headRoom
        let bytes = answer.headers.bytes
        guard bytes > room else { return nil }
        let error = HTTPError(
            .badGateway,
            """
            the answer from behind has \(bytes) bytes of header fields, and \(room) fit; raise --memory-per-connection \
            (Limits.pool)
            """)
        request.logger.warning("\(request.method) \(request.path): \(error.message)")
        var refusal = Self.refusal(error)
        finish(&refusal, for: request)
        return refusal
    }
}
