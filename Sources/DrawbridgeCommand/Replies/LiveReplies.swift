import Drawbridge
import EventLoop
import Logging

/// Lets a gateway answer as files say that may be saved while it runs.
///
/// A save counts as a whole or not at all: of a file that cannot be read nothing is taken, and what counted before stays.
/// The files are looked at ten times a second. Messages of the system would come sooner, but not from folders that a
/// container shares, nor where an editor puts another file in the place of the old one.
struct LiveReplies {
    private let sources: ReplySources
    private let gateway: Gateway
    private var texts: [[UInt8]]
    private var stamps: [FileStamp?]
    /// What was said about the last save, which is said once.
    private var complaint = ""

    private static let pause = Duration.milliseconds(100)

    /// Reads the files for the first time.
    ///
    /// - Throws: what is wrong in one of them: nothing is served by half of what was meant.
    init(_ sources: ReplySources, for gateway: Gateway) throws {
        self.sources = sources
        self.gateway = gateway
        stamps = sources.files.map(FileStamp.init)
        texts = try sources.texts()
        gateway.reply(by: try sources.layers(texts))
    }

    /// Follows the files until its task is cancelled.
    consuming func follow() async {
        guard !sources.files.isEmpty else { return }
        while (try? await Task.sleep(for: Self.pause)) != nil {
            guard hasChanged() else { continue }
            if (try? take()) != nil { continue }
            // An editor may be half way through, so the file is read again before anything is said.
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            do {
                _ = hasChanged()
                try take()
            } catch  where "\(error)" != complaint {
                complaint = "\(error)"
                gateway.logger.error("\(error); until it is mended, the replies from before the save count")
            } catch {}
        }
    }

    /// Whether a file is not what it was, or may be another within the same moment of its clock.
    private mutating func hasChanged() -> Bool {
        let now = sources.files.map(FileStamp.init)
        defer { stamps = now }
        return now != stamps || now.contains { $0?.isFresh == true }
    }

    /// Takes what the files say now.
    private mutating func take() throws {
        let now = try sources.texts()
        guard now != texts || !complaint.isEmpty else { return }
        let layers = try sources.layers(now)
        complaint = ""
        guard now != texts else { return }
        gateway.reply(by: layers)
        let changed = zip(sources.files, zip(now, texts)).filter { $1.0 != $1.1 }.map(\.0)
        texts = now
        gateway.logger.notice("\(changed.joined(separator: ", ")): replies are read again")
    }
}
