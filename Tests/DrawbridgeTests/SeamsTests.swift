import Foundation
import Testing

/// What the files of the core know of each other, by the names of types that stand in them.
///
/// A type is where it is declared at the top of a file; what extends it elsewhere belongs to whoever extends it.
@Suite("The seams of the core") struct SeamsTests {
    private static let core = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Sources/Drawbridge").standardized

    /// A file, and the names that it declares and mentions.
    private struct File {
        let path: String
        let declared: Set<String>
        let mentioned: Set<String>

        var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

        init(_ url: URL, in root: URL) throws {
            path = String(url.path().dropFirst(root.path().count)).trimmingPrefix("/").description
            let text = try Self.code(String(contentsOf: url, encoding: .utf8))
            let declaration =
                /^(?:@\w+ |\w+(?:\(\w+\))? )*(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w*)/
                .anchorsMatchLineEndings()
            declared = Set(text.matches(of: declaration).map { String($0.1) })
            mentioned = Set(text.matches(of: /\b[A-Z]\w*\b/).map { String($0.0) })
        }

        /// The text without comments and strings.
        private static func code(_ text: String) -> String {
            text.replacing(/"""(?s:.*?)"""/, with: "\"\"")
                .replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"")
                .replacing(/\/\/[^\n]*/, with: "")
        }
    }

    private static func files() throws -> [File] {
        let found = try #require(
            FileManager.default.enumerator(at: core, includingPropertiesForKeys: nil))
        let files = try found.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try File($0, in: core) }
        try #require(files.count > 100)
        return files
    }

    /// The files whose types each file mentions.
    private static func arrows(_ files: [File]) -> [Set<Int>] {
        var places: [String: [Int]] = [:]
        for (index, file) in files.enumerated() {
            for name in file.declared { places[name, default: []].append(index) }
        }
        return files.enumerated().map { index, file in
            Set(file.mentioned.flatMap { places[$0] ?? [] }).subtracting([index])
        }
    }

    /// All that a file leads to.
    private static func reached(from start: Int, _ arrows: [Set<Int>]) -> Set<Int> {
        var (reached, next) = (Set<Int>(), [start])
        while let one = next.popLast() {
            for other in arrows[one] where reached.insert(other).inserted { next.append(other) }
        }
        return reached
    }

    /// Files of a ring lead to each other: whoever reads one of them has to read all.
    @Test func noRingIsLargerThanOneCanRead() throws {
        let files = try Self.files()
        let arrows = Self.arrows(files)
        let reached = files.indices.map { Self.reached(from: $0, arrows) }
        for index in files.indices {
            let ring = reached[index].filter { reached[$0].contains(index) }
            #expect(ring.count <= 8, "\(ring.map { files[$0].path }.sorted())")
        }
    }

    /// What a folder may know of the others.
    @Test(
        arguments: [
            ("Basics", []), ("Request", ["Access", "Basics", "Response"]), ("Response", ["Access", "Basics"]),
        ] as [(String, Set<String>)])
    func whatStandsAloneKnowsNoMore(_ folder: String, _ others: Set<String>) throws {
        let files = try Self.files()
        let arrows = Self.arrows(files)
        let inside = files.indices.filter { files[$0].folder == folder }
        try #require(!inside.isEmpty)
        for index in inside {
            for other in arrows[index] where files[other].folder != folder {
                #expect(
                    others.contains(files[other].folder), "\(files[index].path) knows \(files[other].path)")
            }
        }
    }

    /// A request knows neither who answers it nor the page that it comes from.
    @Test(arguments: ["Gateway", "Page", "Pages", "Plan", "Decision", "Route"])
    func aRequestKnowsNothingOf(_ type: String) throws {
        for file in try Self.files() where file.folder == "Request" || file.path == "Responder.swift" {
            #expect(!file.mentioned.contains(type), "\(file.path)")
        }
    }

    /// A closure that is all that a lock keeps is wrapped once more each time that somebody looks at it: it stands in a
    /// struct, which is not.
    @Test func noClosureStandsAloneInALock() throws {
        let sources = Self.core.appending(path: "..").standardized
        let found = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let files = found.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        try #require(files.count > 300)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            let closure = text.firstMatch(
                of: /(?:Mutex|Guarded|QueueBound)<\(*(?:@\w+ )*\([^<>\[\]]*\)[^<>\[\]]*->/)
            #expect(closure == nil, "\(file.path()): \(closure.map { String($0.output) } ?? "")")
        }
    }
}
