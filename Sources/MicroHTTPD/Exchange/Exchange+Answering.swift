import Synchronization

// For the code that answers the request; callable on any thread.
extension Exchange {
    /// The maximum size of the response's header fields in bytes; with more, the library closes the connection.
    ///
    /// They share the connection's memory with the request head.
    package var headRoom: Int { head.room(in: worker.server.limits.pool) }

    /// Answers with a task, which is cancelled if the client disconnects; the response body ends when it returns.
    ///
    /// On the loop's thread the task starts inside this call, and may have answered when this returns.
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

    /// Answers without a task; `cancel` is called if the client disconnects before ``end()``.
    package func onLeave(_ cancel: @escaping @Sendable () -> Void) {
        loop.perform { [self] in
            guard case .underWay(let task, _) = own.value.handler else { return }
            if hasLeft { cancel() } else { own.value.handler = .underWay(task, cancel: cancel) }
        }
    }

    /// Says that code that answers without a task is done.
    package func end() { loop.perform { self.returned() } }

    /// The next chunk of a streamed request body; nil at the end.
    ///
    /// - Throws: `CancellationError` if the client disconnected; ``BodyDropped`` if the response has begun.
    package func nextChunk() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[UInt8]?, any Error>) in
            loop.perform { [self] in
                own.value.incoming.next(continuation)
                if own.value.incoming.hasRoom, own.value.incoming.isOpen { resume() }
            }
        }
    }

    /// Sets how many bytes this exchange uses of the memory limit for all bodies; replaces its earlier value.
    ///
    /// For streamed request bodies that are kept, and responses that cannot be sent yet, until the end of the exchange.
    ///
    /// - Throws: ``NoRoom`` above the limit. The client then gets a 503, and any other response is ignored.
    package func reserve(_ count: Int) throws(NoRoom) {
        guard count > 0 else { return bodyShare.giveBack() }
        guard !bodyShare.replace(by: count) else { return }
        wasRefused.store(true, ordering: .relaxed)
        loop.perform { [self] in set(worker.noRoom("\(count) bytes for \(head.target)")) }
        throw NoRoom(limit: worker.server.bodyMemory.limit)
    }

    /// Sends a response with a complete body.
    ///
    /// - Parameters:
    ///   - headers: header fields.
    ///   - fixed: header fields that many responses share, as C strings: name, value, next name.
    ///   - added: header fields of this response only, in the same form as `fixed`.
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

    /// Sends a response whose body is a part of a file; `owner` keeps the file open and is retained until it is sent.
    package func send(
        _ head: HTTPResponse, file descriptor: Int32, owner: any AnyObject & Sendable, offset: Int,
        length: Int
    ) {
        let answer = Answer(head, .file(descriptor, owner: owner, offset: offset, length: length))
        loop.perform { self.set(answer) }
    }

    /// Sends a response head; the body follows by ``write(_:)``, and ends when the handler returns.
    ///
    /// - Parameters:
    ///   - head: status and header fields; framing fields are ignored, since the engine sets them.
    ///   - length: the body's size in bytes; nil if unknown, which HTTP/1.1 sends in chunks.
    package func begin(_ head: HTTPResponse, length: Int?) {
        loop.perform { [self] in
            guard !isAnswered else { return }
            // HEAD gets only the head; `write` then throws, because the client reads no body.
            if self.head.method != .head { own.value.rest = .written(Outgoing(length: length)) }
            set(Answer(head, .stream(length: length)))
        }
    }

    /// Sends a part of the body; suspends while the client reads more slowly than this writes.
    ///
    /// - Throws: `CancellationError` if the client has disconnected.
    package func write(_ bytes: [UInt8]) async throws {
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

    /// Aborts the response, so that the client does not take the body for complete.
    package func fail() {
        loop.perform { [self] in
            own.value.rest.outgoing?.fail()
            resume()
        }
    }
}
