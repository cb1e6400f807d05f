import Dispatch

/// Finds the bridges that scripts of a served folder use although no option provides them.
///
/// A page that tests whether its bridge exists throws no error if it is missing, so the scripts are searched. A script
/// or page that also uses a bridge that is provided gets no hint: a wrong hint is worse than none.
struct SpokenBridges {
    /// The limits of the search at the gateway's start; `drawbridge init` reads more files.
    static let bounds = PageFiles.Bounds(
        files: 500, bytesOfOne: 2 << 20, bytes: 4 << 20, time: .seconds(5))

    let runtime: PageRuntime
    /// The uses of bridges, and what scripts declare themselves.
    private var (uses, declared): ([(file: Int, name: String)], Set<String>) = ([], [])
    private var paths: [String] = []
    private var pages: Set<Int> = []
    /// The files that use a bridge that pages already have, and those that read the user agent.
    private var (served, readers): (Set<Int>, [Int]) = ([], [])

    init(_ runtime: PageRuntime) { self.runtime = runtime }

    /// Searches the folder on a background queue, and passes the bridges that are missing to the gateway.
    static func look(in root: String?, for gateway: Gateway) {
        guard let root, let runtime = gateway.pageRuntime else { return }
        // The script of a custom bridge may define any object in pages, so nothing is known to be missing.
        guard runtime.bridges.allSatisfy(\.isShipped) else { return }
        DispatchQueue.global(qos: .utility).async {
            var spoken = SpokenBridges(runtime)
            // The gateway starts without hints if the folder cannot be read.
            guard (try? PageFiles(in: root, within: bounds) { spoken.read($0) }) != nil else { return }
            gateway.remember(spoken.found)
        }
    }

    mutating func read(_ script: Script) {
        let file = paths.count
        paths.append(script.path)
        if PageFiles.isPage(script.path) { pages.insert(file) }
        var calls = PageCalls()
        calls.read(script)
        uses += calls.all(.bridge).map(\.name).sorted().map { (file, $0) }
        declared.formUnion(calls.declared)
        if isServed(script) { served.insert(file) }
        // `navigator.userAgent`, `{ userAgent } = navigator`
        if script.has("navigator", ".userAgent") || script.has("userAgent", " } = navigator") {
            readers.append(file)
        }
    }

    /// The missing bridges, each with the script that uses it and the pages, without a bridge, that may load this script.
    var found: [SpokenBridge] {
        uses.compactMap { file, name in
            if declared.contains(name) { return nil }
            guard let hint = BridgeHint.named(name), !served.contains(file) else { return nil }
            let lacking = (pages.contains(file) ? [file] : pages).subtracting(served)
            guard pages.isEmpty || !lacking.isEmpty else { return nil }
            let reader = readers.contains(file) ? file : readers.first
            return (hint, paths[file].plain, Set(lacking.map { paths[$0] }), reader.map { paths[$0].plain })
        }
    }

    /// Whether a script uses a bridge that pages already have; it may support several apps.
    private func isServed(_ script: Script) -> Bool {
        let requests = ["_mobile_bridge", "__jsbridge__", "__bridge_loaded__", "__BRIDGE_LOADED__"]
        let functions = runtime.functions.contains("*") ? ["callNative", "fetchMessages"] : []
        return requests.contains { script.has($0) }
            || runtime.schemes.contains { script.has($0, "://") }
            || runtime.messageHandlers.contains { script.has("messageHandlers", $0 == "*" ? "." : ".\($0)") }
            || (runtime.functions + functions).contains { script.has($0, "(") }
            || runtime.shortcuts.contains { script.has($0, ".") }
            || script.words.keys.contains { BridgeHint.named($0).map { runtime.gives(Lack($0)) } ?? false }
    }
}
