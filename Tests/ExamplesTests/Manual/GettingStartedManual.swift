import DrawbridgeServer
import DrawbridgeTesting
import Testing

@testable import hello

// The manual's code that no example has: these files are what README.md and the articles are cut from.

/// All that the server and the tests use of this library.
public func registerHandlers(on gateway: Gateway) throws {
    try gateway.register(HelloHandler.self, at: "/hello")
}

@Suite struct HelloTests {
    @Test func greets() async throws {
        let gateway = Gateway()
        try registerHandlers(on: gateway)

        let output = try await gateway.call("/hello", ["name": "Ann"]).output()
        #expect(output == ["greeting": "Hello, Ann!"])
    }
}

/// Compiled, and run by no test: its port may be taken.
func serveHello() async throws {
    let gateway = Gateway(passThrough: [.staticFiles("public")])
    try gateway.register(HelloHandler.self, at: "/hello")  // built fresh for each request
    try await gateway.run(.init(port: 8080))  // until its task is cancelled
}
