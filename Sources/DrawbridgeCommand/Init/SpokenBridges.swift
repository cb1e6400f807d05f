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
        (self.scripts, self.runtime) = (scripts, runtime)
    }

    /// The missing bridges, each with the script that uses it and the pages that load this script.
    var found: [SpokenBridge] {
        let calls = PageCalls(scripts)
        let pages = scripts.files.filter { PageFiles.isPage($0.path) }.map {
            ($0.path, files(ofPage: $0.path))
        }
        let served = Set(
            scripts.files.indices.filter { calls.ways[$0]?.contains(where: isGiven) ?? false }.map {
                scripts.files[$0].path
            })
        // A bridge is reported once for a script, however often the script calls.
        var seen: [String: Set<BridgeHint>] = [:]
        return calls.spoken.compactMap { place, hint in
            guard !served.contains(place.file), seen[place.file, default: []].insert(hint).inserted else {
                return nil
            }
            let all = pages.filter { $0.1.contains(place.file) }
            let lacking = all.filter { $0.1.isDisjoint(with: served) }
            return all.isEmpty || !lacking.isEmpty
                ? SpokenBridge(hint, in: place.file.plain, of: Set(lacking.map(\.0))) : nil
        }
    }

    /// A page, and the scripts that it names, and those that they import.
    private func files(ofPage page: String) -> Set<String> {
        let places = Dictionary(scripts.files.map { ($0.path, $0.tokens) }) { first, _ in first }
        var (found, waiting) = (Set([page]), [page])
        while let file = waiting.popLast() {
            for place in places[file] ?? 0..<0
            where scripts.isImported(place) || scripts[place - 1] == "=" && scripts[place - 2] == "src" {
                guard let path = scripts.text(place).flatMap({ Self.path(of: $0, from: file) }) else {
                    continue
                }
                let script = [path, "\(path).js", "\(path)/index.js"].first { places[$0] != nil }
                if let script, found.insert(script).inserted { waiting.append(script) }
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
            if part != ".." { parts.append(part) } else if parts.popLast() == nil { return nil }
        }
        return parts.joined(separator: "/")
    }

    /// Whether pages are given this bridge; a script that uses it among others is written for several apps.
    private func isGiven(_ bridge: NativeBridge) -> Bool {
        switch bridge {
        case .given: true
        case .other: false
        case .message(let name): runtime.messageHandlers.contains { [name, "*"].contains($0) }
        case .function(let name): runtime.functions.contains { [name, "*"].contains($0) }
        case .scheme(let name): runtime.schemes.contains(name)
        case .shortcut(let name): runtime.shortcuts.contains(name)
        case .outside(let name):
            runtime.shortcuts.contains(name)
                || BridgeHint.named(name).map { hint in runtime.bridges.contains { $0.gives(hint) } } ?? false
        }
    }
}
