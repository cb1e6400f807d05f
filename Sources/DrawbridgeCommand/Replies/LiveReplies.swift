import ArgumentParser
import EventLoop

/// Gives a gateway its mocks, and watches the files of mocks and bridge scripts: a saved file is used from then on.
///
/// A file is used as a whole or not at all: while it is invalid, its previous version stays in use. The files are
/// polled ten times a second. inotify would be faster, but misses changes in shared folders of containers, and replaced
/// files.
actor LiveReplies {
    private(set) var sources: ReplySources
    let supplier: OutsideReplies
    let gateway: Gateway
    let builtIns: BuiltIns?
    /// Whether programs may save mocks in the file, and not only the inspector.
    nonisolated let isForPrograms: Bool
    /// What the file says now; what it said at the start is what only a restart changes.
    private(set) var options: LayeredOptions
    private let atStart: ConfigFile?
    /// The state of each file, in the order of `sources.files`.
    private(set) var states: [State]
    /// The state of a `drawbridge.json` that exists but was not read yet; nil if a file was read or given.
    ///
    /// It is looked for all the time, because most users start without one.
    private(set) var search: State?
    let root: String?
    /// The bridge scripts as they were last read; nil if a file is missing or empty (an editor may be writing it).
    private var bridges: [WatchedScript]
    /// The latest saves of this process, the newest last; `by` is `inspector`, `program` or `terminal`.
    var kept: [(number: Int, by: String, file: String, written: ReplyEdit.Written)] = []
    var lastSave = 0

    private static let pause = Duration.milliseconds(100)

    struct State {
        /// Empty at first, because the file may have changed since it was read.
        var stamps: [FileStamp?] = []
        /// The error of the last save, kept so that it is logged once.
        var complaint: String?

        /// Whether the file (or its folder, if it was found) has changed or is too fresh to tell.
        mutating func isDue(_ path: String, isFound: Bool = false) -> Bool {
            let now = (isFound ? [path, Descriptor.folder(of: path)] : [path]).map { FileStamp($0) }
            defer { stamps = now }
            return now != stamps || now.contains { $0?.isFresh == true }
        }
    }

    /// A changed file with its index in `sources.files`; nil for a file that has appeared.
    private typealias Due = (path: String, place: Int?)

    init(_ settings: Settings, for gateway: Gateway, _ builtIns: BuiltIns?) {
        sources = settings.replies
        supplier = settings.supplier
        self.gateway = gateway
        self.builtIns = builtIns
        isForPrograms = settings.options[\.inspector.save] == true
        options = settings.options
        atStart = settings.options.file
        states = sources.files.map { _ in State() }
        root = settings.root
        bridges = Self.scripts(options)
        search =
            switch settings.found {
            case .nothing: State()
            // The reason why the file is ignored was logged at the start.
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
        try builtIns?.follow(sources.written, options[\.handlers.builtIns])
        gateway.reply(by: sources.layers)
        let file = settingsPlace.map { sources.files[$0].text.path } ?? FoundFile.new(in: root)
        let flags = PageOptions.live.filter { $0.value(options.flags.pages) }.keys
        gateway.configure { $0.pageFile = (file, Set(flags)) }
    }

    /// Where the settings are, in `sources.files`: a file of mocks alone has none.
    var settingsPlace: Int? { sources.files.firstIndex { $0.kind == .settings || $0.kind == .found } }

    /// Watches the files until the task is cancelled, or until no file is left that could change.
    func follow() async {
        while isOfUse, (try? await Task.sleep(for: Self.pause)) != nil {
            reloadPages()
            let before = problem
            defer { if problem != before { gateway.journal.touch(.replies) } }
            let broken = due().filter { (try? take($0)) == nil }
            guard !broken.isEmpty else { continue }
            // Read once more before an error is logged, because an editor may still be writing the file.
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

    private typealias WatchedScript = (path: String, state: State, bytes: [UInt8]?)

    private static func scripts(_ options: LayeredOptions) -> [WatchedScript] {
        options[\.pages.bridge].compactMap(\.file).map { ($0, State(), script($0)) }
    }

    private static func script(_ path: String) -> [UInt8]? {
        (try? FileText(path, onlyRegular: true).bytes).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reloads the open pages after bridge scripts were saved, once for all scripts.
    ///
    /// A new page gets the current script; from an open page the old one cannot be removed.
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

    /// Reads a file that has appeared since the start, unless one was made by a save meanwhile.
    func takeFound(_ path: String) throws {
        guard search != nil else { return }
        let (source, config) = try read(FoundFile.read(path, in: root), as: .found)
        search = nil
        states.insert(State(), at: sources.written.count)
        sources.add(source)
        let settings = try config.map(use) ?? []
        let wereOn = gateway.program.switchedOff.isEmpty
        try apply()
        let off = wereOn && !gateway.program.switchedOff.isEmpty ? ["the built-in answers are off"] : []
        gateway.logger.notice(
            "\((["found \(path): its mocks are used from now on"] + off + settings).joined(separator: "; "))")
        tell(source.file.doubts, of: path)
        tellFaults()
    }

    func take(_ place: Int) throws {
        let old = sources.files[place]
        guard !Self.isGone(old.text.path) else {
            throw Failure("\(old.text.path) was deleted; the next save of a mock creates it again")
        }
        let text = try text(of: old)
        guard text.whole != old.text.whole else {
            if states[place].complaint != nil {
                states[place].complaint = nil
                gateway.logger.notice("\(text.path) is valid again")
            }
            return
        }
        // A saved file is checked like at the start, and refused if it is invalid.
        let (new, config) = try read(text, as: old.kind)
        let changed = sources.replacing(at: place, by: new)
        try changed.check(by: supplier)
        states[place].complaint = nil
        sources = changed
        let settings = try config.map(use) ?? []
        try apply()
        tellTaken(text.path, new, old, settings)
        tell(new.file.doubts, of: text.path)
        tellFaults()
    }

    func text(of source: ReplySources.Source) throws -> FileText {
        source.kind == .found
            ? try FoundFile.read(source.text.path, in: root)
            : try FileText(source.text.path, onlyRegular: true)
    }

    /// Reads a file like at the start: what would be refused there is refused.
    func read(
        _ text: FileText, as kind: ReplySources.Source.Kind
    ) throws -> (source: ReplySources.Source, config: ConfigFile?) {
        if kind == .replies { return (try ReplySources.Source(text, kind: kind), nil) }
        let config = try ConfigFile(text, isFound: kind == .found)
        do {
            _ = try runtime(config)
        } catch {
            throw error is Failure ? error : Failure("\(text.path): \(Command.message(for: error))")
        }
        return (config.source, config)
    }

    private func runtime(_ config: ConfigFile) throws -> PageRuntime? {
        var options = options
        options.file = config
        return try Settings.reloaded(options, needsRestart: !late(config).isEmpty)
    }

    /// The settings that only a restart changes, and that are others than at the start.
    private func late(_ config: ConfigFile) -> [String] {
        config.changes(since: atStart).filter { key in
            // Documents are left as they are for the life of a gateway that was started so.
            key == "plain" ? gateway.injection == nil : PageOptions.live[key] == nil && key != "built-ins"
        }
    }

    /// Gives pages what the file says, from the next document on.
    ///
    /// - Returns: what that is, for the log.
    private func use(_ config: ConfigFile) throws -> [String] {
        let changed = config.changes(since: options.file)
        let late = late(config).filter(changed.contains)
        var runtime = try runtime(config)
        options.file = config
        bridges = Self.scripts(options).map { new in bridges.first { $0.path == new.path } ?? new }
        // What was switched in the inspector stays, unless the file says something else now.
        if !changed.contains("in-app"), let now = gateway.pageRuntime {
            runtime = runtime?.answered(inApp: now.inApp)
        }
        gateway.give(runtime)
        let live = changed.filter { PageOptions.live[$0] != nil && !late.contains($0) }
        let idle = live.filter { PageOptions.live[$0]?(options.flags.pages) == true }
        let given = live.filter { !idle.contains($0) }
        return [
            given.isEmpty
                ? nil
                : "\(given.map(config.shown).joined(separator: ", ")); pages have it when they are loaded again",
            idle.isEmpty ? nil : "--\(idle.joined(separator: ", --")) of the command line still applies",
            late.isEmpty ? nil : "\(late.joined(separator: ", ")): at the next start",
        ].compactMap(\.self)
    }

    private func tellTaken(
        _ path: String, _ new: ReplySources.Source, _ old: ReplySources.Source, _ settings: [String]
    ) {
        let (before, now) = (old.file.replies.texts, new.file.replies.texts)
        guard old.kind == .replies || !before.isEmpty || !now.isEmpty || !settings.isEmpty else { return }
        let same = now.count { before[$0.key] == $0.value }
        let parts = [
            ("changed", now.keys.filter { before[$0] != nil && before[$0] != now[$0] }),
            ("new", now.keys.filter { before[$0] == nil }), ("gone", before.keys.filter { now[$0] == nil }),
        ].filter { !$0.1.isEmpty }.map { word, names in
            let list = names.sorted().prefix(8).joined(separator: ", ")
            return "\(names.count) \(word) (\(list)\(names.count > 8 ? ", …" : ""))"
        }
        let hasMocks = !before.isEmpty || !now.isEmpty || settings.isEmpty
        let mocks = hasMocks ? [(parts + ["\(same) as before"]).joined(separator: ", ")] : []
        gateway.logger.notice("reloaded \(path): \((mocks + settings).joined(separator: "; "))")
    }

    /// Warns about steps that switch to a scenario that no file has.
    private func tellFaults() {
        for fault in sources.layers.faults { gateway.logger.warning("a step of an event: \(fault)") }
    }

    var problem: String? { states.lazy.compactMap(\.complaint).first ?? search?.complaint }

    private func complain(_ text: String, about due: Due) {
        if let place = due.place {
            guard states[place].complaint != text else { return }
            states[place].complaint = text
            gateway.logger.error("\(text); still using the previous version")
        } else if search != nil, search?.complaint != text {
            search?.complaint = text
            gateway.logger.error("\(text); it is used as soon as it is valid")
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
