import Foundation
import TestSupport
import Testing

/// What looks right and would do nothing is an error of the compiler's, which says what to write.
@Suite(.timeLimit(.minutes(5)))
struct SpellingTests {
    /// Statics of a handler's type that ``HandlerOptions`` says, each in a spelling that compiles by itself.
    private static let statics = [
        "static let deadline: Duration = .seconds(1)", "static let deadline = Duration.seconds(1)",
        "static var deadline: Duration? { nil }", "static let deadline: Duration? = nil",
        "static var deadline: Duration { .zero }", "static let methods: [HTTPRequest.Method] = [.post]",
        "static var methods: [HTTPRequest.Method]? { [.post] }",
        "static let methods = [HTTPRequest.Method.post]",
        "static let methods: Set<HTTPRequest.Method> = [.post]",
        "static let methods = HTTPRequest.Method.post",
        "static let execution = HandlerOptions.Execution.thread",
        "static var execution: HandlerOptions.Execution { .thread }",
        "static let bodyMode = HandlerOptions.Body.streamed",
        "static var bodyMode: HandlerOptions.Body? { .streamed }", "static let deadline = 5",
        "static let deadline: TimeInterval = 5", "static let methods = \"POST\"",
        "static let methods = [\"POST\"]",
    ]

    @Test func aStaticThatIsSaidInTheOptionsDoesNotCompile() async throws {
        let right = [
            "static let options = HandlerOptions(methods: [.post], deadline: nil)", "static let other = 1",
        ]
        let handlers = (right + Self.statics).enumerated().map { number, line in
            "struct H\(number): JSONHandler { \(line); func handle(_ input: String) async throws -> String { input } }"
        }
        let folder = try Folder()
        try folder.write(
            "Handlers.swift",
            "import Foundation\nimport Drawbridge\nimport HTTPTypes\n" + handlers.joined(separator: "\n"))
        let compiler = try Program("swiftc", Self.arguments() + ["\(folder.path)/Handlers.swift"])
        let errors = await compiler.wholeOutput().split(separator: "\n").filter { $0.contains(": error: ") }
        func told(of number: Int) -> [Substring] {
            errors.filter { $0.contains("Handlers.swift:\(number + 4):") }
        }
        for (number, line) in Self.statics.enumerated() {
            let own = told(of: number + right.count)
            #expect(
                own.contains { $0.contains("write static let options = HandlerOptions(") }, "\(line): \(own)")
        }
        for number in right.indices { #expect(told(of: number).isEmpty) }
        // No other error, of a module that was not found for instance.
        #expect(errors.allSatisfy { $0.contains("_SaidInOptions") }, "\(errors)")
    }

    /// For a file that imports `Drawbridge`, as the package is built beside these tests.
    private static func arguments() throws -> [String] {
        let built = URL(filePath: try Program.path(of: "Modules"))
        let texts = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/CTexts/include/module.modulemap")
        let files = FileManager.default
        let maps = try files.contentsOfDirectory(
            at: built.deletingLastPathComponent(), includingPropertiesForKeys: nil
        ).map { $0.appending(path: "module.modulemap") }.filter { files.fileExists(atPath: $0.path) }
        return ["-typecheck", "-swift-version", "6", "-I", built.path]
            + (maps + [texts]).flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }
}
