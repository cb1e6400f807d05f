@testable import Drawbridge

/// Texts of replies, and inputs that they answer: the input in the first line, the replies in the others.
enum RepliesTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let (lines, rest) = split(bytes, lines: 1)
        let blanked = JSON.blankingComments(in: rest)
        check(blanked.count == rest.count, "a comment moved what follows")
        check(blanked.count { $0 == 0x0A } == rest.count { $0 == 0x0A }, "a comment took a line along")
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
                let interest = lookup.interest
                guard let found = book.next(in: &lookup, input) else { continue }
                check(interest != .none, "\(found.title) answers \(path), and nobody is interested")
                answer(found.reply, found.title, interest)
            }
        }
    }

    private static func answer(_ reply: Reply, _ title: String, _ interest: ReplyLookup.Interest) {
        switch reply.outcome {
        case .value(let bytes): check((try? JSON(parsing: bytes)) != nil, "\(title) is no JSON")
        case .template(let template):
            check(interest == .input || !template.looksAtInput, "\(title) is not shown its input")
            if let filled = try? template.filled(ReplyInput(["a": 1])) {
                check((try? JSON(parsing: filled.bytes)) != nil, "\(title) is no JSON")
            }
        case .error, .silence, .missing, .ask, .raw: break
        case .pass, .sequence, .cases: fatalError("\(title) is no answer")
        }
    }
}
