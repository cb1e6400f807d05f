import TestSupport

/// What is answered on a connection that is kept.
extension Action {
    private static let flag = "_mobile_bridge=1"

    static let calls = [
        Action("a flagged GET", 3000) { caller in
            let text = caller.unique
            try caller.ask(
                "GET /echo?\(flag)&message=\(text)", expecting: envelope(#"{"message":"\#(text)"}"#))
        },
        Action("JSON to a path", 1500) { caller in
            let text = envelope(#"{"text":"\#(caller.unique)","list":[1,2.5,null,true]}"#)
            try caller.ask("POST /__jsbridge__/echo", body: text, expecting: envelope(text))
        },
        Action("an action", 600) { caller in
            let text = #"{"text":"\#(caller.unique)"}"#
            try caller.ask(
                "POST /__jsbridge__", body: #"{"action":"echo","data":\#(text)}"#, expecting: envelope(text))
        },
        Action("the host __jsbridge__", 300) { caller in
            let text = "[\(caller.dice.roll(1000))]"
            try caller.ask("POST /echo", "Host: __jsbridge__", body: text, expecting: envelope(text))
        },
        Action("a form", 600) { caller in
            let text = caller.unique
            try caller.ask(
                "POST /__jsbridge__/echo", "Content-Type: application/x-www-form-urlencoded",
                body: "a=\(text)&b=x+y", expecting: envelope(#"{"a":"\#(text)","b":"x y"}"#))
        },
        Action("a large body", 30) { caller in
            let text = "\"\(String(repeating: "x", count: 100_000))\""
            try caller.ask("POST /__jsbridge__/echo", body: text, expecting: envelope(text))
        },
        Action("a turn", 800) { caller in
            let client = try caller.connection()
            try client.send(caller.request("GET /turn?\(flag)"))
            let reply = try client.reply()
            let number = reply.text.dropFirst(#"{"code":200,"data":"#.count).prefix(while: \.isNumber)
            guard let turn = Int(number), turn > caller.lastTurn else {
                throw Wrong("\(reply.text) after \(caller.lastTurn)")
            }
            caller.lastTurn = turn
        },
        Action("a value is stored and read", 15) { caller in
            let value = #""key":"\#(caller.key)","value":"\#(caller.unique)""#
            try caller.ask(
                "POST /__jsbridge__/storage", body: "{\(value)}", expecting: envelope("{\(value)}"))
            try caller.ask("GET /storage?\(flag)&key=\(caller.key)", expecting: envelope("{\(value)}"))
        },
        Action("a stream with an end", 60) { try $0.ask("GET /twice?\(flag)", expecting: "first") },
        Action("a reply", 300) { caller in
            try caller.ask("GET /replied?\(flag)", expecting: envelope(#"{"nick":"Ann"}"#))
            // A bridge claims it, and its answer has no envelope.
            try caller.ask(
                "GET /__jsbridge__/replied", "X-Drawbridge-Bridge: flutter", expecting: #"{"nick":"Ann"}"#)
        },
        Action("a reply by its input", 300) { caller in
            let text = "a\(caller.unique)"
            try caller.ask(
                "POST /__jsbridge__/chosen", body: #"{"n":"\#(text)"}"#, expecting: envelope("\"\(text)\""))
            try caller.ask("GET /chosen?\(flag)&n=b", expecting: #"{"code":7,"message":"no b"}"#)
        },
        Action("a test in its session", 15) { caller in
            let session = "t\(caller.unique)"
            let own = "/__drawbridge__/replies?name=replied&session=\(session)"
            let bearer = "Authorization: Bearer \(SoakedGateway.token)"
            let field = "X-Drawbridge-Session: \(session)"
            try caller.ask(
                "PUT \(own)", bearer, body: "\"\(session)\"",
                expecting: envelope(#"{"replied":"\#(session)"}"#))
            try caller.ask("GET /replied?\(flag)", field, expecting: envelope("\"\(session)\""))
            try caller.ask("GET /replied?\(flag)", expecting: envelope(#"{"nick":"Ann"}"#))
            for step in [1, 2, 2] {
                try caller.ask("GET /stepped?\(flag)", field, expecting: envelope("\(step)"))
            }
            // Of those that are left behind, the longest idle ones go.
            if caller.dice.roll(2) == 0 {
                try caller.ask(
                    "POST /__drawbridge__/reset?session=\(session)", bearer,
                    expecting: #"{"code":200,"message":""}"#)
                try caller.ask("GET /replied?\(flag)", field, expecting: envelope(#"{"nick":"Ann"}"#))
            }
        },
        Action("health", 50) { try $0.ask("GET /__drawbridge__/health", expecting: nil) },
    ]

    static let files = [
        Action("a file", 800) { try $0.ask("GET /", expecting: SoakedGateway.page) },
        Action("a document", 200) { try $0.ask("GET /document.html", expecting: nil) },
        Action("the page runtime", 30) { try $0.ask("GET /__drawbridge__/page.js?path=/", expecting: nil) },
        Action("the script of a bridge", 20) {
            try $0.ask("GET /__drawbridge__/bridge/flutter.js", expecting: nil)
        },
        Action("a large file", 60) { try $0.ask("GET /large.txt", expecting: SoakedGateway.large) },
        Action("a range", 300) {
            try $0.ask("GET /large.txt", "Range: bytes=10-19", status: 206, expecting: "abcdef0123")
        },
        Action("a range that is not there", 50) {
            try $0.ask("GET /index.html", "Range: bytes=99999-", status: 416, expecting: nil)
        },
        Action("a condition", 150) {
            try $0.ask("GET /index.html", "If-None-Match: *", status: 304, expecting: "")
        },
        Action("HEAD of a file", 150) { try $0.ask("HEAD /large.txt", expecting: "") },
        Action("a file that is missing", 100) { try $0.ask("GET /missing", status: 404, expecting: nil) },
        Action("a path that leads away", 50) {
            try $0.ask("GET /..%2f..%2fetc/passwd", status: 404, expecting: nil)
        },
    ]

    static let faults = [
        Action("HEAD of a handler", 100) { try $0.ask("HEAD /echo?\(flag)", expecting: "") },
        Action("no handler", 100) {
            try $0.ask("GET /nobody?\(flag)", expecting: #"{"code":400,"message":"No response"}"#)
        },
        Action("no JSON", 100) {
            try $0.ask(
                "POST /__jsbridge__/echo", body: #"{"a":"#,
                expecting:
                    #"{"code":400,"message":"the body is not JSON: line 1, column 6: expected a value, found the end of the text"}"#
            )
        },
        Action("a handler that throws", 100) { caller in
            try caller.ask("GET /throws?\(flag)", expecting: nil)
            caller.traffic.faults += 1
        },
        Action("a handler that is late", 5) { caller in
            try caller.ask(
                "GET /late?\(flag)",
                expecting:
                    #"{"code":504,"message":"Late did not answer within 0.1 seconds; give it a longer deadline, or nil where a person answers"}"#
            )
            caller.traffic.faults += 1
        },
        Action("a foreign page", 150) {
            try $0.ask("GET /echo?\(flag)", "Origin: https://evil.example", status: 403, expecting: nil)
        },
        Action("a foreign host", 50) {
            try $0.ask("GET /", "Host: evil.example", status: 403, expecting: nil)
        },
        Action("a wrong token", 10) {
            let token = "X-Drawbridge-Token: \(String(repeating: "0", count: 32))"
            let client = try $0.connection()
            try client.send($0.request("GET /echo?\(flag)", [token]))
            let status = try client.reply().status
            guard status == 403 || status == 429 else { throw Wrong("\(status) instead of 403 or 429") }
        },
    ]
}
