import Drawbridge
import EventLoop
import HTTPClient

// The body of the request.
extension UpstreamFetch {
    /// Sends a body that is still on its way.
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
            case .none, .over, .begun: transfer?.stopSending()
            case .awaited, .held:
                transfer?.cancel()
                ended(TransferError(.malformed, "\(host) was sent a request that broke off half way"))
            }
        }
    }
}
