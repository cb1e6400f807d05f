import Drawbridge
import TestSupport

/// What pages do by their channels.
extension Action {
    static let pages = [
        // Those that go without a word are remembered for half a minute: there are few.
        Action("a page", 10) { caller in
            let id = caller.pageID()
            var page = try SoakedPage(&caller, id: id)
            for _ in 0...caller.dice.roll(8) {
                caller.traffic.requests += 1
                let text = caller.unique + String(repeating: "p", count: caller.size())
                let data: JSON = ["text": .string(text)]
                if caller.dice.roll(4) == 0 {
                    // What native then does, the page learns with a later call, or never.
                    let reply = try page.call("tells", data)
                    guard reply["value"] == data else {
                        throw Wrong("another answer: \("\(reply)".prefix(300))")
                    }
                } else if caller.dice.roll(4) == 0 {
                    let reply = try page.call("asksPerson", data)
                    guard reply["value"] == "ok" else { throw Wrong("another answer: \(reply)") }
                } else if caller.dice.roll(2) == 0 {
                    let reply = try page.call("echo", data)
                    guard reply["value"] == data else {
                        throw Wrong("another answer: \("\(reply)".prefix(300))")
                    }
                } else {
                    let reply = try page.call("asksBack", data)
                    guard reply["value"] == ["heard": data] else {
                        throw Wrong("another answer: \("\(reply)".prefix(300))")
                    }
                }
            }
            // A question goes with its page.
            if caller.dice.roll(3) == 0 { try page.ask("asksPerson", .null) }
            try page.leave(&caller)
        }
    ]
}
