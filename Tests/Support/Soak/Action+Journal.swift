import TestSupport

/// What programs that test ask about calls.
extension Action {
    private static let authorization = "Authorization: Bearer \(SoakedGateway.token)"
    private static let api = "/__drawbridge__/calls"

    static let journal = [
        Action("a call is verified", 60) { caller in
            // What others call is in other sessions.
            let session = "X-Drawbridge-Session: \(caller.unique)"
            try caller.ask("DELETE \(api)", authorization, session, expecting: nil)
            let input = #"{"text":"\#(caller.unique)"}"#
            try caller.ask(
                "POST /__jsbridge__/echo", session, body: input,
                expecting: #"{"code":200,"data":\#(input),"message":""}"#)
            try caller.ask(
                "POST \(api)/verify", authorization, session,
                body: #"{"name":"echo","equals":\#(input),"count":1,"seconds":5}"#, expecting: nil)
            try caller.ask(
                "POST \(api)/verify", authorization, session, body: #"{"name":"echo","count":2}"#,
                status: 417,
                expecting: nil)
            try caller.ask("POST /__drawbridge__/reset", authorization, session, expecting: nil)
        },
        Action("the newest calls", 30) { caller in
            let client = try caller.connection()
            try client.send(caller.request("GET \(api)?session=*&kind=all&since=0&limit=3", [authorization]))
            let reply = try client.reply()
            guard reply.status == 200, reply.text.hasPrefix(#"{"code":200,"data":{"calls":["#) else {
                throw Wrong("\(reply.status) \(reply.text.prefix(200))")
            }
        },
        Action("leaves a long list of calls", 10) { caller in
            let client = try caller.way.connect()
            let target = "/__drawbridge__/calls?session=*&kind=all"
            try client.send(caller.request("GET \(target)", [authorization]))
            let reply = try client.head()
            guard reply.status == 200 else { throw Wrong("calls answers \(reply.status)") }
            // A short one comes whole.
            let isLong = reply["Transfer-Encoding"] != nil
            for _ in 0..<(isLong ? caller.dice.roll(4) : 0) { _ = try client.chunk() }
            caller.leave(client)
        },
        Action("leaves a wait for a call", 30) { caller in
            let client = try caller.way.connect()
            let target = "\(api)?name=nobody-\(caller.unique)&count=1&seconds=30"
            try client.send(caller.request("GET \(target)", [authorization]))
            if caller.dice.roll(2) == 0 { try caller.ask("GET /", expecting: SoakedGateway.page) }
            caller.leave(client)
        },
        Action("leaves the stream of records", 20) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET \(api)/events?session=*&kind=all", [authorization]))
            let status = try client.head().status
            // So many read at once as may.
            guard status == 200 || status == 503 else {
                throw Wrong("the stream of records answers \(status)")
            }
            for _ in 0..<(status == 200 ? caller.dice.roll(4) : 0) { _ = try client.chunk() }
            caller.leave(client)
        },
    ]
}
