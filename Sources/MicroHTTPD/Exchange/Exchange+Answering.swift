import EventLoop
public import HTTPTypes
import Synchronization

// For the closure that answers, from any thread.
extension Exchange {
    /// The head; `Host` has become its authority, framing headers are gone.
    public var request: HTTPRequest { head.request }

    /// True when the target was a whole URL, whose host took the place of `Host` (RFC 9112, section 3.2.2).
    public var isAbsoluteForm: Bool { head.isAbsoluteForm }

    /// How many bytes of header fields an answer may have; with more of them the library closes the connection.
    ///
    /// They are in the connection's memory together with those of the request.
    package var headRoom: Int { head.room(in: worker.server.limits.pool) }

    /// Answers by a task, which is cancelled when the caller leaves, and whose end ends the answer.
    ///
    /// It starts on the spot when this is called on the loop: a task that does not suspend has answered when this
    /// returns.
    package func run(_ operation: @escaping @Sendable () async -> Void) {
        loop.perform { [self] in
            guard case .underWay(nil, _) = own.value.handler else { return }
            let task = Task.immediateDetached(executorPreference: loop) { [self] in
                await operation()
                loop.perform { self.returned() }
            }
            guard case .underWay(_, let cancel) = own.value.handler else { return }
            own.value.handler = .underWay(task, cancel: cancel)
            if hasLeft { task.cancel() }
        }
    }

    /// Answers without a task: `cancel` is called when the caller leaves before ``end()``.
    package func onLeave(_ cancel: @escaping @Sendable () -> Void) {
        loop.perform { [self] in
            guard case .underWay(let task, _) = own.value.handler else { return }
            if hasLeft { cancel() } else { own.value.handler = .underWay(task, cancel: cancel) }
        }
    }

    /// Called by what answers without a task, when it is done.
    package func end() { loop.perform { self.returned() } }

    /// The next part of a streamed body, nil after the last.
    ///
    /// - Throws: `CancellationError` when the caller left before the end, a ``BodyDropped`` when the answer has begun.
    public func nextChunk() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[UInt8]?, any Error>) in
            loop.perform { [self] in
                own.value.incoming.next(continuation)
                if own.value.incoming.hasRoom, own.value.incoming.isOpen { resume() }
            }
        }
    }

    /// Reserves so many bytes in the memory for all bodies, in place of what this exchange has reserved before.
    ///
    /// For what is kept of a streamed body, and of an answer that cannot begin yet. It is given back at the end of the
    /// exchange.
    ///
    /// - Throws: a ``NoRoom`` where there is none. The caller gets a 503 then, and no other answer is sent.
    package func reserve(_ count: Int) throws(NoRoom) {
        guard count > 0 else { return bodyShare.giveBack() }
        guard !bodyShare.replace(by: count) else { return }
        wasRefused.store(true, ordering: .relaxed)
        loop.perform { [self] in set(worker.noRoom("\(count) bytes for \(head.target)")) }
        throw NoRoom(limit: worker.server.bodyMemory.limit)
    }

    /// Sends an answer that is complete.
    public func send(_ head: HTTPResponse, _ body: [UInt8]) {
        loop.perform { self.set(Answer(head, .bytes(body))) }
    }

    /// Sends an answer that is complete.
    ///
    /// - Parameters:
    ///   - headers: header fields.
    ///   - fixed: more of them, which other answers have too, as C strings: a name, its value, the next name.
    ///   - added: more of them, of this answer alone, written as `fixed` is.
    package func send(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, fixed: [UInt8],
        adding added: UnsafeRawBufferPointer, _ body: [UInt8]
    ) {
        if loop.isCurrent, case .wanted = own.value.answering, headers.isEmpty,
            body.count <= ReusableResponse.longest
        {
            queue(status.code, fixed, added, body)
        } else {
            let answer = Answer(status, headers, fixed: fixed, adding: Array(added), .bytes(body))
            loop.perform { self.set(answer) }
        }
    }

    /// Sends an answer whose body is a part of a file, which its owner keeps open until then.
    public func send(
        _ head: HTTPResponse, file descriptor: Int32, owner: any AnyObject & Sendable, offset: Int,
        length: Int
    ) {
        let answer = Answer(head, .file(descriptor, owner: owner, offset: offset, length: length))
        loop.perform { self.set(answer) }
    }

    /// Sends the head of an answer whose body comes by ``write(_:)``, and ends when the closure returns.
    ///
    /// - Parameters:
    ///   - head: status and header fields; those that frame the body are the engine's own.
    ///   - length: the number of bytes of the body if it is known; else HTTP/1.1 gets chunks.
    public func begin(_ head: HTTPResponse, length: Int?) {
        loop.perform { [self] in
            guard !isAnswered else { return }
            // To HEAD only the head is sent, and `write` throws, as nobody reads.
            if self.head.method != .head { own.value.rest = .written(Outgoing(length: length)) }
            set(Answer(head, .stream(length: length)))
        }
    }

    /// Sends a part of the body, and waits while the reader is slower.
    ///
    /// - Throws: `CancellationError` when the reader has gone.
    public func write(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.perform { [self] in
                guard !hasLeft, let outgoing = own.value.rest.outgoing else {
                    return continuation.resume(throwing: CancellationError())
                }
                outgoing.append(bytes, in: worker.server.bodyMemory, continuation)
                if case .queued = own.value.answering { resume() }
            }
        }
    }

    /// Breaks the transfer off, so that the caller does not take the body for complete.
    public func fail() {
        loop.perform { [self] in
            own.value.rest.outgoing?.fail()
            resume()
        }
    }
}
