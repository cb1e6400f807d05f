@testable import Drawbridge
@testable import DrawbridgeJSON
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// Texts of replies, and inputs that they answer: the input in the first line, the replies in the others.
enum RepliesTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let (lines, rest) = split(bytes, lines: 1)
        let blanked = JSON.blankingComments(in: rest)
        check(blanked.count == rest.count, "a comment moved what follows")
        check(blanked.count { $0 == 0x0A } == rest.count { $0 == 0x0A }, "a comment took a line along")
        file(rest)
        let names: ReplyNames
        do {
            names = try ReplyNames(LocatedJSON(parsing: rest))
        } catch {
            check(error.line >= 1 && error.column >= 1 && !error.message.isEmpty, "\(error)")
            check(error.line <= rest.count { $0 == 0x0A } + 1, "\(error) is behind the text")
            return
        }
        let book = ReplyBook(in: Registry())
        book.set(ReplyLayers([names]))
        let input = ReplyInput(try? JSON(parsing: Array(lines[0].utf8)), texts: ["a"], userAgent: "fuzz")
        for name in names.names.prefix(8) + ["a", "b/c"] {
            let path =
                "/" + Percent.encode(name.hasPrefix("/") ? String(name.dropFirst()) : name, keeping: "/")
            // A sequence has come to its end by then.
            for _ in 0..<4 {
                var lookup = book.lookup(path)
                let isInputSeen = lookup.lookAtInput
                guard let found = book.next(in: &lookup, input, Redaction()) else { continue }
                answer(found.reply, found.title, isInputSeen)
            }
        }
    }

    /// The same text as a file, in which replies are one part of several.
    private static func file(_ text: [UInt8]) {
        guard var file = try? ReplyFile(LocatedJSON(parsing: text)) else { return }
        file.name(by: "file")
        let layers = ReplyLayers(ReplyNames(), files: [file], scenario: [])
        let book = ReplyBook(in: Registry())
        book.set(layers)
        _ = (layers.faults, layers.questions, file.doubts)
        guard let session = Session("a") else { fatalError("a is the name of a session") }
        for name in layers.scenarioNames.prefix(4) { try? book.turn(name, on: true, in: session) }
        for name in layers.scenarioNames.prefix(4) {
            try? book.turn(name, on: false, in: session)
            check(!book.scenarios(in: session).contains(name), "\(name) is not switched off")
        }
        for path in ["/", "/pay.html"] {
            let settings = book.settings(ofPageAt: path)
            for (name, value) in settings.cookies {
                let isClean = (name + value).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3B }
                check(isClean, "the cookie \(name) breaks its line")
            }
            let own = settings.appName?.text
            check(own?.utf8.allSatisfy { $0 >= 0x20 } != false, "the user agent breaks its line")
            var lookup = book.lookup("/a", in: session, ofPageAt: path)
            if let found = book.next(in: &lookup, ReplyInput(["a": 1]), Redaction()) {
                answer(found.reply, found.title, true)
            }
        }
    }

    private static func answer(_ reply: Reply, _ title: String, _ isInputSeen: Bool) {
        switch reply.outcome {
        case .value(let bytes): check((try? JSON(parsing: bytes)) != nil, "\(title) is no JSON")
        case .template(let template):
            check(isInputSeen || !template.looksAtInput, "\(title) is not shown its input")
            if let filled = try? template.filled(ReplyInput(["a": 1])) {
                check((try? JSON(parsing: filled.bytes)) != nil, "\(title) is no JSON")
            }
        case .error, .silence, .missing, .ask, .raw, .forward: break
        case .pass, .sequence, .cases: fatalError("\(title) is no answer")
        }
    }
}
