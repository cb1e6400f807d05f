import Drawbridge
import EventLoop
import HTTPClient

/// The body of a request to an upstream: the bytes that its sender has brought and that are not sent yet.
///
/// It is used on one loop's thread alone, as all state of an ``UpstreamFetch``.
struct Upload {
    /// Called once, when there is room for more, or with an error when no more is wanted.
    typealias Room = (Result<Void, any Error>) -> Void

    private enum State {
        /// More is to come, and its sender may be waiting for room.
        case open(room: Room?)
        /// The body ends with the bytes that wait.
        case ended
        /// The server takes no more, or the sender has left.
        case stopped
    }

    /// From this number of unsent bytes on, the sender has to wait.
    private static let limit = 40 << 10

    private var state: State
    private var waiting: [UInt8] = []

    static var none: Upload { Upload(state: .ended) }
    static var open: Upload { Upload(state: .open(room: nil)) }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Adds a part of the body; `room` is called when the next one can be added.
    mutating func bring(_ bytes: [UInt8], room: @escaping Room) {
        guard isOpen else { return room(.failure(CancellationError())) }
        waiting = waiting.isEmpty ? bytes : waiting + bytes
        state = .open(room: room)
        giveRoom()
    }

    mutating func end() { if isOpen { state = .ended } }

    /// Stops sending; a sender that waits for room gets a `CancellationError`.
    mutating func stop() {
        guard case .open(let room) = state else { return }
        state = .stopped
        waiting = []
        room?(.failure(CancellationError()))
    }

    /// Moves bytes to a buffer and returns how many: 0 at the end, nil where there are none for now, or none any more.
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

// The body of the request.
extension UpstreamFetch {
    func pump(_ body: Request.Body) {
        Task.immediateDetached(executorPreference: loop) { [self] in
            do {
                for try await chunk in body { try await send(chunk) }
                endUpload()
            } catch {
                // The sender of the body has left; or the answer has begun, and the engine drops the rest of the body.
                giveUpUpload()
            }
        }
    }

    /// Sends a part of the body, and waits while the server is slower.
    private func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            loop.perform { [self] in
                own.value.upload.bring(bytes) { continuation.resume(with: $0) }
                transfer?.resumeSending()
                // The server may read no more of the body until its answer is read.
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

    /// Called when the body breaks off: the server must not take it for complete; an answer that has begun goes on.
    private func giveUpUpload() {
        loop.perform { [self] in
            guard own.value.upload.isOpen else { return }
            own.value.upload.stop()
            switch own.value.answer {
            case .none, .over, .unread, .task, .exchange: transfer?.stopSending()
            case .awaited, .held:
                transfer?.cancel()
                ended(TransferError(.malformed, "\(host) was sent a request that broke off half way"))
            }
        }
    }
}
