import Drawbridge
import DrawbridgeServer

// Replies that a person or a program writes into the file while the gateway runs.
extension LiveReplies {
    /// The file that is written: the first of those that were named or found, else a new one in the working folder.
    var keptFile: String? {
        if let file = sources.files.first(where: \.text.isRegular) { return file.text.path }
        if case .on(_, let state) = search, state.complaint == nil { return FoundFile.name }
        return nil
    }

    /// Writes a reply into that file, and answers by it from now on.
    ///
    /// - Throws: an ``HTTPError``: a 409 where the file is another than the one that was read last.
    func keep(_ reply: JSON, for name: String) throws -> (file: String, line: Int) {
        do {
            guard let place = sources.files.firstIndex(where: \.text.isRegular) else {
                return try keepInNewFile(reply, for: name)
            }
            let old = sources.files[place]
            if let complaint = states[place].complaint {
                throw HTTPError(.conflict, "\(complaint); mend it first, and save again")
            }
            guard !FileReplacement.isLink(old.text.path) else {
                throw HTTPError(
                    .conflict, "\(old.text.path) is a link, which a save would replace; name the file itself")
            }
            guard try text(of: old).bytes == old.text.bytes else { throw Self.changed(old.text.path) }
            let edit = try ReplyEdit(old.text.bytes, setting: name, to: reply)
            let new = FileText(old.text.path, edit.text, mark: old.text.mark)
            try sources.replacing(at: place, by: source(new, like: old)).check(by: supplier)
            guard
                try FileReplacement.write(
                    new.mark + new.bytes, over: new.path, ifIs: old.text.mark + old.text.bytes)
            else { throw Self.changed(new.path) }
            try take(place)
            return (new.path, edit.line)
        } catch let error as ReplyFault {
            throw HTTPError(.conflict, "\(keptFile ?? FoundFile.name), \(error)")
        } catch let error as Failure {
            throw HTTPError(.conflict, "\(error)")
        }
    }

    private func keepInNewFile(_ reply: JSON, for name: String) throws -> (file: String, line: Int) {
        guard let path = keptFile else {
            throw HTTPError(
                .conflict,
                "there is no file that could be written; start the gateway with --replies FILE, or remove what stands in the way"
            )
        }
        let edit = try ReplyEdit([], setting: name, to: reply)
        guard try FileReplacement.create(path, edit.text) else { throw Self.changed(path) }
        try takeFound(path)
        return (path, edit.line)
    }

    private static func changed(_ path: String) -> HTTPError {
        HTTPError(
            .conflict,
            "somebody else has saved \(path) a moment ago, and it is read now; look at what it says, and save again"
        )
    }
}

/// The file of a gateway's replies, as its API asks for it.
final class KeptReplies: ReplyKeeper {
    let isForPrograms: Bool
    private let replies: LiveReplies

    init(_ replies: LiveReplies, isForPrograms: Bool) {
        self.replies = replies
        self.isForPrograms = isForPrograms
    }

    var file: String? { get async { await replies.keptFile } }

    func keep(_ reply: JSON, for name: String) async throws -> (file: String, line: Int) {
        try await replies.keep(reply, for: name)
    }
}
