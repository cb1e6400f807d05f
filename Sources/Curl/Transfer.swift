import CCurl
import Glibc

/// One request to another server and its answer, on an ``HTTPClient``.
///
/// It is touched on the client's thread only.
package final class Transfer {
    let request: TransferRequest
    let isGuarded: Bool

    /// Kept until the end.
    private var owner: (any TransferOwner)?
    private let client: HTTPClient

    /// Libcurl's part; nil before the start and after the end.
    private var easy: Easy?
    /// Where it stands among the client's.
    var place = -1
    private var sentBytes = 0
    private var attempts = 0
    package private(set) var isReceivingPaused = false
    private var isSendingPaused = false
    private var isAnswered = false
    /// When the other side was last given something, or had to be waited for.
    private var moved = 0
    /// What it ends with, whatever libcurl says.
    private var failure: TransferError?

    /// Makes a transfer.
    ///
    /// - Parameters:
    ///   - isGuarded: whether the owner is asked about every address.
    ///   - owner: who gets the answer; they keep each other until the end.
    package init(
        _ request: TransferRequest, on client: HTTPClient, isGuarded: Bool = false,
        for owner: any TransferOwner
    ) {
        self.request = request
        self.client = client
        self.isGuarded = isGuarded
        self.owner = owner
    }

    /// Sends the request.
    package func start() {
        moved = client.now
        let easy = client.takeEasy()
        self.easy = easy
        easy.set(request)
        easy.user = self
        client.add(self, easy)
    }

    /// Wants again what ``TransferOwner/receive(body:)`` did not take.
    package func resumeReceiving() {
        guard isReceivingPaused, let easy else { return }
        isReceivingPaused = false
        client.go(on: easy, isSendingPaused: isSendingPaused)
    }

    /// There is more of a streamed body, or its end.
    package func resumeSending() {
        guard isSendingPaused, let easy else { return }
        isSendingPaused = false
        moved = client.now
        client.go(on: easy, isReceivingPaused: isReceivingPaused)
    }

    /// The answer has begun, and may take its time.
    package func isAnsweredNow() { isAnswered = true }

    /// Ends it; the owner hears nothing more.
    package func cancel() {
        owner = nil
        end()
    }

    private func end() {
        guard let easy else { return }
        self.easy = nil
        client.remove(self, easy)
    }

    private func end(with error: TransferError?) {
        let owner = owner
        self.owner = nil
        end()
        owner?.ended(error)
    }

    /// Ends it when the head of its answer is too late.
    func check(at now: Int) {
        guard !isAnswered, !isSendingPaused, now - moved > request.headLimit else { return }
        end(with: .noAnswer(of: request.host, within: request.headLimit))
    }
}

extension Transfer: EasyUser {
    func isDone(_ code: CURLcode) {
        guard let easy else { return }
        end(with: code == CURLE_OK ? nil : failure ?? easy.error(code, from: request.host))
    }

    func receive(line: UnsafeRawBufferPointer) -> Bool {
        var count = line.count
        if count > 0, line[count - 1] == UInt8(ascii: "\n") { count -= 1 }
        if count > 0, line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        do {
            try owner?.receive(line: UnsafeRawBufferPointer(rebasing: line[..<count]))
            return owner != nil
        } catch {
            failure = error
            return false
        }
    }

    func receive(body: UnsafeRawBufferPointer) -> Bool {
        guard owner?.receive(body: body) != false else {
            isReceivingPaused = true
            return false
        }
        return true
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        moved = client.now
        switch request.body {
        case .none: return 0
        case .bytes(let bytes):
            let count = min(buffer.count, bytes.count - sentBytes)
            guard count > 0 else { return 0 }
            bytes.withUnsafeBytes { bytes in
                buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[sentBytes..<sentBytes + count]))
            }
            sentBytes += count
            return count
        case .stream:
            guard let count = owner?.fill(buffer) else {
                isSendingPaused = true
                return nil
            }
            sentBytes += count
            return count
        }
    }

    func rewind(to offset: Int) -> Bool {
        switch request.body {
        case .none, .bytes:
            sentBytes = offset
            return true
        case .stream:
            return offset == sentBytes
        }
    }

    func isPrepared(for address: [UInt8], port: Int) -> Bool {
        attempts += 1
        // Libcurl itself asks again where a connection that it used before went without an answer.
        if attempts > (request.isIdempotent ? 2 : 1) {
            failure = TransferError(
                .malformed, "\(request.host) closed the connection before it answered \(request.method)")
            return false
        }
        return mayReach(address, port: port)
    }

    func mayReach(_ address: [UInt8], port: Int) -> Bool {
        guard isGuarded, let owner else { return true }
        do {
            try owner.mayReach(address, port: port)
            return true
        } catch {
            failure = error
            return false
        }
    }
}
