import Dispatch
import Drawbridge
import DrawbridgeServer
import Glibc
import HTTPTypes
import Synchronization
import Testing

/// The core on the engine, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct GatewayServerTests {
    private static func server(
        _ gateway: Gateway, grace: Duration = .milliseconds(200)
    ) throws -> (server: GatewayServer, port: UInt16) {
        let server = try GatewayServer(gateway, .init(port: 0, grace: grace, logsRequests: false))
        return (server, UInt16(server.address.port))
    }

    @Test func aHandlerIsReachedAndAnswers() async throws {
        let gateway = Gateway()
        gateway.register(Echo.self, at: "/echo")
        let (server, port) = try Self.server(gateway)
        let answer = try await Socket.ask(
            port,
            "GET /echo?_mobile_bridge=1&a=%C3%A9 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("\r\nContent-Length: 43\r\n"))
        #expect(answer.hasSuffix(#"{"code":200,"data":{"a":"é"},"message":""}"#))
        await server.stop()
    }

    @Test func aBodyIsReadAsAStreamByAHandlerThatAsks() async throws {
        let gateway = Gateway(bodyLimit: 10)
        gateway.register(Count.self, at: "/count")
        gateway.register(Echo.self, at: "/echo")
        let (server, port) = try Self.server(gateway)
        let body = String(repeating: "x", count: 3 << 20)
        let head = "Host: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let streamed = try await Socket.ask(port, "POST /count?_mobile_bridge=1 HTTP/1.1\r\n\(head)\(body)")
        #expect(streamed.hasSuffix(#"{"code":200,"data":3145728,"message":""}"#))
        let collected = try await Socket.ask(port, "POST /echo?_mobile_bridge=1 HTTP/1.1\r\n\(head)\(body)")
        #expect(collected.hasPrefix("HTTP/1.1 413 "))
        #expect(
            collected.contains(#"{"code":413,"message":"the body has 3145728 bytes, and 10 are taken here"}"#)
        )
        await server.stop()
    }

    @Test func aStreamIsSentInChunksAndWaitsForItsReader() async throws {
        let gateway = Gateway()
        gateway.register(Numbers.self, at: "/numbers")
        let (server, port) = try Self.server(gateway)
        let answer = try await Socket.ask(
            port, "GET /numbers?_mobile_bridge=1&count=20000 HTTP/1.0\r\nHost: localhost\r\n\r\n")
        let lines = answer.split(separator: "\r\n\r\n").last?.split(separator: "\n") ?? []
        #expect(lines.count == 20000)
        #expect(lines.last == "20000")
        await server.stop()
    }

    @Test func whatIsRefusedBeforeAHandlerHasItsTrueStatus() async throws {
        let (server, port) = try Self.server(Gateway())
        let answer = try await Socket.ask(
            port,
            "POST /x?_mobile_bridge=1 HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 403 "))
        #expect(answer.contains("--allowed-hosts evil.example"))
        await server.stop()
    }

    /// A long poll of a page that was closed must not stay.
    @Test func everyHandlerHearsThatItsCallerHasLeft() async throws {
        let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 1 : 5
        let atOnce = 1000
        let tally = Tally()
        let gateway = Gateway()
        gateway.register(at: "/wait") { Wait(tally: tally) }
        let (server, port) = try Self.server(gateway)
        _ = try await Socket.ask(port, "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let descriptors = try Self.descriptors()
        var memory: [Int] = []
        for round in 1...rounds {
            do {
                let callers = try (0..<atOnce).map { _ in
                    let socket = try Socket(port)
                    socket.send("GET /wait?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    return socket
                }
                await tally.wait { $0.started == round * atOnce }
                for caller in callers { caller.close() }
            }
            await tally.wait { $0.stopped == round * atOnce && $0.ended == round * atOnce }
            memory.append(try Self.residentKilobytes())
        }
        #expect(tally.now.stopped == rounds * atOnce)
        // The last connections close a moment after their handlers have heard.
        while try Self.descriptors() > descriptors { await Task.yield() }
        if rounds > 2 { #expect(memory[rounds - 1] - memory[1] < 4096, "\(memory)") }
        await server.stop()
    }

    private static func descriptors() throws -> Int {
        let folder = try #require(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private static func residentKilobytes() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 256)
        fgets(&text, Int32(text.count), file)
        let fields = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        return (Int(fields[1]) ?? 0) * 4
    }
}

private struct Echo: JSONHandler {
    func handle(_ input: JSON) async throws -> JSON { input }
}

private struct Count: Handler {
    static var bodyMode: BodyMode { .streamed }

    func startLoading(_ request: Request) async throws -> Response {
        var count = 0
        for try await chunk in request.body { count += chunk.count }
        return try Response(output: count)
    }
}

private struct Numbers: Handler {
    func startLoading(_ request: Request) async throws -> Response {
        let count = request.query["count"].flatMap { Int($0) } ?? 0
        return Response(contentType: "text/plain") { client in
            for number in 1...count { try await client.didLoad("\(number)\n") }
        }
    }
}

/// Waits until it is cancelled, and reports what it goes through.
private struct Wait: Handler {
    static var deadline: Duration? { nil }

    let tally: Tally

    func startLoading(_ request: Request) async throws -> Response {
        tally.count { $0.started += 1 }
        defer { tally.count { $0.ended += 1 } }
        try await Task.sleep(for: .seconds(3600))
        return Response()
    }

    func stopLoading() { tally.count { $0.stopped += 1 } }
}

/// Counts, and wakes whoever waits for a count.
private final class Tally: Sendable {
    struct Counts {
        var started = 0
        var stopped = 0
        var ended = 0
    }

    private struct State {
        var counts = Counts()
        var waiter: (isDone: @Sendable (Counts) -> Bool, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var now: Counts { state.withLock { $0.counts } }

    func count(_ change: (inout Counts) -> Void) {
        let ready = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state.counts)
            guard let waiter = state.waiter, waiter.isDone(state.counts) else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        ready?.resume()
    }

    func wait(until isDone: @escaping @Sendable (Counts) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if !isDone(state.counts) { state.waiter = (isDone, continuation) }
                return isDone(state.counts)
            }
            if isNow { continuation.resume() }
        }
    }
}

/// A blocking TCP connection to this machine.
private final class Socket: Sendable {
    struct Failure: Error { let code: Int32 }

    private let descriptor: Int32

    init(_ port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard code == 0 else { throw Failure(code: errno) }
    }

    deinit { Glibc.close(descriptor) }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func readAll() -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer.prefix(count)
        }
    }

    /// Sends a request and reads until the server closes.
    static func ask(_ port: UInt16, _ request: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "test.socket").async {
                continuation.resume(
                    with: Result {
                        let socket = try Socket(port)
                        socket.send(request)
                        return socket.readAll()
                    })
            }
        }
    }
}
