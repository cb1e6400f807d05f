import Testing

@testable import DrawbridgeStore

/// The URL of a shared store.
struct StoreAddressTests {
    @Test func aSocketIsAPath() throws {
        let address = try #require(StoreAddress("unix:/run/redis.sock"))
        #expect(address.path == "/run/redis.sock")
        #expect(!address.hasPassword)
    }

    @Test func aHostHasAPortAndADatabase() throws {
        let address = try #require(StoreAddress("redis://store.internal:6380/2"))
        #expect((address.host, address.port, address.database) == ("store.internal", 6380, 2))
        #expect(StoreAddress("redis://[::1]:6380")?.host == "::1")
        let short = try #require(StoreAddress("redis://store.internal"))
        #expect((short.port, short.database) == (6379, 0))
    }

    @Test func aPasswordIsNotShown() throws {
        let address = try #require(StoreAddress("redis://gateway:p%40ss@store.internal/1"))
        #expect(address.credentials == ["gateway", "p@ss"])
        #expect("\(address)" == "redis://store.internal/1")
        #expect(StoreAddress("redis://:secret@store.internal")?.credentials == ["secret"])
    }

    @Test(arguments: [
        "", "store.internal", "unix:run", "redis://", "redis://host/x", "rediss://host", "http://host",
        "redis://host:99999",
        "redis://host:99999999999", "redis://host:x", "redis://host/0?x",
    ])
    func anythingElseIsNone(_ text: String) { #expect(StoreAddress(text) == nil) }
}
