import Drawbridge
import DrawbridgeServer
import EventLoop
import Glibc
import Logging
import Synchronization

/// Lets a gateway answer as files say that may be saved while it runs.
///
/// A save counts as a whole or not at all: of a file that cannot be read nothing is taken, and what it said before stays.
/// The files are looked at ten times a second. Messages of the system would come sooner, but not from folders that a
/// container shares, nor where an editor puts another file in the place of the old one.
struct LiveReplies {
    private var sources: ReplySources
    private let forwarder: ForwardedReplies
    private let gateway: Gateway
    /// The files that no page gets.
    private let hidden: HiddenFiles
    /// Where a file may still be found, and why the one that is there is not taken.
    private var candidates: [String]
    private var candidateComplaint: String?
    /// How it stands with each file.
    private var states: [State]

    private static let pause = Duration.milliseconds(100)

    private struct State {
        /// Nil at first: the file may have been saved since it was read.
        var stamp: FileStamp?
        /// What was said about the last save, which is said once.
        var complaint: String?

        /// Whether a file is not what it was, may be another within the same moment of its clock, or could not be read.
        mutating func isDue(_ path: String) -> Bool {
            let now = FileStamp(path)
            defer { stamp = now }
            return now != stamp || now?.isFresh == true || complaint != nil
        }
    }

    init(_ settings: Settings, for gateway: Gateway) {
        sources = settings.replies
        forwarder = settings.forwarder
        hidden = settings.hidden
        candidates = settings.candidates
        self.gateway = gateway
        states = sources.files.map { _ in State() }
        gateway.forwarder.withLock { $0 = settings.forwarder }
        gateway.reply(by: sources.layers)
        tell(sources.given.doubts, of: "--reply")
        for file in sources.files { tell(file.doubts, of: file.text.path) }
        tellFaults()
    }

    /// Follows the files until its task is cancelled.
    consuming func follow() async {
        while (try? await Task.sleep(for: Self.pause)) != nil {
            lookForFile()
            let followed = sources.files.indices.filter { sources.files[$0].text.isRegular }
            let due = followed.filter { states[$0].isDue(sources.files[$0].text.path) }
            let broken = due.filter { (try? take($0)) == nil }
            guard !broken.isEmpty else { continue }
            // An editor may be half way through, so the file is read again before anything is said.
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            for place in broken {
                do {
                    try take(place)
                } catch {
                    complain("\(error)", about: place)
                }
            }
        }
    }

    /// Takes a file that has come since the start: most people begin without one.
    private mutating func lookForFile() {
        for path in candidates {
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            do {
                let text = try FoundFile.read(path)
                _ = try ConfigFile(found: text)
                let source = try ReplySources.Source(text, kind: .found)
                hidden.add(path)
                candidates = []
                sources.add(source)
                states.append(State())
                gateway.reply(by: sources.layers)
                gateway.logger.notice(
                    "\(path) is found: what it says of replies counts now, and its settings from the next start on"
                )
                tell(source.doubts, of: path)
                tellFaults()
            } catch {
                // An editor may be half way through.
                let complaint = "\(error)"
                if complaint == candidateComplaint { continue }
                if candidateComplaint != nil || complaint.contains("is not read") {
                    gateway.logger.error("\(complaint)")
                }
                candidateComplaint = complaint
            }
            return
        }
    }

    /// Takes what a file says now.
    private mutating func take(_ place: Int) throws {
        let old = sources.files[place]
        let text =
            old.kind == .found
            ? try FoundFile.read(old.text.path) : try FileText(old.text.path, onlyRegular: true)
        guard text.bytes != old.text.bytes else {
            if states[place].complaint != nil {
                states[place].complaint = nil
                gateway.logger.notice("\(text.path) is as it was before the save that was wrong")
            }
            return
        }
        let new = try ReplySources.Source(text, kind: old.kind)
        // What would end a start is no save either.
        if old.kind != .replies { _ = try ConfigFile(text, isFound: old.kind == .found) }
        states[place].complaint = nil
        sources.replace(at: place, by: new)
        gateway.reply(by: sources.layers)
        tellTaken(text.path, new, old)
        tell(new.doubts, of: text.path)
        tellFaults()
    }

    /// Says which replies a file has now.
    private func tellTaken(_ path: String, _ new: ReplySources.Source, _ old: ReplySources.Source) {
        let names = new.file.replies.names
        // A configuration file has more than replies, which is read at a start alone.
        guard old.kind == .replies || !names.isEmpty || !old.file.replies.isEmpty else { return }
        let list = names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
        let count = names.count == 1 ? "1 reply is" : "\(names.count) replies are"
        gateway.logger.notice("\(path): \(count) read again\(names.isEmpty ? "" : ": \(list)")")
    }

    /// Says what is wrong between the files.
    private func tellFaults() {
        for refusal in Set(sources.layers.forwards.compactMap(forwarder.refusal)).sorted() {
            gateway.logger.warning("\(refusal), and start it again")
        }
        for fault in sources.layers.faults { gateway.logger.warning("a step switches it: \(fault)") }
    }

    private mutating func complain(_ text: String, about place: Int) {
        guard states[place].complaint != text else { return }
        states[place].complaint = text
        gateway.logger.error("\(text); until it is mended, the replies from before the save count")
    }

    /// Says what may have been meant otherwise.
    private func tell(_ doubts: [ReplyFault], of source: String) {
        for doubt in doubts { gateway.logger.warning("\(source), \(doubt)") }
    }
}
