import EventLoop

extension Transfer {
    func goOnSending() {
        while case .open(let connection, _) = own.value.way {
            while own.value.sentCount < own.value.outgoing.count {
                let sent = own.value.sentCount
                let count = own.value.outgoing.withUnsafeBytes { bytes in
                    connection.write(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
                }
                // The server has closed its side. Stop sending, but read what it has sent before.
                guard let count else { return stopSending(tellsOwner: own.value.hasHeard) }
                guard count > 0 else { return }
                own.value.sentCount += count
                own.value.hasSent = true
                own.value.moved = Loop.now
            }
            own.value.outgoing = []
            own.value.sentCount = 0
            guard fillOutgoing() else { return endIfOver() }
        }
    }

    /// Moves the next part of the body to `outgoing`; returns false if there is none (yet).
    private func fillOutgoing() -> Bool {
        switch own.value.sending {
        case .nothing, .waiting, .stopped: return false
        case .bytes(let bytes):
            own.value.outgoing = bytes
            own.value.sending = .nothing
        case .stream(let isChunked):
            guard let count = owner?.fill(client.buffer) else {
                own.value.sending = .waiting(isChunked: isChunked)
                return false
            }
            own.value.hasFilled = true
            if count == 0 { own.value.sending = .nothing }
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(client.buffer)[..<count])
            own.value.outgoing =
                isChunked
                ? Array("\(String(count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A] : Array(bytes)
        }
        return !own.value.outgoing.isEmpty
    }

    /// Stops sending: the server answered without success or has closed, or a streamed body was aborted.
    ///
    /// - Parameter tellsOwner: false while the request may be repeated on another connection.
    package func stopSending(tellsOwner: Bool = true) {
        own.value.sending = .stopped
        own.value.outgoing = []
        own.value.sentCount = 0
        own.value.isReusable = false
        if tellsOwner { owner?.sendingStopped() }
        endIfOver()
    }
}
