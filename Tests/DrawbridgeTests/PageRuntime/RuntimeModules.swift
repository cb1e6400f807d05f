import Foundation
import TestSupport
import Testing

/// Files of the page runtime in their order: what each says at its top, and what a parser of JavaScript finds in it.
///
/// A line `// gives: NAME, NAME` has the names of a file that others use, and a line `// uses FILE: NAME, NAME` those
/// that it uses of another. Where one line is too short, there are several.
struct RuntimeModules {
    private struct Module {
        let name: String
        let says: Words
        let has: Names
    }

    /// What a file says.
    private struct Words {
        var gives: Set<String> = []
        var uses: [String: Set<String>] = [:]

        init(_ text: String) {
            for line in text.split(separator: "\n") {
                guard let match = line.wholeMatch(of: /\/\/ (gives|uses (\w+)): (.+)/) else { continue }
                let names = match.3.split(separator: ", ").map(String.init)
                if let file = match.2 {
                    uses[String(file), default: []].formUnion(names)
                } else {
                    gives.formUnion(names)
                }
            }
        }
    }

    /// What is in a file, as `names.js` finds it.
    private struct Names: Decodable {
        let defines: Set<String>
        let uses: Set<String>
        let atOnce: Set<String>
    }

    private let modules: [Module]

    /// - Parameter files: their names without `.js`, and their texts.
    init(_ files: [(name: String, text: String)]) async throws {
        let folder = try Folder()
        let paths = try files.map { try folder.write("\($0.name).js", $0.text) }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "names.js").path()
        if !isInstalled("node") { try Test.cancel("node is not there; run scripts/setup others") }
        let output = try await Program("node", ["--expose-internals", script] + paths).wholeOutput()
        let found = try #require(
            try? JSONDecoder().decode([Names].self, from: Data(output.utf8)), "\(output)")
        modules = zip(files, found).map { Module(name: $0.name, says: Words($0.text), has: $1) }
    }

    /// What is wrong with them, a sentence each.
    var complaints: [String] { doubles + modules.indices.flatMap { complaints(at: $0) } }

    /// Where a name is defined; the first file, if there are two.
    private var definers: [String: Int] {
        let all = modules.indices.flatMap { index in modules[index].has.defines.map { ($0, index) } }
        return Dictionary(all, uniquingKeysWith: min)
    }

    private var doubles: [String] {
        modules.enumerated().flatMap { index, module in
            module.has.defines.sorted().compactMap { name in
                guard let other = definers[name], other < index else { return nil }
                return
                    "\(module.name).js defines \(name), as \(modules[other].name).js does: rename one of them"
            }
        }
    }

    private func complaints(at index: Int) -> [String] {
        let module = modules[index]
        let file = "\(module.name).js"
        var needed: [String: Set<String>] = [:]
        for name in module.has.uses {
            if let definer = definers[name] { needed[modules[definer].name, default: []].insert(name) }
        }
        var complaints: [String] = []
        for other in Set(needed.keys).union(module.says.uses.keys).sorted() {
            let (said, isSo) = (module.says.uses[other] ?? [], needed[other] ?? [])
            complaints += isSo.subtracting(said).sorted().map {
                "\(file) uses \($0) of \(other).js and does not say so: add it to a line // uses \(other):"
            }
            complaints += said.subtracting(isSo).sorted().map { name in
                let isThere = modules.contains { $0.name == other && $0.has.defines.contains(name) }
                return isThere
                    ? "\(file) says that it uses \(name) of \(other).js, and does not"
                    : "\(file) says that it uses \(name) of \(other).js, which does not define it"
            }
        }
        let wanted = modules.filter { $0.name != module.name }.reduce(into: Set<String>()) {
            $0.formUnion($1.has.uses)
        }
        let given = module.has.defines.intersection(wanted)
        complaints += given.subtracting(module.says.gives).sorted().map {
            "\(file) has \($0), which others use, and does not say so: add it to a line // gives:"
        }
        complaints += module.says.gives.subtracting(given).sorted().map {
            "\(file) says that it gives \($0), which no other file uses"
        }
        complaints += module.has.atOnce.sorted().compactMap { name in
            guard let definer = definers[name], definer > index else { return nil }
            return "\(file) needs \(name) while it is evaluated, and \(modules[definer].name).js comes later"
        }
        return complaints
    }
}
