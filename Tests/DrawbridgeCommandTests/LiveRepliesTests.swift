import Drawbridge
import Glibc
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// The files of mocks while the gateway runs.
@Suite(.timeLimit(.minutes(5))) struct LiveRepliesTests {
    /// One that cannot be read is read again a moment later: it may be gone then, and a save may have made it anew.
    @Test func aFileThatASaveMakesBetweenTwoLooksIsTakenOnce() async throws {
        let folder = try Folder()
        let flags = FileText("settings.json", Array(#"{"root": "\#(folder.path)"}"#.utf8))
        let settings = try Settings(ConfigFile(flags, isFound: false).options, nil, isAlone: true)
        let replies = LiveReplies(settings, for: Gateway(), nil)
        try await replies.begin()
        let path = try folder.write("drawbridge.json", "{")
        await #expect(throws: (any Error).self) { try await replies.takeFound(path) }
        #expect(unlink(path) == 0)
        #expect(try await replies.keep(["code": 0], for: "pay").file == path)
        try await replies.takeFound(path)
        #expect(await replies.sources.files.count == 1)
        #expect(await replies.states.count == 1)
    }
}
