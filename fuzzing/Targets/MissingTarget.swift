@testable import Drawbridge
@testable import DrawbridgeCommand
@testable import DrawbridgeMocks

/// Names that nobody answered, written into a file of replies: a line with a name, one with an input, then the file.
enum MissingTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return }
        // A page has called it, so it has no path that is a pattern.
        let name = String(decoding: parts[0], as: UTF8.self).filter { $0 != "*" && $0 != ":" }
        let input =
            (try? JSON(parsing: Array(parts[1]))) ?? .string(String(decoding: parts[1], as: UTF8.self))
        let text = Array(parts[2])
        guard let edit = try? ReplyEdit(text, adding: [UnansweredName(name, inputs: [input])]) else { return }

        guard let file = try? LocatedJSON(parsing: edit.text) else {
            fatalError("the file is no JSON any more")
        }
        let key = ReplyNames.key(name)
        let replies = file.members?.last { $0.name == "replies" }?.value.members
        guard let replies else { fatalError("the file has no replies") }
        check(replies.contains { $0.name == key }, "\(name) is not in the file")
        // All else is there as it was, byte by byte: in one piece, or before and behind what was added.
        let before = zip(text, edit.text).prefix { $0 == $1 }.count
        let behind = zip(text.reversed(), edit.text.reversed()).prefix { $0 == $1 }.count
        let old = (try? LocatedJSON(parsing: text))?.members?.last { $0.name == "replies" }?.value.members
        if old?.isEmpty == false {
            check(before + behind >= text.count, "more was changed than added")
        }
        // What a page sends ends no line of its own comment, and begins none.
        let added = edit.text.count { $0 == 0x0A } - text.count { $0 == 0x0A }
        // A file without replies gets their braces too.
        check(added <= (old == nil ? 6 : 4), "\(added) lines were added for one name")
    }
}
