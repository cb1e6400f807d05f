import Dispatch
import Drawbridge

/// Finds the bridges that scripts of a served folder use, and that its pages are not given.
///
/// A page that tests for its bridge does not fail without it: only its scripts show that it needs one. A wrong hint
/// is worse than none, so there is none where the script or its page uses another bridge that it is given.
struct SpokenBridges {
    /// The limits at the gateway's start; `drawbridge init` reads more.
    static let bounds = PageFiles.Bounds(
        files: 500, bytesOfOne: 2 << 20, bytes: 4 << 20, time: .seconds(5))

    let scripts: Scripts
    let runtime: PageRuntime

    /// Reads the folder on a thread of its own, and tells the gateway what it found.
    static func look(in root: String?, for gateway: Gateway) {
        guard let root, let runtime = gateway.pageRuntime else { return }
        // A bridge that is not ours may put anything into pages, so what is missing is unknown.
        guard runtime.bridges.allSatisfy(\.isShipped) else { return }
        DispatchQueue.global(qos: .utility).async {
            // That a folder cannot be read is reported elsewhere.
            guard let files = try? PageFiles(in: root, within: bounds) else { return }
            gateway.remember(SpokenBridges(scripts: files.scripts, runtime: runtime).found)
        }
    }

    /// The missing bridges, each with the script that uses it, and the pages that may have it and no other way.
    var found: [SpokenBridge] {
        let served = Set(scripts.tokens.indices.filter(isGiven).map(scripts.file))
        let pages = Set(scripts.paths.indices.filter { PageFiles.isPage(scripts.paths[$0]) })
        // `navigator.userAgent`, `{ userAgent } = navigator`
        let readers = scripts.places(of: "userAgent").filter { place in
            [-2, 3].contains { scripts[place + $0] == "navigator" }
        }.map(scripts.file)
        // A bridge is reported once for a script, however often the script calls.
        let spoken = PageCalls(scripts).all(.bridge).flatMap { entry in
            Set(entry.places.map(\.file)).map { (file: $0, name: entry.name) }
        }
        return spoken.sorted { $0 < $1 }.compactMap { file, name in
            guard let hint = BridgeHint.named(name), !served.contains(file) else { return nil }
            let lacking = (pages.contains(file) ? [file] : pages).subtracting(served)
            guard pages.isEmpty || !lacking.isEmpty else { return nil }
            let reader = readers.contains(file) ? file : readers.first
            return SpokenBridge(
                hint, in: scripts.paths[file].plain, of: Set(lacking.map { scripts.paths[$0] }),
                readerOfUserAgent: reader.map { scripts.paths[$0].plain })
        }
    }

    /// Whether a way to native is named that pages are given; such a script is written for several apps.
    private func isGiven(_ place: Int) -> Bool {
        let word = scripts[place]
        if let text = scripts.text(place)?.lowercased() {
            let ways = ["_mobile_bridge=1", "__jsbridge__", "://__bridge_loaded__"]
            return ways.contains(where: text.contains)
                || runtime.schemes.contains { text.hasPrefix("\($0)://") }
        }
        let isHandler = scripts[place - 1] == "." && scripts[place - 2] == "messageHandlers"
        let isFunction = scripts[place + 1] == "(" && scripts.receiver(place) == nil
        return word == "_mobile_bridge"
            || isHandler && runtime.messageHandlers.contains { [word, "*"].contains($0) }
            || isFunction
                && (runtime.functions.contains(word)
                    || runtime.functions.contains("*") && ["callNative", "fetchMessages"].contains(word))
            || scripts[place + 1] == "." && runtime.shortcuts.contains(word)
            || BridgeHint.named(word).map { hint in runtime.bridges.contains { $0.gives(hint) } } ?? false
    }
}
