import Drawbridge
import DrawbridgeServer
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// A gateway behind the requests of a `URLSession`, with no server.
@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    /// Answers for the gateway of each test: its host tells which.
    final class TestURLProtocol: DrawbridgeURLProtocol {
        private static let gateways = Mutex<[String: Gateway]>([:])

        /// Makes a gateway reachable.
        ///
        /// - Returns: what URLs to it begin with; no network knows the host.
        static func add(_ gateway: Gateway) -> String {
            gateways.withLock { gateways in
                let host = "gateway\(gateways.count).test"
                gateways[host] = gateway
                return "https://\(host)"
            }
        }

        /// The same under a name that is there.
        static func add(_ gateway: Gateway, as host: String) { gateways.withLock { $0[host] = gateway } }

        override class func gateway(for request: URLRequest) -> Gateway? {
            request.url?.host.flatMap { host in gateways.withLock { $0[host] } }
        }
    }

    private static func session(_ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [TestURLProtocol.self]
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    private func ask(_ url: String, _ change: (inout URLRequest) -> Void = { _ in }) async throws
        -> (text: String, response: HTTPURLResponse)
    {
        var request = URLRequest(url: try #require(URL(string: url)))
        change(&request)
        let (data, response) = try await Self.session().data(for: request)
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }

    /// Answers with its input.
    struct Echo: JSONHandler {
        func handle(_ input: JSON) async throws -> JSON { input }
    }

    @Test func aHandlerAnswersInProcess() async throws {
        let gateway = Gateway.testing()
        try gateway.register(Echo.self, at: "/echo")
        let base = TestURLProtocol.add(gateway)
        let (text, response) = try await ask("\(base)/echo?_mobile_bridge=1&a=%20b#part")
        #expect(text == #"{"code":200,"data":{"a":" b"},"message":""}"#)
        #expect(response.statusCode == 200)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/json")
        #expect(response.url?.absoluteString == "\(base)/echo?_mobile_bridge=1&a=%20b#part")
        let missing = try await ask("\(base)/nothing?_mobile_bridge=1").text
        #expect(missing == #"{"code":400,"message":"No response"}"#)
    }

    /// Who may call is asked of callers from outside alone.
    @Test func theAppMayCallWithAnyHostAndOrigin() async throws {
        let gateway = Gateway.testing(access: AccessPolicy(requiresToken: true))
        gateway.answer(at: "/fields") { request in
            Response(text: request.headers.map(\.name.canonicalName).joined(separator: " "))
        }
        let url = "\(TestURLProtocol.add(gateway))/fields?_mobile_bridge=1"
        let (fields, response) = try await ask(url) {
            $0.setValue("https://elsewhere.example", forHTTPHeaderField: "Origin")
            $0.setValue("cross-site", forHTTPHeaderField: "Sec-Fetch-Site")
        }
        #expect(response.statusCode == 200)
        #expect(!fields.contains("x-drawbridge-token"))
    }

    @Test func theHandlerGetsTheSessionsMethodFieldsAndBody() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/own") { request in
            let body = String(decoding: try await request.body.collect(upTo: 1 << 20), as: UTF8.self)
            var headers: HTTPFields = [.location: "here"]
            headers.append(HTTPField(name: .setCookie, value: "a=1; Path=/"))
            headers.append(HTTPField(name: .setCookie, value: "b=2; Path=/"))
            let field = request.headers[HTTPField.Name("X-Own")!] ?? ""
            return Response(
                .accepted, headers: headers, body: .bytes(Array("\(request.method) \(field) \(body)".utf8)))
        }
        let url = "\(TestURLProtocol.add(gateway))/own?_mobile_bridge=1"
        let (text, response) = try await ask(url) { request in
            request.httpMethod = "PUT"
            request.setValue("field", forHTTPHeaderField: "X-Own")
            request.httpBody = Data("body".utf8)
        }
        #expect(text == "PUT field body")
        #expect(response.statusCode == 202 && response.value(forHTTPHeaderField: "Location") == "here")
        let fields = Dictionary(
            uniqueKeysWithValues: response.allHeaderFields.map { ("\($0.key)", "\($0.value)") })
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: try #require(response.url))
        #expect(cookies.map(\.name) == ["a", "b"])

        let streamed = try await ask(url) { request in
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        }
        #expect(streamed.text == "POST  streamed")
    }

    /// Foundation on Linux hands a completion handler the last part alone.
    @Test func anAnswerOfManyPartsIsWholeForACompletionHandler() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/parts") { _ in
            Response(contentType: "text/plain") { client in
                for number in 0..<1000 { try await client.didLoad("\(number) ") }
            }
        }
        let text = try await ask("\(TestURLProtocol.add(gateway))/parts?_mobile_bridge=1").text
        #expect(text == (0..<1000).map { "\($0) " }.joined())
    }

    /// Notes what a session tells its delegate.
    final class Delegate: NSObject, URLSessionDataDelegate {
        let journal = Notebook()
        let bytes = Atomic<Int>(0)

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            journal.note("\((response as? HTTPURLResponse)?.statusCode ?? 0)")
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            bytes.add(data.count, ordering: .relaxed)
            if data.count < 100 { journal.note(String(decoding: data, as: UTF8.self)) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
        {
            journal.note(error.map { "failed: \($0)" } ?? "done")
        }
    }

    @Test func aDelegateGetsPartsAsTheyCome() async throws {
        let delegate = Delegate()
        let gateway = Gateway.testing()
        gateway.answer(at: "/parts") { _ in
            Response(contentType: "text/plain") { client in
                try await client.didLoad("one")
                // The first is there before there is a second.
                await delegate.journal.wait(for: 2)
                try await client.didLoad("two")
            }
        }
        let url = try #require(URL(string: "\(TestURLProtocol.add(gateway))/parts?_mobile_bridge=1"))
        Self.session(delegate).dataTask(with: url).resume()
        await delegate.journal.wait(for: 4)
        #expect(delegate.journal.entries == ["200", "one", "two", "done"])
    }

    @Test func tenThousandPartsReachADelegate() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/parts") { _ in
            Response(contentType: "text/plain") { client in
                let part = [UInt8](repeating: 7, count: 1000)
                for _ in 0..<10_000 { try await client.didLoad(part) }
            }
        }
        let delegate = Delegate()
        let url = try #require(URL(string: "\(TestURLProtocol.add(gateway))/parts?_mobile_bridge=1"))
        Self.session(delegate).dataTask(with: url).resume()
        await delegate.journal.wait(for: 2)
        #expect(delegate.journal.entries == ["200", "done"])
        #expect(delegate.bytes.load(ordering: .relaxed) == 10_000_000)
    }

    @Test func requestsThatAreNotForNativeGoToTheNetworkOnce() async throws {
        struct Network: Responder {
            let journal: Notebook
            func respond(to request: Request) async throws -> Response? {
                journal.note("\(request.method) \(request.head.path ?? "")")
                return Response(text: "from the network")
            }
        }
        let journal = Notebook()
        let server = try GatewayServer(
            Gateway.testing(passThrough: [Network(journal: journal)]),
            .init(port: 0, grace: .milliseconds(200), logsRequests: false))
        TestURLProtocol.add(Gateway.testing(), as: "localhost")
        let unflagged = "http://localhost:\(server.address.port)/a?b=c"
        #expect(try await ask(unflagged).text == "from the network")
        #expect(journal.entries == ["GET /a?b=c"])
        await server.stop()
    }

    @Test func aHandlerChangesItsRequestAndLetsItGoOnToTheNetwork() async throws {
        struct Network: Responder {
            let journal: Notebook
            func respond(to request: Request) async throws -> Response? {
                let token = request.headers[HTTPField.Name("X-Drawbridge-Token")!]
                journal.note("\(request.method) \(request.head.path ?? "") \(token ?? "no token")")
                return Response(.accepted, headers: [.eTag: "\"a\""], body: .bytes(Array("network".utf8)))
            }
        }
        let journal = Notebook()
        let server = try GatewayServer(
            Gateway.testing(passThrough: [Network(journal: journal)]),
            .init(port: 0, grace: .milliseconds(200), logsRequests: false))
        let gateway = Gateway.testing(passThrough: [.network])
        gateway.answer(at: "/old") { request in
            var request = request
            request.path = "/new"
            return try await request.passThrough()
        }
        let host = "127.0.0.1:\(server.address.port)"
        TestURLProtocol.add(gateway, as: "127.0.0.1")
        let (text, response) = try await ask("http://\(host)/old?_mobile_bridge=1&a=b")
        #expect(text == "network" && response.statusCode == 202)
        #expect(response.value(forHTTPHeaderField: "ETag") == "\"a\"")
        #expect(journal.entries == ["GET /new?a=b no token"])

        // From outside it would be the server that asks itself.
        let outside = Request("/old?_mobile_bridge=1", authority: host)
        #expect(try await gateway.respond(to: outside).json()["code"] == 404)
        await server.stop()
        let gone = try await ask("http://\(host)/old?_mobile_bridge=1").text
        #expect(gone.contains(#""code":502"#) && gone.contains(host))
    }

    @Test func aPolicyCanLetRequestsWithoutAHandlerPass() throws {
        let gateway = Gateway.testing(unhandled: .passThrough)
        try gateway.register(Echo.self, at: "/echo")
        let base = TestURLProtocol.add(gateway)
        for (target, isTaken) in [
            ("/echo?_mobile_bridge=1", true), ("/other?_mobile_bridge=1", false), ("/echo", false),
        ] {
            let url = try #require(URL(string: base + target))
            #expect(TestURLProtocol.canInit(with: URLRequest(url: url)) == isTaken)
        }
        for other in ["ftp://a/b", "https://other/", "http:/a", "http:", "data:,a", "/a"] {
            #expect(!TestURLProtocol.canInit(with: URLRequest(url: try #require(URL(string: other)))))
        }
    }

    @Test func cancellingTheTaskStopsTheHandler() async throws {
        struct Waiting: Handler {
            let journal: Notebook
            func handle(_ request: Request) async throws -> Response {
                journal.note("start")
                try await Task.sleep(for: .seconds(3600))
                return Response()
            }
            func stopLoading() { journal.note("stop") }
        }
        let journal = Notebook()
        let gateway = Gateway.testing()
        try gateway.register(at: "/wait") { Waiting(journal: journal) }
        let delegate = Delegate()
        let url = try #require(URL(string: "\(TestURLProtocol.add(gateway))/wait?_mobile_bridge=1"))
        let task = Self.session(delegate).dataTask(with: url)
        task.resume()
        await journal.wait(for: 1)
        task.cancel()
        await journal.wait(for: 2)
        await delegate.journal.wait(for: 1)
        #expect(journal.entries == ["start", "stop"])
        #expect(delegate.journal.entries.first?.contains("-999") == true)
        #expect(delegate.journal.entries.count == 1, "nothing comes after the stop")
    }

    @Test func theAppMayCallWhateverTheAccessPolicyIs() async throws {
        let gateway = Gateway.testing(access: AccessPolicy(requiresToken: true))
        try gateway.register(Echo.self, at: "/echo")
        #expect(
            try await ask("\(TestURLProtocol.add(gateway))/echo?_mobile_bridge=1").text.contains("200"))
    }

    @Test func aSessionUsesMiddlewareAndClassesOfTheGateway() async throws {
        struct Marking: Middleware {
            func handle(_ request: Request, next: Next) async throws -> Response {
                var response = await next(request)
                response.headers[HTTPField.Name("X-Marked")!] = "yes"
                return response
            }
        }
        let gateway = Gateway.testing(middleware: [Marking()])
        gateway.register(ScriptedProtocol.self)
        let path = ScriptedProtocol.script { $0.answer("a class") }
        let (text, response) = try await ask(TestURLProtocol.add(gateway) + path)
        #expect(text == "a class")
        #expect(response.value(forHTTPHeaderField: "X-Marked") == "yes")
    }

    @Test func aStreamThatBreaksFailsTheTask() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/broken") { _ in
            Response(contentType: "text/plain") { client in
                try await client.didLoad("half")
                throw HTTPError(.badGateway, "the other half is gone")
            }
        }
        let base = TestURLProtocol.add(gateway)
        await #expect(throws: (any Error).self) { try await ask("\(base)/broken?_mobile_bridge=1") }
    }

    /// Foundation on Linux would end the process if it were told of one.
    @Test func aRedirectIsReportedToTheSession() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/old") { _ in Response(.found, headers: [.location: "/new"]) }
        let (_, response) = try await ask("\(TestURLProtocol.add(gateway))/old?_mobile_bridge=1")
        #expect(response.statusCode == 302 && response.value(forHTTPHeaderField: "Location") == "/new")
    }

    @Test func whatFoundationLacksOnLinuxFailsWithAnExplanation() async throws {
        let gateway = Gateway.testing()
        try gateway.register(Echo.self, at: "/echo")
        let url = try #require(URL(string: "\(TestURLProtocol.add(gateway))/echo?_mobile_bridge=1"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let upload = await #expect(throws: URLError.self) {
            try await Self.session().upload(for: request, from: Data("lost".utf8))
        }
        #expect(upload?.localizedDescription.contains("upload tasks") == true)
        let download = await withCheckedContinuation { continuation in
            Self.session().downloadTask(with: url) { continuation.resume(returning: $2) }.resume()
        }
        #expect(download?.localizedDescription.contains("download tasks") == true)
    }

    @Test func hundredsOfTasksAtOnceAreAnsweredEach() async throws {
        let gateway = Gateway.testing()
        try gateway.register(Echo.self, at: "/echo")
        let base = TestURLProtocol.add(gateway)
        let session = Self.session()
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let url = try #require(URL(string: "\(base)/echo?_mobile_bridge=1&n=\(number)"))
                    let (data, _) = try await session.data(from: url)
                    #expect(
                        String(decoding: data, as: UTF8.self)
                            == #"{"code":200,"data":{"n":"\#(number)"},"message":""}"#)
                }
            }
            try await group.waitForAll()
        }
    }
}
