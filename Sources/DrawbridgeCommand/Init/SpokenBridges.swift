import Dispatch
import Drawbridge

/// Finds the bridges that scripts of a served folder use, and that its pages are not given.
///
/// A page that tests for its bridge does not fail without it: only its scripts show that it needs one. A wrong hint
/// is worse than none, so there is none where the script or its page uses another bridge that it is given.
struct SpokenBridges {
    /// The limits at the gateway's start; `drawbridge init` reads more.
    static let bounds = PageFiles.Bounds(
        files: 500, bytesOfOne: 2 << 20, bytes: 4 << 20, entries: 20_000, time: .seconds(5))

    private let runtime: PageRuntime
    private let scripts: Scripts
    private let places: [String: Int]

    /// Reads the folder on a thread of its own, and tells the gateway what it found.
    static func look(in root: String?, for gateway: Gateway) {
        guard let root, let runtime = gateway.pageRuntime else { return }
        // A bridge that is not ours may put anything into pages, so what is missing is unknown.
        guard runtime.bridges.allSatisfy(\.isShipped) else { return }
        DispatchQueue.global(qos: .utility).async {
            // That a folder cannot be read is reported elsewhere.
            guard let files = try? PageFiles(in: root, within: bounds) else { return }
            gateway.remember(SpokenBridges(files.scripts, given: runtime).found)
        }
    }

    init(_ scripts: Scripts, given runtime: PageRuntime) {
        self.runtime = runtime
        self.scripts = scripts
        // Paths with two encodings of é are the same String, so that keys may come twice.
        places = Dictionary(scripts.files.enumerated().map { ($1.path, $0) }) { first, _ in first }
    }

    /// The missing bridges, each with the script that uses it and the pages that load this script.
    var found: [SpokenBridge] {
        let files = scripts.files
        let pages = files.indices.filter { PageFiles.isPage(files[$0].path) }
            .map { (path: files[$0].path, files: self.files(ofPage: $0)) }
        let calls = PageCalls(scripts)
        let isServed = files.indices.map { file in calls.ways[file]?.contains(where: isGiven) ?? false }
        var seen: Set<Spoken> = []
        return calls.spoken.compactMap { place, hint in
            guard let file = places[place.file], !isServed[file],
                seen.insert(Spoken(file: file, hint: hint)).inserted
            else { return nil }
            let all = pages.filter { $0.files.contains(file) }
            let lacking = all.filter { !$0.files.contains { isServed[$0] } }
            guard all.isEmpty || !lacking.isEmpty else { return nil }
            return SpokenBridge(hint, in: place.file.plain, of: Set(lacking.map(\.path)))
        }
    }

    /// A bridge that a script uses; it is reported once, however often the script calls.
    private struct Spoken: Hashable {
        let file: Int
        let hint: BridgeHint
    }

    /// A page, and the scripts that it names, and those that they import.
    private func files(ofPage page: Int) -> Set<Int> {
        var found: Set = [page]
        var waiting = [page]
        while let file = waiting.popLast() {
            for reference in scripts.references(of: file) {
                guard let path = Self.path(of: reference, from: scripts.files[file].path) else { continue }
                let other = places[path] ?? places["\(path).js"] ?? places["\(path)/index.js"]
                if let other, found.insert(other).inserted { waiting.append(other) }
            }
        }
        return found
    }

    /// The path below the folder to which a relative URL in a file leads; nil for one outside of it.
    private static func path(of reference: String, from file: String) -> String? {
        let text = reference.prefix { $0 != "?" && $0 != "#" }
        guard !text.contains(":"), !text.hasPrefix("//") else { return nil }
        var parts = text.hasPrefix("/") ? [] : file.split(separator: "/").dropLast()
        for part in text.split(separator: "/") where part != "." {
            if part == ".." {
                guard parts.popLast() != nil else { return nil }
            } else {
                parts.append(part)
            }
        }
        return parts.joined(separator: "/")
    }

    /// Whether pages are given this bridge; a script that uses it among others is written for several apps.
    private func isGiven(_ bridge: NativeBridge) -> Bool {
        switch bridge {
        case .flagged, .request: true
        // Any object may have a `callHandler`; only the library's URL (`libraryURL`) proves it.
        case .webViewJavascriptBridge: false
        case .message(let name): Self.has(name, runtime.messageHandlers)
        case .queue, .commandURL: false
        case .scheme(let name): runtime.schemes.contains(name)
        case .libraryURL: true
        case .function(let name): Self.has(name, runtime.functions)
        case .shortcut(let name): runtime.shortcuts.contains(name)
        case .outside(let name):
            runtime.shortcuts.contains(name)
                || BridgeHint.named(name).map { hint in runtime.bridges.contains { $0.gives(hint) } } ?? false
        }
    }

    /// Whether a list has a name; `*` is every name.
    private static func has(_ name: String, _ names: [String]) -> Bool {
        names.contains(name) || names.contains("*")
    }
}
