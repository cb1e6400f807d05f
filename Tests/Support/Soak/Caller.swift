import TestSupport

/// A client: draws what to send, checks what is answered, and sometimes leaves.
struct Caller {
    let way: SoakedGateway.Way
    var dice: Dice
    var traffic = Traffic()
    /// The number of the last turn that it got.
    var lastTurn = 0
    private let name: UInt64
    private var kept: RawClient?
    private var knownToken: String?
    private var pages = 0

    init(_ way: SoakedGateway.Way, seed: UInt64) {
        self.way = way
        name = seed
        dice = Dice(seed: seed)
    }

    /// Sends requests, one action after the other, up to the end.
    mutating func send(upTo end: SoakLength) throws -> Traffic {
        while !end.isReached(by: traffic) {
            let action = Action.drawn(by: &dice)
            do {
                try action.perform(&self)
            } catch {
                throw Wrong("\(action.name): \(error)")
            }
        }
        return traffic
    }

    /// A value that nobody else sends.
    var unique: String { "\(name)-\(traffic.requests)" }

    /// A key that nobody else has at this time.
    var key: String { "k\(name % 16)" }

    /// The path of a server behind the gateway that keeps the rules.
    mutating func upstream() -> String { dice.roll(2) == 0 ? "/http" : "/https" }

    /// A size of a body: most are small, and few as large as a hundred thousand bytes.
    mutating func size() -> Int { dice.roll(1 << dice.roll(18)) }

    /// The id of a page that nobody has had.
    mutating func pageID() -> String {
        pages += 1
        let digits = String(name, radix: 16) + "f" + String(pages, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The page token, which is in a document that the gateway serves.
    mutating func token() throws -> String {
        if let knownToken { return knownToken }
        let client = try connection()
        try client.send(request("GET /document.html"))
        let text = try client.reply().text
        guard let token = text.firstMatch(of: /data-token="([^"]+)"/)?.1 else {
            throw Wrong("no token in a document: \(text.prefix(500))")
        }
        knownToken = String(token)
        return String(token)
    }

    /// A WebSocket that is open.
    mutating func webSocket(_ path: String, _ fields: [String] = []) throws -> WebSocketClient {
        traffic.requests += 1
        return try WebSocketClient.open(
            way.port, path, host: "localhost", security: way.isSecure ? "NORMAL" : nil, fields: fields)
    }

    /// A connection that is used for many requests, and now and then renewed.
    mutating func connection() throws -> RawClient {
        if dice.roll(50) == 0 { kept = nil }
        let client = try kept ?? way.connect()
        kept = client
        return client
    }

    /// Sends a request on the kept connection, and wants this answer.
    ///
    /// - Parameter expected: the body, nil for any.
    mutating func ask(
        _ line: String, _ fields: String..., body: String? = nil, status: Int = 200,
        expecting expected: String?
    ) throws {
        let client = try connection()
        try client.send(request(line, fields, body: body))
        let reply = try client.reply(toHead: line.hasPrefix("HEAD "))
        try check(reply, status, expected)
        if reply["Connection"]?.lowercased() == "close" { kept = nil }
    }

    /// The bytes of a request, which is counted.
    mutating func request(_ line: String, _ fields: [String] = [], body: String? = nil) -> String {
        traffic.requests += 1
        var head = "\(line) HTTP/1.1\r\n"
        if !fields.contains(where: { $0.hasPrefix("Host:") }) { head += "Host: localhost\r\n" }
        for field in fields { head += field + "\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" } else { head += "\r\n" }
        return head
    }

    /// Throws when this is not the answer.
    func check(_ reply: RawAnswer, _ status: Int, _ expected: String?) throws {
        if reply.status == status, expected == nil || reply.text == expected { return }
        throw Wrong(
            "\(reply.status) \(reply.text.prefix(200)) instead of \(status) \(expected?.prefix(200) ?? "")")
    }

    /// Goes, in one of the ways there are.
    mutating func leave(_ client: RawClient) {
        switch dice.roll(3) {
        case 0: client.reset()
        case 1: client.shutDown()
        default: client.close()
        }
    }
}

/// The envelope of what a handler answers.
func envelope(_ data: String) -> String { #"{"code":200,"data":\#(data),"message":""}"# }
