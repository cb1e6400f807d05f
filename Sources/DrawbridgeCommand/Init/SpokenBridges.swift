import Dispatch
import Drawbridge

/// Finds the bridges that scripts of a served folder use although no option provides them.
///
/// A page that tests whether its bridge exists throws no error if it is missing, so the scripts are searched. A script
/// or page that also uses a bridge that is provided gets no hint: a wrong hint is worse than none.
struct SpokenBridges {
    /// The limits of the search at the gateway's start; `drawbridge init` reads more files.
    static let bounds = PageFiles.Bounds(
        files: 500, bytesOfOne: 2 << 20, bytes: 4 << 20, time: .seconds(5))

    let scripts: Scripts
    let runtime: PageRuntime

    /// Searches the folder on a background queue, and passes the bridges that are missing to the gateway.
    static func look(in root: String?, for gateway: Gateway) {
        guard let root, let runtime = gateway.pageRuntime else { return }
        // The script of a custom bridge may define any object in pages, so nothing is known to be missing.
        guard runtime.bridges.allSatisfy(\.isShipped) else { return }
        DispatchQueue.global(qos: .utility).async {
            // The gateway starts without hints if the folder cannot be read.
            guard let files = try? PageFiles(in: root, within: bounds) else { return }
            gateway.remember(SpokenBridges(scripts: files.scripts, runtime: runtime).found)
        }
    }

    /// The missing bridges, each with the script that uses it and the pages, without a bridge, that may load this script.
    var found: [SpokenBridge] {
        let served = Set(scripts.tokens.indices.filter(isGiven).map(scripts.file))
        let pages = Set(scripts.paths.indices.filter { PageFiles.isPage(scripts.paths[$0]) })
        // The files that read the user agent: `navigator.userAgent`, `{ userAgent } = navigator`
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
            return (
                hint, scripts.paths[file].plain, Set(lacking.map { scripts.paths[$0] }),
                reader.map { scripts.paths[$0].plain }
            )
        }
    }

    /// Whether the code at a place uses a bridge that pages already have; a script that does may support several apps.
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
            || BridgeHint.named(word).map { runtime.gives(Lack($0)) } ?? false
    }
}
