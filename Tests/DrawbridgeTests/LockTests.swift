import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct LockTests {
    /// A closure that is all that a lock keeps is wrapped once more each time that somebody looks at it: it stands in a
    /// struct, which is not.
    @Test func noLockStoresAClosureDirectly() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources").standardized
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
