import EventLoop
import HTTPClient

/// The body of a request to an upstream: bytes from the client that are not sent yet.
///
/// For the thread of one loop only, like all state of an ``UpstreamFetch``.
struct Upload {
    /// Called once: when more bytes are accepted, or with an error if none will be.
    typealias Room = (Result<Void, any Error>) -> Void

    private enum State {
        /// More bytes may follow. `room` is set while the client's side waits.
        case open(room: Room?)
        /// The body is complete; the buffered bytes are the last.
        case ended
        /// The upstream reads no more, or the client has disconnected.
        case stopped
    }

    /// From this number of buffered bytes on, the client's side has to wait.
    private static let limit = 40 << 10

    private var state: State
    private var waiting: [UInt8] = []

    static var none: Upload { Upload(state: .ended) }
    static var open: Upload { Upload(state: .open(room: nil)) }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Appends a part of the body; `room` is called when the next part is accepted.
    mutating func bring(_ bytes: [UInt8], room: @escaping Room) {
        guard isOpen else { return room(.failure(CancellationError())) }
        waiting = waiting.isEmpty ? bytes : waiting + bytes
        state = .open(room: room)
        giveRoom()
    }

    mutating func end() { if isOpen { state = .ended } }

    /// Stops sending; a waiting client's side gets a `CancellationError`.
    mutating func stop() {
        guard case .open(let room) = state else { return }
        state = .stopped
        waiting = []
        room?(.failure(CancellationError()))
    }

    /// Moves bytes to a buffer and returns their number: 0 at the end, nil if there are none yet, or after a stop.
    mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        switch state {
        case .stopped: return nil
        case .open where waiting.isEmpty: return nil
        case .open, .ended: break
        }
        let count = min(buffer.count, waiting.count)
        buffer.copyBytes(from: waiting[..<count])
        waiting.removeFirst(count)
        giveRoom()
        return count
    }

    private mutating func giveRoom() {
        guard case .open(let room?) = state, waiting.count < Self.limit else { return }
        state = .open(room: nil)
        room(.success(()))
    }
}

extension UpstreamFetch {
    func pump(_ body: Request.Body) {
        Task.immediateDetached(executorPreference: loop) { [self] in
            do {
                for try await chunk in body { try await send(chunk) }
                endUpload()
            } catch {
                // The client has disconnected, or a response has begun, so the engine drops the rest of the body.
                giveUpUpload()
            }
        }
    }

    /// Sends a part of the body; suspends while the upstream reads more slowly.
    private func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            loop.perform { [self] in
                own.value.upload.bring(bytes) { continuation.resume(with: $0) }
                transfer?.resumeSending()
                // The upstream may read no more of the body until its response is read.
                if case .held = own.value.answer { readAhead() }
            }
        }
    }

    private func endUpload() {
        loop.perform { [self] in
            guard own.value.upload.isOpen else { return }
            own.value.upload.end()
            transfer?.resumeSending()
            begin()
        }
    }

    /// Called when the request body was aborted; the upstream must not take it for complete, but a begun response
    /// continues.
    private func giveUpUpload() {
        loop.perform { [self] in
            guard own.value.upload.isOpen else { return }
            own.value.upload.stop()
            switch own.value.answer {
            case .none, .over, .unread, .task, .exchange: transfer?.stopSending()
            case .awaited, .held:
                transfer?.cancel()
                ended(TransferError(.malformed, "the request to \(host) was aborted before its end"))
            }
        }
    }
}
