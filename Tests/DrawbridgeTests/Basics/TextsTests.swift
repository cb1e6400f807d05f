import Foundation
import Testing

@testable import Drawbridge

@Suite(.timeLimit(.minutes(5))) struct TextsTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// A file that is forgotten in Sources/CTexts would be in no program.
    @Test(arguments: [
        "Sources/DrawbridgePageRuntime/Script", "Sources/DrawbridgePageRuntime/Bridges",
        "Sources/DrawbridgePageRuntime/Worker", "Sources/DrawbridgeServer/Inspector/Page",
        "Sources/DrawbridgeCommand/Manual", "examples/pages", "examples/shop",
    ])
    func everyFileOfAFolderIsBuiltIn(_ folder: String) throws {
        let lists = Self.project.appending(path: "Sources/CTexts")
        let code = try FileManager.default.contentsOfDirectory(atPath: lists.path)
            .filter { $0.hasSuffix(".c") }
            .map { try String(contentsOf: lists.appending(path: $0), encoding: .utf8) }.joined()
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Self.project.appending(path: folder).path)
        #expect(!files.isEmpty)
        for file in files {
            let path = folder.hasPrefix("Sources/") ? folder.dropFirst("Sources/".count) : "../\(folder)"
            #expect(code.contains("#embed \"../\(path)/\(file)\"\n"))
        }
    }

    @Test func aBuiltInTextEqualsTheFileOfItsName() throws {
        let file = Self.project.appending(path: "Sources/DrawbridgePageRuntime/Script/calls.js")
        #expect(Texts.core["calls.js"] == Array(try Data(contentsOf: file)))
    }
}
