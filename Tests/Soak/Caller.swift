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

    init(_ way: SoakedGateway.Way, seed: UInt64) {
        self.way = way
        name = seed
        dice = Dice(seed: seed)
    }

    /// Sends so many requests, or a few more, one action after the other.
    mutating func send(_ requests: Int) throws -> Traffic {
        while traffic.requests < requests {
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
    func check(_ reply: Reply, _ status: Int, _ expected: String?) throws {
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
