import Drawbridge
import DrawbridgeServer
import EventLoop
import Logging
import Synchronization

/// Gives a gateway its replies, and follows the files of these and of bridges: what is saved is used from then on.
///
/// A saved file is taken as a whole or not at all: while it is invalid, its previous version stays in use.
/// The files are polled ten times a second. The system's notifications would be faster, but miss changes in folders
/// that a container shares, and files that an editor replaces instead of writing them.
actor LiveReplies {
    private(set) var sources: ReplySources
    let supplier: OutsideReplies
    let gateway: Gateway
    let builtIns: BuiltIns?
    /// Whether programs may write replies into the file.
    nonisolated let isForPrograms: Bool
    /// Whether the built-in handlers answer; nil where neither a flag nor a file says so.
    private var hasBuiltIns: Bool?
    /// The state of each file in `sources.files`, in their order.
    private(set) var states: [State]
    /// The state of a `drawbridge.json` that is there and not read yet; nil where one was found, or another was named.
    ///
    /// The search goes on until there is one: most people begin without.
    private(set) var search: State?
    let root: String?
    /// The scripts of bridges as they were read last; nil where a file is missing or empty: an editor may be about to
    /// write it.
    private var bridges: [(path: String, state: State, bytes: [UInt8]?)]
    /// The last saves of this process, the newest last, and who has saved: `inspector`, `program` or `terminal`.
    var kept: [(number: Int, by: String, file: String, written: ReplyEdit.Written)] = []
    var lastSave = 0

    private static let pause = Duration.milliseconds(100)

    struct State {
        /// Empty at first: the file may have been saved since it was read.
        var stamps: [FileStamp?] = []
        /// The error of the last save, which is logged only once.
        var complaint: String?

        /// Whether a file, or the folder of one that was found, has changed, or may have again with the same timestamps.
        mutating func isDue(_ path: String, isFound: Bool = false) -> Bool {
            let now = (isFound ? [path, Descriptor.folder(of: path)] : [path]).map { FileStamp($0) }
            defer { stamps = now }
            return now != stamps || now.contains { $0?.isFresh == true }
        }
    }

    /// A file that has changed, and its place in `sources.files`; without one it has appeared.
    private typealias Due = (path: String, place: Int?)

    init(_ settings: Settings, for gateway: Gateway, _ builtIns: BuiltIns?) {
        sources = settings.replies
        supplier = settings.supplier
        self.gateway = gateway
        self.builtIns = builtIns
        isForPrograms = settings.options[\.inspector.save] == true
        hasBuiltIns = settings.options[\.handlers.builtIns]
        states = sources.files.map { _ in State() }
        root = settings.root
        bridges = settings.options[\.pages.bridge].compactMap(\.file).map { ($0, State(), Self.script($0)) }
        search =
            switch settings.found {
            case .nothing: State()
            // The start has logged why it is not read.
            case .unread(let why): State(complaint: why)
            case .file, .notSought: nil
            }
    }

    func begin() throws {
        gateway.configure { $0.replySupplier = supplier }
        try apply()
        tell(sources.given.doubts, of: "--reply")
        for file in sources.files { tell(file.file.doubts, of: file.text.path) }
        tellFaults()
    }

    private func apply() throws {
        try builtIns?.follow(sources.written, hasBuiltIns)
        gateway.reply(by: sources.layers)
    }

    /// Follows the files until its task is cancelled, or none is left that could change.
    func follow() async {
        while isOfUse, (try? await Task.sleep(for: Self.pause)) != nil {
            reloadPages()
            let before = problem
            defer { if problem != before { gateway.journal.touch(.replies) } }
            let broken = due().filter { (try? take($0)) == nil }
            guard !broken.isEmpty else { continue }
            // An editor may still be writing, so the file is read once more before an error is logged.
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            for due in broken {
                do {
                    try take(due)
                } catch {
                    complain("\(error)", about: due)
                }
            }
        }
    }

    private var isOfUse: Bool {
        search != nil || !bridges.isEmpty || sources.files.contains { $0.text.isRegular }
    }

    private static func script(_ path: String) -> [UInt8]? {
        (try? FileText(path, onlyRegular: true).bytes).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reloads the open pages when scripts of bridges are saved, once where several are.
    ///
    /// A script is read for each page that loads. An open page keeps the old one, which cannot be removed from it.
    private func reloadPages() {
        let changed = bridges.indices.filter { place in
            let path = bridges[place].path
            guard bridges[place].state.isDue(path), let now = Self.script(path), now != bridges[place].bytes
            else { return false }
            bridges[place].bytes = now
            return true
        }
        guard !changed.isEmpty else { return }
        let names = changed.map { bridges[$0].path }.joined(separator: ", ")
        gateway.logger.notice("reloaded \(names): open pages reload too")
        gateway.pages.reload()
    }

    private func due() -> [Due] {
        var due: [Due] = sources.files.indices.filter { place in
            let file = sources.files[place]
            return file.text.isRegular && states[place].isDue(file.text.path, isFound: file.kind == .found)
        }.map { (sources.files[$0].text.path, $0) }
        if search != nil {
            if let path = FoundFile.there(in: root).first {
                if search?.isDue(path, isFound: true) == true { due.append((path, nil)) }
            } else {
                search = State()
            }
        }
        return due
    }

    private func take(_ due: Due) throws {
        if let place = due.place { try take(place) } else { try takeFound(due.path) }
    }

    /// Reads a file that has appeared since the start, unless a save has made one meanwhile.
    func takeFound(_ path: String) throws {
        guard search != nil else { return }
        let config = try ConfigFile(FoundFile.read(path, in: root), isFound: true)
        search = nil
        hasBuiltIns = hasBuiltIns ?? config.options.handlers.builtIns
        states.insert(State(), at: sources.written.count)
        sources.add(config.source)
        try apply()
        let rest = config.hasSettings ? "; its settings, from the next start on" : ""
        gateway.logger.notice("found \(path): its mocks are used from now on\(rest)")
        tell(config.source.file.doubts, of: path)
        tellFaults()
    }

    func take(_ place: Int) throws {
        let old = sources.files[place]
        guard !Self.isGone(old.text.path) else {
            throw Failure("\(old.text.path) was deleted; the next save of a mock writes it anew")
        }
        let text = try text(of: old)
        guard text.whole != old.text.whole else {
            if states[place].complaint != nil {
                states[place].complaint = nil
                gateway.logger.notice("\(text.path) is valid again")
            }
            return
        }
        // A file that would be refused at the start is refused when it is saved.
        let new = try source(text, like: old)
        let changed = sources.replacing(at: place, by: new)
        try changed.check(by: supplier)
        states[place].complaint = nil
        sources = changed
        try apply()
        tellTaken(text.path, new, old)
        tell(new.file.doubts, of: text.path)
        tellFaults()
    }

    func text(of source: ReplySources.Source) throws -> FileText {
        source.kind == .found
            ? try FoundFile.read(source.text.path, in: root)
            : try FileText(source.text.path, onlyRegular: true)
    }

    func source(_ text: FileText, like old: ReplySources.Source) throws -> ReplySources.Source {
        switch old.kind {
        case .replies: try ReplySources.Source(text, kind: .replies)
        case .settings, .found, .welcome: try ConfigFile(text, isFound: old.kind == .found).source
        }
    }

    private func tellTaken(_ path: String, _ new: ReplySources.Source, _ old: ReplySources.Source) {
        let (before, now) = (old.file.replies.texts, new.file.replies.texts)
        // A configuration file without mocks has only settings, which are read at the start alone.
        guard old.kind == .replies || !before.isEmpty || !now.isEmpty else { return }
        let same = now.count { before[$0.key] == $0.value }
        let parts = [
            ("changed", now.keys.filter { before[$0] != nil && before[$0] != now[$0] }),
            ("new", now.keys.filter { before[$0] == nil }), ("gone", before.keys.filter { now[$0] == nil }),
        ].filter { !$0.1.isEmpty }.map { word, names in
            let list = names.sorted().prefix(8).joined(separator: ", ")
            return "\(names.count) \(word) (\(list)\(names.count > 8 ? ", …" : ""))"
        }
        gateway.logger.notice("reloaded \(path): \((parts + ["\(same) as before"]).joined(separator: ", "))")
    }

    /// Warns of steps that switch a scenario which is in none of the files.
    private func tellFaults() {
        for fault in sources.layers.faults { gateway.logger.warning("a step switches it: \(fault)") }
    }

    var problem: String? { states.lazy.compactMap(\.complaint).first ?? search?.complaint }

    private func complain(_ text: String, about due: Due) {
        if let place = due.place {
            guard states[place].complaint != text else { return }
            states[place].complaint = text
            gateway.logger.error("\(text); still using the previous version")
        } else if search != nil, search?.complaint != text {
            search?.complaint = text
            gateway.logger.error("\(text); it is used when it is valid")
        }
    }

    private func tell(_ doubts: [ReplyFault], of source: String) {
        let most = 20
        for doubt in doubts.prefix(most) { gateway.logger.warning("\(source), \(doubt)") }
        if doubts.count > most {
            gateway.logger.warning("\(source): \(doubts.count - most) more warnings of this kind")
        }
    }
}
