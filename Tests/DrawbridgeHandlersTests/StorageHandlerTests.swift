import Drawbridge
import DrawbridgeHandlers
import Foundation
import Testing

private typealias Store = StorageHandler.Store

@Suite struct StorageHandlerTests {
    private static func app(_ store: StorageHandler.Store) throws -> App {
        try App { _ in StorageHandler(store: store) }
    }

    @Test func storageKeepsAnyValue() async throws {
        let app = try Self.app(Store())
        for value in [#""dark""#, "12.50", "[1,null]", #"{"a":{"b":true}}"#, "false"] {
            let json = try JSON(parsing: Array(value.utf8))
            let written = try await app.call(#"{"key":"k","value":\#(value)}"#)
            #expect(written["data"] == ["key": "k", "value": json])
            #expect(try await app.call(#"{"key":"k"}"#)["data"] == ["key": "k", "value": json])
        }
    }

    @Test func storageRemovesAndListsKeys() async throws {
        let app = try Self.app(Store())
        _ = try await app.call(#"{"key":"a","value":1}"#)
        _ = try await app.call(#"{"key":"b","value":2}"#)
        #expect(try await app.call()["data"] == ["keys": ["a", "b"]])
        #expect(try await app.call(#"{"key":"a","value":null}"#)["data"] == ["key": "a"])
        #expect(try await app.call(#"{"key":"a"}"#)["data"] == ["key": "a"])
        #expect(try await app.call()["data"] == ["keys": ["b"]])
    }

    @Test func storageLosesNothingToConcurrentCalls() async throws {
        let app = try Self.app(Store())
        try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                group.addTask { try await app.call(#"{"key":"\#(number)","value":\#(number)}"#) }
            }
            for try await reply in group { #expect(reply["code"] == 200) }
        }
        #expect(try await app.call()["data"]?["keys"]?.arrayValue?.count == 50)
    }

    @Test func storageRefusesMoreThanItsLimit() async throws {
        let app = try Self.app(Store())
        _ = try await app.call(#"{"key":"kept","value":1}"#)
        let text = String(repeating: "x", count: Store.limit)
        let reply = try await app.call(#"{"key":"big","value":"\#(text)"}"#)
        #expect(reply["code"] == 507)
        #expect(try await app.call()["data"] == ["keys": ["kept"]])
    }
}

@Suite struct StoreTests {
    private let folder: URL
    private var path: String { folder.appending(path: "deeper/storage.json").path() }

    init() { folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)") }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    @Test func theStoreSurvivesARestart() throws {
        defer { remove() }
        let first = Store(path: path)
        try first.set("theme", to: "dark")
        try first.set("gone", to: 1)
        try first.set("gone", to: nil)
        #expect(try Store(path: path).values()["theme"] == .some("dark"))
        #expect(try Store(path: path).values().map(\.key) == ["theme"])
        // Nothing but the file and its lock is left behind.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "deeper").path())
                .sorted()
                == ["storage.json", "storage.json.lock"])
    }

    @Test func theStoreIsSharedByProcessesAndEditableByHand() throws {
        defer { remove() }
        let one = Store(path: path)
        let other = Store(path: path)
        try one.set("a", to: 1)
        try other.set("b", to: 2)
        #expect(try one.values().map(\.key) == ["a", "b"])
        try Data(#"{"c":3}"#.utf8).write(to: URL(filePath: path))
        #expect(try one.values().map(\.key) == ["c"])
    }

    @Test(arguments: ["{", "[1]", "", "\u{0}"]) func aDamagedStoreIsNotOverwritten(_ text: String) throws {
        defer { remove() }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "deeper"), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: Store.StoreError.self) { try Store(path: path).values() }
        #expect(error?.description.contains(path) == true)
        #expect(error?.description.contains("move it away") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(text.utf8))
    }

    @Test func theStoreWritesToTheTargetOfALink() throws {
        defer { remove() }
        try Store(path: path).set("a", to: 1)
        let link = folder.appending(path: "link.json").path()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try Store(path: link).set("b", to: 2)
        #expect(try Store(path: path).values().map(\.key) == ["a", "b"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }

    @Test func theStoreReportsAFileThatItCannotWrite() throws {
        let store = Store(path: "/proc/nothing/storage.json")
        let error = #expect(throws: Store.StoreError.self) { try store.set("a", to: 1) }
        #expect(error?.description.hasPrefix("cannot open /proc/nothing/storage.json") == true)
        #expect(try store.values().isEmpty)
    }
}
