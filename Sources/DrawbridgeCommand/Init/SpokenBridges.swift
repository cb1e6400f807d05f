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
    private var calls = PageCalls()
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
        if script.isPage { pages.insert(file) }
        calls.read(script)
        if script.items.contains(where: { isGiven($0, script) }) { served.insert(file) }
        let reads = script.items.filter { $0.word == Self.userAgent }.map {
            script.around($0, before: 60, after: 40)
        }
        // `navigator.userAgent`, `{ userAgent } = navigator`
        if reads.contains(where: { $0.contains("navigator.") || $1.contains(/}\s*=\s*navigator/) }) {
            readers.append(file)
        }
    }

    private static let userAgent = Script.hash("userAgent".utf8)

    /// The missing bridges, each with the script that uses it and the pages, without a bridge, that may load this script.
    var found: [SpokenBridge] {
        // A bridge is reported once for a script, however often the script calls.
        let spoken = calls.all(.bridge).flatMap { entry in
            Set(entry.places.map(\.file)).map { (file: $0, name: entry.name) }
        }
        return spoken.sorted { $0 < $1 }.compactMap { file, name in
            guard let hint = BridgeHint.named(name), !served.contains(file) else { return nil }
            let lacking = (pages.contains(file) ? [file] : pages).subtracting(served)
            guard pages.isEmpty || !lacking.isEmpty else { return nil }
            let reader = readers.contains(file) ? file : readers.first
            return (hint, paths[file].plain, Set(lacking.map { paths[$0] }), reader.map { paths[$0].plain })
        }
    }

    /// Whether an item uses a bridge that pages already have; a script that does may support several apps.
    private func isGiven(_ item: Script.Item, _ script: Script) -> Bool {
        let word = script.text(item.range)
        if item.isText {
            let text = word.lowercased()
            return ["_mobile_bridge=1", "__jsbridge__", "://__bridge_loaded__"].contains(where: text.contains)
                || runtime.schemes.contains { text.hasPrefix("\($0)://") }
        }
        let (isCall, isObject) = (script[item.range.upperBound] == "(", script[item.range.upperBound] == ".")
        return word == "_mobile_bridge"
            || runtime.messageHandlers.contains { [word, "*"].contains($0) }
                && script.around(item, before: 20, after: 0).before.hasSuffix("messageHandlers.")
            || isCall
                && (runtime.functions.contains(word)
                    || runtime.functions.contains("*") && ["callNative", "fetchMessages"].contains(word))
            || isObject && runtime.shortcuts.contains(word)
            || BridgeHint.named(word).map { runtime.gives(Lack($0)) } ?? false
    }
}
