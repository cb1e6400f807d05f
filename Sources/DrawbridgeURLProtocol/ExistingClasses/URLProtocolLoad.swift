import Drawbridge
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A running instance of a `URLProtocol` class, and the client to which it reports.
///
/// The instance is started and stopped on a serial queue of this load, and calls its client on any thread. Calls after
/// it has finished, failed, redirected or was stopped are ignored and counted.
final class URLProtocolLoad: NSObject, Sendable {
    enum Event: Sendable {
        case redirected(URLRequest, URLResponse)
        case received(URLResponse, URLCache.StoragePolicy)
        case loaded([UInt8])
        case finished
        case failed(any Error)
        case stopped
    }

    private struct State {
        /// The response, until `next()` returns it.
        var response: Event?
        var hasResponse = false
        var data: [UInt8] = []
        /// The final event: redirected, finished, failed or stopped.
        var end: Event?
        var reader: CheckedContinuation<Void, Never>?
        /// Threads that are blocked until `data` is read.
        var writers: [DispatchSemaphore] = []
    }

    private let type: URLProtocol.Type
    /// The instance refers to this load as its client; the cycle is broken when it is stopped.
    private let instance = QueueBound<URLProtocol?>(nil, label: "drawbridge.urlprotocol")
    private let state = Mutex(State())

    /// The number of unread bytes above which a thread that delivers more is blocked.
    private static let room = 1 << 20

    init(_ type: URLProtocol.Type) { self.type = type }

    /// Makes the instance and starts it, unless `stop()` was called before.
    func start(_ request: URLRequest) {
        instance.async { [self] instance in
            guard state.withLock({ $0.end == nil }) else { return }
            let made = type.init(
                request: type.canonicalRequest(for: request), cachedResponse: nil, client: self)
            instance = made
            made.startLoading()
        }
    }

    /// Ends the load, and stops the instance if it was not stopped yet.
    func stop() {
        _ = add { state in
            state.end = .stopped
            return true
        }
    }

    /// Waits for the next event; after the final event, returns that one again.
    func next() async -> Event {
        while true {
            if let event = take() { return event }
            await withCheckedContinuation { reader in
                let isThere = state.withLock { state in
                    guard state.response == nil, state.data.isEmpty, state.end == nil else { return true }
                    state.reader = reader
                    return false
                }
                if isThere { reader.resume() }
            }
        }
    }

    private func take() -> Event? {
        var writers: [DispatchSemaphore] = []
        let event = state.withLock { state -> Event? in
            if let response = state.response.take() { return response }
            guard !state.data.isEmpty else { return state.end }
            swap(&writers, &state.writers)
            defer { state.data = [] }
            return .loaded(state.data)
        }
        for writer in writers { writer.signal() }
        return event
    }

    /// Stores the response, which is read before the data; a second response is ignored.
    func receive(_ response: URLResponse, _ policy: URLCache.StoragePolicy) {
        let isTaken = add { state in
            guard !state.hasResponse else { return false }
            state.hasResponse = true
            state.response = .received(response, policy)
            return true
        }
        if !isTaken { Gateway.droppedAnswers.add(1, ordering: .relaxed) }
    }

    /// Stores data; blocks while more than ``room`` is unread, so that a slow reader slows down the writer.
    ///
    /// It does not block in a task, which could hold the thread that the reader needs.
    func load(_ data: Data) {
        guard !data.isEmpty else { return }
        let mayWait = withUnsafeCurrentTask { $0 == nil }
        let space = DispatchSemaphore(value: 0)
        var isFull = false
        let isTaken = add { state in
            state.data += data
            isFull = mayWait && state.data.count > Self.room
            if isFull { state.writers.append(space) }
            return true
        }
        if !isTaken { Client.dropped.add(1, ordering: .relaxed) }
        if isFull { space.wait() }
    }

    func end(with event: Event, unlessResponded: Bool = false) {
        let isTaken = add { state in
            guard !unlessResponded || !state.hasResponse else { return false }
            state.end = event
            return true
        }
        if !isTaken { Gateway.droppedAnswers.add(1, ordering: .relaxed) }
    }

    /// Changes the state; returns false if the load is over, or if `note` returns false.
    ///
    /// After releasing the lock it wakes the reader; at the end also the writers, and it stops the instance.
    private func add(_ note: (inout State) -> Bool) -> Bool {
        var reader: CheckedContinuation<Void, Never>?
        var writers: [DispatchSemaphore] = []
        var isOver = false
        let isTaken = state.withLock { state in
            guard state.end == nil, note(&state) else { return false }
            reader = state.reader.take()
            isOver = state.end != nil
            if isOver { swap(&writers, &state.writers) }
            return true
        }
        reader?.resume()
        for writer in writers { writer.signal() }
        if isOver { instance.async { $0.take()?.stopLoading() } }
        return isTaken
    }
}

// The calls that the instance makes to its client, on any thread.
extension URLProtocolLoad: URLProtocolClient {
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        end(with: .redirected(request, redirectResponse), unlessResponded: true)
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        receive(response, policy)
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        receive(cachedResponse.response, cachedResponse.storagePolicy)
        load(cachedResponse.data)
        end(with: .finished)
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { load(data) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { end(with: .finished) }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        end(with: .failed(error))
    }

    /// Continues without a credential, since there is nobody who could be asked for one.
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        challenge.sender?.continueWithoutCredential(for: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}
