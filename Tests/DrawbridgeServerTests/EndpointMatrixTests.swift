import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeServer

/// Every path of the gateway's own below `/__drawbridge__/`, asked with every secret, by programs and by pages, from
/// here and from elsewhere: what each may.
///
/// A path without a row fails.
@Suite("Who may use which endpoint of the gateway", .timeLimit(.minutes(5))) struct EndpointMatrixTests {
    /// What a caller shows.
    enum Secret: CaseIterable {
        case nothing, pageToken, pageID, cookie, testerToken
        /// A page of an admitted device.
        case cookieAndPageToken
    }

    enum Caller: CaseIterable { case curl, script }

    /// What is sent, and the status for each secret in the order of ``Secret``.
    struct Row {
        var request: String
        var body = ""
        /// From this machine.
        var here: [Int]
        /// From this machine, by a page's script; as by curl where there is no difference.
        var script: [Int]?
        /// From elsewhere, whoever asks.
        var elsewhere: [Int]
    }

    /// Closed, but for an admission.
    private static func closed(_ admitted: Int, _ complete: Int) -> [Int] {
        [403, 403, 403, admitted, 403, complete]
    }

    private static let id = String(repeating: "a", count: 32)

    static let rows: [OwnPath: [Row]] = [
        .enter: [
            Row(request: "GET", here: same(200), elsewhere: same(200)),
            // This machine needs no admission.
            Row(request: "POST", here: same(204), elsewhere: same(403)),
        ],
        .health: [Row(request: "GET", here: same(200), elsewhere: same(200))],
        // This program brings none.
        .manual: [Row(request: "GET", here: same(404), elsewhere: closed(404, 404))],
        .schema: [Row(request: "GET", here: same(200), elsewhere: closed(200, 200))],
        .description: [Row(request: "GET", here: same(200), elsewhere: closed(200, 200))],
        .script: [Row(request: "GET ?path=/", here: same(200), elsewhere: closed(200, 200))],
        .global: [Row(request: "GET ?name=shop", here: same(200), elsewhere: closed(200, 200))],
        .ask: [Row(request: "GET", here: same(200), elsewhere: closed(200, 200))],
        // What the runtime is, its bridges are too.
        .bridge: [
            Row(request: "GET /flutter.js", here: same(200), elsewhere: closed(200, 200)),
            Row(request: "GET /none.js", here: same(404), elsewhere: closed(404, 404)),
        ],
        // A page's id is what a page of ours has that knows no token yet: no foreign page can send the field.
        .token: [Row(request: "GET", here: [403, 403, 200, 403, 403, 403], elsewhere: closed(403, 403))],
        // The token lets it in, and then it says that the page's id is missing.
        .call: [
            Row(
                request: "POST", body: #"{"call":"echo"}"#, here: [403, 400, 403, 403, 403, 400],
                elsewhere: closed(403, 400))
        ],
        .messages: [
            Row(
                request: "POST", body: #"{"page":"\#(id)","life":1,"n":0,"up":[]}"#,
                here: [403, 200, 403, 403, 403, 200],
                elsewhere: closed(403, 200))
        ],
        .channel: [
            Row(request: "WEBSOCKET", here: [403, 101, 403, 403, 403, 101], elsewhere: closed(403, 101))
        ],
        // It grants nothing, so whoever may load a page may be in a session.
        .session: [Row(request: "GET /ann?to=/cart", here: same(303), elsewhere: closed(303, 303))],
        .calls: [
            forTesters("GET", 200), forTesters("POST /verify", body: #"{"count":0,"name":"x"}"#, 200),
            forTesters("DELETE", 200), forTesters("POST", body: #"{"name":"x"}"#, 200),
            // The token lets it in, and then this program cannot write files.
            forTesters("POST /missing", 403),
            // The token lets it in, and then there is no such word, and no such call.
            forTesters("GET /events?sinc=1", 400), forTesters("GET /7", 404), forTesters("GET /7/curl", 404),
            forTesters("POST /7/resend", 404),
        ],
        .handlers: [forTesters("GET", 200), forTesters("GET ?name=nobody", 404)],
        .record: [forTesters("GET", 200)],
        .replies: [
            forTesters("GET", 200), forTesters("PUT ?name=pay", body: "12", 200),
            forTesters("DELETE ?name=pay", 404),
            // The token lets it in, and then this program cannot write files.
            forTesters("POST /save", body: #"{"name":"pay","reply":1}"#, 403),
            forTesters("GET /save?name=pay", 200), forTesters("GET /undo", 403),
            forTesters("POST /undo", 403),
        ],
        .scenario: [
            forTesters("GET", 200), forTesters("PUT", body: #"{"scenario":"offline"}"#, 404),
        ],
        .events: [forTesters("GET", 200), forTesters("POST /back", 404)],
        .questions: [
            forTesters("GET", 200), forTesters("PUT", body: #"{"ask":"off"}"#, 200),
            forTesters("POST /1", body: #"{"choice":"ok"}"#, 404),
        ],
        .reset: [forTesters("POST", 200)],
        // The token lets it in, and then there is no such page, and no such device.
        .pages: [
            forTesters("GET", 200), forTesters("GET /\(id)", 404), forTesters("GET /latest", 404),
            forTesters("POST", 405),
        ]
            + ["call", "send", "evaluate", "emit"].flatMap { verb in
                [id, "latest"].map { id in
                    forTesters("POST /\(id)/\(verb)", body: #"{"name":"a","event":"a","script":"1"}"#, 404)
                }
            },
        .admissions: [
            forTesters("GET", 200), forTesters("POST", 200), forTesters("DELETE /none", 404),
            forTesters("DELETE /12345678", 200),
        ],
    ]

    /// With the tester's token from here, by a program.
    private static func forTesters(_ request: String, body: String = "", _ status: Int) -> Row {
        Row(
            request: request, body: body, here: [403, 403, 403, 403, status, 403], script: same(403),
            elsewhere: closed(403, 403))
    }

    private static func same(_ status: Int) -> [Int] { Secret.allCases.map { _ in status } }

    @Test func everyEndpointIsInTheMatrix() {
        #expect(Set(Self.rows.keys) == Set(OwnPath.allCases))
        for endpoint in Endpoint.table {
            for verb in endpoint.answers.map(\.key) where verb != .head {
                let isAsked = Self.rows[endpoint.path, default: []].contains { row in
                    let parts = row.request.split(separator: " ")
                    let below = (parts.count > 1 ? parts[1] : "").prefix { $0 != "?" }.split(separator: "/")
                    return parts[0] == verb.rawValue
                        && Endpoint.find(endpoint.path, below)?.row.line == endpoint.line
                }
                #expect(isAsked, "\(verb) of \(endpoint.line)")
            }
        }
        for row in Self.rows.values.joined() {
            for statuses in [row.here, row.script, row.elsewhere].compactMap(\.self) {
                #expect(statuses.count == Secret.allCases.count)
            }
        }
    }

    @Test(arguments: OwnPath.allCases) func eachEndpointAnswersAsTheMatrixSays(path: OwnPath) async throws {
        for row in try #require(Self.rows[path]) {
            for (index, secret) in Secret.allCases.enumerated() {
                for caller in Caller.allCases {
                    let here = caller == .curl ? row.here : row.script ?? row.here
                    // A gateway for each, so that no wrong secret is counted for the next.
                    let near = try await Self.status(path, row, secret, caller, isFromHere: true)
                    #expect(near == here[index], "\(row.request) \(secret) \(caller) from here")
                    let far = try await Self.status(path, row, secret, caller, isFromHere: false)
                    #expect(far == row.elsewhere[index], "\(row.request) \(secret) \(caller) from elsewhere")
                }
            }
        }
    }

    /// With the inspector's secret: all that a program with the tester's token may, and nothing of a page's.
    @Test(arguments: OwnPath.allCases) func theInspectorMayDoWhatTestersMay(path: OwnPath) async throws {
        for row in try #require(Self.rows[path]) where row.request != "WEBSOCKET" {
            let parts = row.request.split(separator: " ", maxSplits: 1)
            let target = path.path + (parts.count > 1 ? String(parts[1]) : "")
            let request = Request(
                try #require(.init(rawValue: String(parts[0]))), target,
                headers: row.body.isEmpty ? [:] : [.contentType: "application/json"], body: .init(row.body))
            let gateway = Gateway(keepsJournal: true, logger: Self.quiet)
            let status = await gateway.respond(toInspector: request).status.code
            let asTester = row.here[Secret.allCases.firstIndex(of: .testerToken) ?? 0]
            #expect(status == (path.isForTesters ? asTester : 404), "\(row.request)")
        }
    }

    @Test func anUnlistedEndpointIsNotFound() async throws {
        for target in [
            "/__drawbridge__", "/__drawbridge__/", "/__drawbridge__/enter/x", "/__drawbridge__/other",
        ] {
            #expect(OwnPath(of: Request(target)) == nil)
            let gateway = Gateway(keepsJournal: true, logger: Self.quiet)
            #expect(await gateway.respond(to: Request(target)).status == .notFound)
        }
    }

    /// The tester's API is not a way in for pages, whatever they know: their browser marks what they send.
    @Test(arguments: [
        ["Origin: http://127.0.0.1"], ["Origin: https://listed.example"], ["Origin: null"],
        ["Sec-Fetch-Site: same-origin"], ["Sec-Fetch-Site: none"], ["Sec-Fetch-Dest: empty"],
        ["Referer: http://127.0.0.1/"], ["User-Agent: Mozilla/5.0", "Accept-Language: en"],
    ])
    func theTestersAPIRefusesBrowsers(fields: [String]) async throws {
        for path in OwnPath.allCases where path.isForTesters {
            let (status, answer) = try await Self.ask(Self.method(path), path.path, fields, asTester: true)
            #expect(status == 403)
            #expect(!answer.lowercased().contains("access-control"))
        }
    }

    /// As `fetch` of Node, `requests` of Python and browsers' drivers ask by themselves.
    @Test(arguments: [
        ["Accept: */*", "User-Agent: curl/7.88.1"],
        [
            "Accept: */*", "Accept-Language: *", "Sec-Fetch-Mode: cors", "User-Agent: node",
            "Accept-Encoding: gzip",
        ],
        ["User-Agent: python-requests/2.31", "Accept-Encoding: gzip, deflate", "Connection: keep-alive"],
        ["User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept: */*", "Accept-Encoding: gzip,deflate,br"],
    ])
    func theTestersAPIAcceptsPrograms(fields: [String]) async throws {
        for path in OwnPath.allCases where path.isForTesters {
            #expect(try await Self.ask(Self.method(path), path.path, fields, asTester: true).status == 200)
        }
    }

    @Test func theTestersAPIRefusesPreflightsAndWholeURLs() async throws {
        for path in OwnPath.allCases where path.isForTesters {
            let preflight = ["Origin: https://listed.example", "Access-Control-Request-Method: GET"]
            let (status, answer) = try await Self.ask("OPTIONS", path.path, preflight)
            #expect(status == 403)
            #expect(!answer.lowercased().contains("access-control"))
            let gateway = Gateway(keepsJournal: true, logger: Self.quiet)
            var whole = Request(
                path == .reset ? .post : .get, path.path,
                headers: [.authorization: "Bearer \(gateway.testerToken.text)"])
            #expect(await gateway.respond(to: whole).status == .ok)
            whole.isAbsoluteForm = true
            #expect(await gateway.respond(to: whole).status == .forbidden)
        }
    }

    /// Each secret has a header of its own: sent in another's place it is worth nothing.
    @Test func noSecretIsAcceptedInPlaceOfAnother() async throws {
        let server = try Self.serve()
        let (page, tester) = (server.gateway.access.token.text, server.gateway.testerToken.text)
        for field in [
            "X-Drawbridge-Token: \(tester)", "Authorization: Bearer \(page)",
            "Authorization: Basic \(tester)",
            "Authorization: \(tester)",
        ] {
            #expect(try await Self.exchange(server, "GET", "/__drawbridge__/pages", [field]).status == 403)
        }
        let call = try await Self.exchange(
            server, "GET", "/echo?_mobile_bridge=1", ["X-Drawbridge-Token: \(tester)"])
        #expect(call.status == 403)
        await server.server.stop()
    }

    // MARK: Asking

    /// A method that a path takes.
    private static func method(_ path: OwnPath) -> String { path == .reset ? "POST" : "GET" }

    private static let quiet = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    private struct Serving {
        let gateway: Gateway
        let server: GatewayServer
        var port: Int { server.address.port }
    }

    private static func serve() throws -> Serving {
        let gateway = Gateway(
            access: AccessPolicy(
                allowedHosts: ["bridge.test"], allowedOrigins: ["https://listed.example"]),
            pageRuntime: PageRuntime(bridges: [try .named("flutter")]), keepsJournal: true, logger: quiet)
        let server = try GatewayServer(gateway, .init(port: 0, loops: 1, logsRequests: false))
        return Serving(gateway: gateway, server: server)
    }

    /// Asks a gateway that has only just begun.
    private static func ask(
        _ method: String, _ target: String, _ fields: [String], asTester: Bool = false
    ) async throws -> (status: Int, head: String) {
        let server = try serve()
        let bearer = asTester ? ["Authorization: Bearer \(server.gateway.testerToken.text)"] : []
        let answer = try await exchange(server, method, target, fields + bearer)
        await server.server.stop()
        return answer
    }

    private static func status(
        _ path: OwnPath, _ row: Row, _ secret: Secret, _ caller: Caller, isFromHere: Bool
    ) async throws -> Int {
        let server = try serve()
        let (gateway, port) = (server.gateway, server.port)
        let host = isFromHere ? "127.0.0.1" : "bridge.test"
        let parts = row.request.split(separator: " ", maxSplits: 1)
        var fields: [String] = []
        // What a web server in front adds makes the caller one from elsewhere.
        if !isFromHere { fields.append("X-Forwarded-For: 192.0.2.7") }
        if caller == .script {
            fields += [
                "Origin: http://\(host):\(port)", "Referer: http://\(host):\(port)/",
                "User-Agent: Mozilla/5.0",
                "Accept-Language: en", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: empty",
            ]
        }
        if secret == .cookie || secret == .cookieAndPageToken {
            let (_, value) = gateway.admissions.admit(
                ticket: gateway.admissions.drawTicket(), address: "192.0.2.7", browser: "")!
            fields.append("Cookie: drawbridge-\(port)=\(value)")
        }
        switch secret {
        case .pageToken, .cookieAndPageToken:
            fields.append("X-Drawbridge-Token: \(gateway.access.token.text)")
        case .pageID: fields.append("X-Drawbridge-Page: \(id)")
        case .testerToken: fields.append("Authorization: Bearer \(gateway.testerToken.text)")
        case .nothing, .cookie: break
        }
        var method = String(parts[0])
        if method == "WEBSOCKET" {
            method = "GET"
            var protocols = "drawbridge"
            if secret == .pageToken || secret == .cookieAndPageToken {
                protocols += ", token.\(gateway.access.token.text)"
            } else if secret == .testerToken {
                protocols += ", token.\(gateway.testerToken.text)"
            }
            fields += [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: \(protocols)",
            ]
        }
        let answer = try await exchange(
            server, method, path.path + (parts.count > 1 ? parts[1] : ""), fields, host: "\(host):\(port)",
            row.body)
        await server.server.stop()
        return answer.status
    }

    private static func exchange(
        _ server: Serving, _ method: String, _ target: String, _ fields: [String], host: String? = nil,
        _ body: String = ""
    ) async throws -> (status: Int, head: String) {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(server.port)")"] + fields
        if !body.isEmpty || method == "POST" { lines.append("Content-Length: \(body.utf8.count)") }
        let text = lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
        let port = server.port
        return try await blocking {
            let client = try RawClient(port)
            try client.send(Array(text.utf8))
            let reply = try client.reply()
            return (reply.status, "\(reply.headers)")
        }
    }
}
