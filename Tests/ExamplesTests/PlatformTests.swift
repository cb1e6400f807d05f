import Foundation
import ProgramSupport
import Testing

/// Handlers and their tests import nothing that a Mac lacks: their files are read as its compiler would read them.
struct PlatformTests {
    private static let products = [
        "Drawbridge", "DrawbridgeTesting", "DrawbridgeURLProtocol", "DrawbridgeHandlers", "NotesTests",
        "OrdersTests",
    ]
    private static let others: Set = [
        "Darwin", "Dispatch", "Foundation", "HTTPTypes", "Logging", "Synchronization", "Testing",
    ]

    @Test func handlersAndTheirTestsImportNothingThatAMacLacks() throws {
        let targets = Dictionary(uniqueKeysWithValues: try Module.targets().map { ($0.name, $0) })
        var names = Self.products
        for name in Self.products { #expect(targets[name] != nil, "Package.swift has no target \(name)") }
        var read = 0
        while read < names.count {
            let target = try #require(targets[names[read]])
            read += 1
            #expect(!target.isSystemLibrary, "\(target.name) is a C library of Linux")
            names += target.dependencies.filter { targets[$0] != nil && !names.contains($0) }.sorted()
        }
        #expect(names.count > 15, "\(names)")
        let known = Self.others.union(names)
        for name in names {
            for file in try Manual.files(in: targets[name]?.path ?? "", ending: ".swift") {
                let text = try String(contentsOf: Manual.root.appending(path: file), encoding: .utf8)
                for module in Self.imports(of: text) where !known.contains(module) {
                    Issue.record(
                        "\(file) imports \(module): put it behind the #else of #if canImport(Darwin)")
                }
            }
        }
    }

    @Test(arguments: [
        ("import Glibc\nimport Dispatch", ["Glibc", "Dispatch"]),
        ("#if canImport(Darwin)\nimport Darwin\n#else\nimport Glibc\n#endif\nimport B", ["Darwin", "B"]),
        ("#if canImport(Darwin)\n#elseif canImport(Musl)\nimport Musl\n#else\nimport Glibc\n#endif", []),
        ("#if canImport(Glibc)\nimport Glibc\n#else\nimport Darwin\n#endif", ["Glibc", "Darwin"]),
        ("#if !canImport(Darwin)\nimport Glibc\n#else\nimport B\n#endif", ["B"]),
        ("#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif", []),
        ("#if canImport(FoundationEssentials)\nimport A\n#else\nimport Foundation\n#endif", ["Foundation"]),
        (
            "#if canImport(Darwin)\n#if os(Linux)\nimport A\n#endif\n#else\n#if B\nimport B\n#endif\n#endif",
            ["A"]
        ),
        ("@testable import CLinux\npackage import func Glibc.memcmp", ["CLinux", "Glibc"]),
    ])
    func whatAMacWouldImportIsFound(_ text: String, _ modules: [String]) {
        #expect(Self.imports(of: text) == modules)
    }

    /// What a file imports where Darwin is, and the parts of Foundation that Linux has apart are not; a condition of
    /// which nothing is known may be either.
    private static func imports(of text: String) -> [String] {
        var open: [(isRead: Bool, isDone: Bool)] = []
        var modules: [String] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let isTrue = words.dropFirst().first.flatMap { truth(of: $0) }
            switch words.first {
            case "#if": open.append((isTrue != false, isTrue == true))
            case "#elseif":
                let isDone = open.removeLast().isDone
                open.append((!isDone && isTrue != false, isDone || isTrue == true))
            case "#else": open.append((!open.removeLast().isDone, true))
            case "#endif": open.removeLast()
            default:
                guard open.allSatisfy(\.isRead), let module = Module.imported(by: line) else { continue }
                modules.append(module)
            }
        }
        return modules
    }

    private static func truth(of condition: Substring) -> Bool? {
        switch condition {
        case "canImport(Darwin)": true
        case "!canImport(Darwin)", "canImport(FoundationEssentials)", "canImport(FoundationNetworking)": false
        case "!canImport(FoundationEssentials)", "!canImport(FoundationNetworking)": true
        default: nil
        }
    }
}
