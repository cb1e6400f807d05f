import DrawbridgeServer
import Glibc
import TestSupport
import Testing

/// Pages that ask now and then: Node closes a connection that nobody used for 5 seconds, and a POST that is on its way
/// then gets no answer, and may not be sent twice.
@Suite("Pauses between requests", .timeLimit(.minutes(5))) struct PausesTests {
    /// Seconds; more of them where there is time.
    private static let pauses: [Double] = getenv("DRAWBRIDGE_ALL") == nil ? [5] : [5, 7.5, 4.99, 7.5, 5.01]

    private static let server = """
        const fs = require('fs');
        const [certificate, key] = process.argv.slice(1);
        const identity = { cert: fs.readFileSync(certificate), key: fs.readFileSync(key) };
        const server = require('https').createServer(identity, (request, response) => {
            let count = 0;
            request.on('data', piece => { count += piece.length; });
            request.on('end', () => response.end('got ' + count));
        });
        server.listen(0, '127.0.0.1', () => console.log('listening on https://127.0.0.1:' + server.address().port));
        """

    @Test func everyPOSTIsAnsweredHoweverLongThePauseBeforeIt() async throws {
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        let node = try Program("node", ["-e", Self.server, certificate, key])
        var options = Upstream.Options()
        options.certificates = certificate
        try await fronting("https://127.0.0.1:\(try await node.port())", options) { port in
            let clients = try await blocking { try (0..<8).map { _ in try RawClient(port, timeout: 30) } }
            for pause in [0] + Self.pauses {
                try await Task.sleep(for: .seconds(pause))
                // All at once, so that there are as many connections behind the gateway.
                let texts = try await withThrowingTaskGroup { group in
                    for client in clients {
                        group.addTask {
                            try await blocking {
                                try client.send(
                                    "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
                                return try client.reply().text
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(texts == Array(repeating: "got 5", count: 8), "after \(pause) seconds")
            }
        }
        withExtendedLifetime((certificates, node)) {}
    }
}
