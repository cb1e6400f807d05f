import Dispatch
import EngineSupport
import Glibc
import HTTPTypes
import MicroHTTPD
import Synchronization
import TestSupport
import Testing

extension OneAtATime {
    /// Many at once: no error, no stall, no answer to the wrong one.
    struct ManyAtOnceTests {
        private actor Counter {
            var count = 0
            func next() -> Int {
                count += 1
                return count
            }
        }

        @Test(arguments: [128, 512, 1000], [1, 3])
        func manyConnectionsAtOnceAreAllServed(_ connections: Int, _ loops: Int) async throws {
            let counter = Counter()
            try await withServer(loops: loops) { exchange in
                let path = exchange.request.path ?? ""
                switch path.utf8.last.map({ $0 % 4 }) {
                case 0: break
                case 1: try? await Task.sleep(for: .milliseconds(3))
                case 2: _ = await counter.next()
                default:
                    _ = await counter.next()
                    await Task.yield()
                    try? await Task.sleep(for: .milliseconds(1))
                    _ = await counter.next()
                }
                ok(exchange, path)
            } test: { server in
                let port = server.port
                let errors = try await blocking {
                    let clients = try (0..<connections).map { _ in try RawClient(port) }
                    var errors = 0
                    for round in 0..<4 {
                        for (index, client) in clients.enumerated() {
                            try client.send("GET /\(round)/\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
                        }
                        for (index, client) in clients.enumerated()
                        where try client.reply().text != "/\(round)/\(index)" { errors += 1 }
                    }
                    return errors
                }
                #expect(errors == 0)
            }
        }

        @Test func manyOtherThreadsMayAnswerOneExchangeAtOnce() async throws {
            try await withServer(loops: 2) { exchange in
                let path = exchange.request.path ?? ""
                if path.hasPrefix("/stream") { exchange.begin(HTTPResponse(status: .ok), length: nil) }
                await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                    let group = DispatchGroup()
                    for index in 0..<4 {
                        DispatchQueue.global().async(group: group) {
                            if path.hasPrefix("/send") {
                                ok(exchange, path)
                            } else if path.hasPrefix("/fail"), index == 3 {
                                exchange.begin(HTTPResponse(status: .ok), length: nil)
                                exchange.fail()
                            } else {
                                exchange.begin(HTTPResponse(status: .ok), length: nil)
                            }
                            _ = exchange.body
                        }
                    }
                    group.notify(queue: .global()) { done.resume() }
                }
                if path.hasPrefix("/stream") {
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<8 {
                            group.addTask(executorPreference: globalConcurrentExecutor) {
                                for _ in 0..<20 {
                                    try? await exchange.write([UInt8](repeating: 1, count: 1000))
                                }
                            }
                        }
                    }
                }
            } test: { server in
                let port = server.port
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for thread in 0..<8 {
                        group.addTask {
                            let wrong = try await blocking {
                                var wrong = 0
                                for round in 0..<25 {
                                    let client = try RawClient(port)
                                    let path =
                                        ["/send", "/fail", "/stream"][round % 3] + "/\(thread)/\(round)"
                                    try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                                    let reply = try? client.reply()
                                    switch round % 3 {
                                    case 0 where reply?.text == path: break
                                    case 1 where reply == nil: break
                                    case 2 where reply?.body.count == 160_000: break
                                    default: wrong += 1
                                    }
                                }
                                return wrong
                            }
                            #expect(wrong == 0)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }

        @Test func callersThatLeaveWhileOthersAreServedDisturbNobody() async throws {
            let running = Tally()
            try await withServer(loops: 2) { exchange in
                running.add()
                defer { running.add(-1) }
                if exchange.request.path == "/leave" {
                    await Gate().pass()
                } else {
                    try? await Task.sleep(for: .milliseconds(1))
                }
                // Off the loop, while the connection may go.
                await Task.detached { for _ in 0..<20 { _ = exchange.body.count } }.value
                ok(exchange, exchange.request.path ?? "")
            } test: { server in
                let port = server.port
                async let leaving: Void = blocking {
                    for index in 0..<600 {
                        let client = try RawClient(port)
                        try client.send("POST /leave HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                        if index % 3 == 0 { usleep(500) }
                        if index % 2 == 0 { client.reset() } else { client.close() }
                    }
                }
                let wrong = try await blocking {
                    let client = try RawClient(port)
                    var wrong = 0
                    for index in 0..<300 {
                        try client.send("GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
                        if try client.reply().text != "/\(index)" { wrong += 1 }
                    }
                    return wrong
                }
                try await leaving
                #expect(wrong == 0)
                #expect(await running.reaches(0))
            }
        }

        @Test func aBodyMayBeReadOnAnyThreadWhileItsCallerLeaves() async throws {
            let ended = Tally()
            try await withServer(loops: 1) { exchange in
                let isWhole = try? await blocking {
                    var isWhole = true
                    while !ended.isLeaving { isWhole = isWhole && exchange.body.count == 3 }
                    return isWhole
                }
                #expect(isWhole == true)
                ended.add()
            } test: { server in
                let port = server.port
                try await blocking {
                    for _ in 0..<6 {
                        let client = try RawClient(port)
                        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                        usleep(500)
                        client.close()
                    }
                }
                try await Task.sleep(for: .milliseconds(20))
                ended.leave()
                #expect(await ended.reaches(6))
            }
        }

        @Test func anIdleServerUsesNoProcessor() async throws {
            try await withServer(loops: 1) { exchange in
                switch exchange.request.path {
                case "/thread": return ok(exchange, ownThread())
                case "/stream":
                    exchange.begin(HTTPResponse(status: .ok), length: nil)
                    try? await exchange.write([1])
                default: break
                }
                await Gate().pass()
            } test: { server in
                let port = server.port
                let thread = try await blocking {
                    let client = try RawClient(port)
                    try client.send("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try client.reply().text
                }
                let clients = try await blocking {
                    try (0..<200).map { index in
                        let client = try RawClient(port)
                        switch index % 4 {
                        case 0: try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        case 1: try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                        case 2: try client.send("GET / HT")
                        default: break
                        }
                        return client
                    }
                }
                #expect(try await comesToRest(thread: thread))
                for client in clients { client.close() }
            }
        }
    }
}

extension OneAtATime.ManyAtOnceTests {
    @Test func aHandlerThatYieldsAMillionTimesTakesNoMoreMemory() async throws {
        try await withServer { exchange in
            for _ in 0..<1_000_000 { await Task.yield() }
            ok(exchange, "done")
        } test: { server in
            let before = residentBytes()
            let text = try await blocking {
                let client = try RawClient(server.port, timeout: 60)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.reply().text
            }
            #expect(text == "done")
            if isAlone { #expect(residentBytes() - before < 12 << 20) }
        }
    }
}
