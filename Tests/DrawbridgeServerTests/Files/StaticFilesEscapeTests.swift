import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import Testing

@Suite("Static files: escaping the folder")
struct StaticFilesEscapeTests {
    @Test(arguments: [
        "/../secret.txt", "/..", "/../", "/docs/../../secret.txt", "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/.%2e/secret.txt", "/%2E./secret.txt", "/%252e%252e/secret.txt", "/%252e%252e%252fsecret.txt",
        "/..%5csecret.txt", "/..\\secret.txt", "/docs/..%5c..%5csecret.txt", "/..%2fsecret.txt",
        "/..%00/secret.txt",
        "/a.txt%00", "/a.txt%00.html", "/%00", "/docs%2findex.html", "//a.txt", "/docs//index.html", "//",
        "/docs//",
        "/./a.txt", "/docs/./index.html", "/docs/../a.txt", "/docs/%2e%2e/a.txt", "/a.txt/", "/a.txt/.",
        "/a.txt/x",
        "/%ff", "/%c0%ae%c0%ae/secret.txt", "/%c0%af", "/..;/secret.txt", "/%u002e%u002e/secret.txt",
        "/%uff0e%uff0e/secret.txt", "/．．/secret.txt", "/\u{2025}/secret.txt", "", "*", "a.txt", "secret.txt",
        "../secret.txt", "/.", "/docs/.", "/docs/..", "/.\u{301}./secret.txt",
    ])
    func pathsThatEscapeTheFolderOrNameNoFileAreRefused(target: String) async throws {
        try await expectNothing(at: target)
    }

    @Test func anAbsolutePathOfTheSystemIsRefused() async throws {
        let site = try StaticFilesSite(["a.txt": "hello"])
        for target in [
            site.top + "/secret.txt", "/" + site.top + "/secret.txt", "/%2f" + site.top + "/secret.txt",
        ] {
            let response = await site.get(target)
            #expect(response.status == .notFound)
        }
    }

    @Test(arguments: [
        "/.env", "/.git/config", "/%2egit/config", "/docs/.htaccess", "/.well-known/.key",
        "/docs/.well-known/a",
    ])
    func hiddenFilesAreNotServed(target: String) async throws {
        try await expectNothing(at: target)
    }

    @Test func wellKnownFilesAreServed() async throws {
        let site = try StaticFilesSite([".well-known/assetlinks.json": "[]"])
        #expect(try await site.text("/.well-known/assetlinks.json") == "[]")
    }

    @Test(arguments: [
        "/up.txt", "/absolute.txt", "/outside/secret.txt", "/outside/", "/outside", "/chain.txt",
        "/deep/up.txt",
        "/loop", "/loop/", "/ping", "/broken", "/sneaky/secret.txt", "/prefix.txt", "/etc/passwd",
        "/self/fd/0",
        "/indexed/", "/indexed", "/filelink.txt/", "/slashed.txt",
    ])
    func linksThatLeadOutAreNotFollowed(target: String) async throws {
        let site = try Self.site()
        try site.link("up.txt", to: "../secret.txt")
        try site.link("absolute.txt", to: site.top + "/secret.txt")
        try site.link("outside", to: "..")
        try site.link("chain.txt", to: "chain2.txt")
        try site.link("chain2.txt", to: "docs/../../secret.txt")
        try site.folder("deep")
        try site.link("deep/up.txt", to: "../../secret.txt")
        try site.link("loop", to: "loop")
        try site.link("ping", to: "pong")
        try site.link("pong", to: "ping")
        try site.link("broken", to: "nothing")
        // Out and in again by name is out.
        try site.link("sneaky", to: "../root/..")
        try site.link("prefix.txt", to: site.path("") + "../secret.txt")
        try site.link("etc", to: "/etc")
        try site.link("self", to: "/proc/self")
        try site.folder("indexed")
        try site.link("indexed/index.html", to: "../../secret.txt")
        try site.link("filelink.txt", to: "a.txt")
        try site.link("slashed.txt", to: "a.txt/")
        try await expectNothing(at: target, on: site)
    }

    @Test func aSiblingFolderWithALongerNameIsOutside() async throws {
        let site = try Self.site()
        let sibling = String(site.path("").dropLast()) + "-private"
        try FileManager.default.createDirectory(atPath: sibling, withIntermediateDirectories: false)
        try Data(StaticFilesSite.secret.utf8).write(to: URL(filePath: sibling + "/secret.txt"))
        try site.link("sibling", to: sibling)
        try await expectNothing(at: "/sibling/secret.txt", on: site)
        try await expectNothing(at: "/../root-private/secret.txt", on: site)
    }

    @Test(arguments: [
        ("/link.txt", "hello"), ("/folder/index.html", "docs"), ("/folder/", "docs"),
        ("/docs/back.txt", "hello"),
        ("/absolute.txt", "hello"), ("/here/a.txt", "hello"), ("/chain.txt", "hello"),
        ("/hop/here/docs/", "docs"),
        ("/whole/a.txt", "hello"), ("/config.txt", "configured"),
    ])
    func linksWithinTheFolderAreFollowed(target: String, text: String) async throws {
        let site = try Self.site()
        try site.link("link.txt", to: "a.txt")
        try site.link("folder", to: "docs")
        try site.link("docs/back.txt", to: "../docs/./..//a.txt")
        try site.link("absolute.txt", to: site.path("a.txt"))
        try site.link("here", to: ".")
        try site.link("chain.txt", to: "here/link.txt")
        try site.link("hop", to: "docs/..")
        try site.link("whole", to: site.path(""))
        // As mounted configurations look: the names that a caller may not ask for may be in a link.
        try site.file("..2026/config.txt", "configured")
        try site.link("..data", to: "..2026")
        try site.link("config.txt", to: "..data/config.txt")
        #expect(try await site.text(target) == text)
    }

    @Test func aLinkedFolderWithoutItsSlashIsRedirectedToItself() async throws {
        let site = try Self.site()
        try site.link("folder", to: "docs")
        #expect(await site.get("/folder").headers[.location] == "/folder/")
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["/fifo", "/socket", "/linked-fifo", "/null", "/fifos/", "/device"])
    func pipesAndDevicesAreNotOpened(target: String) async throws {
        let site = try Self.site()
        #expect(mkfifo(site.path("fifo"), 0o666) == 0)
        try site.link("linked-fifo", to: "fifo")
        try site.link("null", to: "/dev/zero")
        try site.folder("fifos")
        #expect(mkfifo(site.path("fifos/index.html"), 0o666) == 0)
        // Only the superuser makes one; without it the name is missing, which is the same answer.
        _ = mknod(site.path("device"), S_IFCHR | 0o666, 0x0105)
        let socket = try Self.listen(at: site.path("socket"))
        defer { close(socket) }
        try await expectNothing(at: target, on: site)
    }

    @Test(arguments: ["/empty/", "/empty", "/index-is-a-folder/", "/index-is-a-folder"])
    func foldersWithoutAnIndexAreNotListed(target: String) async throws {
        let site = try Self.site()
        try site.folder("empty")
        try site.file("index-is-a-folder/index.html/a.txt", "deep")
        try await expectNothing(at: target, on: site)
    }

    @Test func namesThatAreTooLongAreNotFound() async throws {
        let site = try Self.site()
        #expect(await site.get("/" + String(repeating: "a", count: 300)).status == .notFound)
        #expect(await site.get(String(repeating: "/a", count: 4000)).status == .notFound)
    }

    @Test func aLinkThatIsSwappedMeanwhileNeverLeadsOut() async throws {
        let site = try Self.site()
        try site.file("swap.txt", "hello")
        try site.link("link.txt", to: "../secret.txt")
        try site.file("swap/secret.txt", "hello")
        try site.link("link", to: "..")
        let swapping = Task.detached {
            let moves = [("swap", "parked"), ("link", "swap"), ("swap", "link"), ("parked", "swap")]
            while !Task.isCancelled {
                for end in ["", ".txt"] {
                    for (from, to) in moves { rename(site.path(from + end), site.path(to + end)) }
                }
                await Task.yield()
            }
        }
        var shown: Set<String> = []
        for _ in 0..<300 {
            for target in ["/swap.txt", "/swap/secret.txt"] {
                let response = await site.get(target)
                if response.status == .ok {
                    shown.insert(String(decoding: try await response.body.collect(), as: UTF8.self))
                }
            }
        }
        swapping.cancel()
        await swapping.value
        #expect(shown == ["hello"])
    }

    private static func site() throws -> StaticFilesSite {
        try StaticFilesSite([
            "a.txt": "hello", "docs/index.html": "docs", ".env": StaticFilesSite.secret,
            ".git/config": StaticFilesSite.secret, "docs/.htaccess": StaticFilesSite.secret,
            ".well-known/.key": StaticFilesSite.secret, "docs/.well-known/a": StaticFilesSite.secret,
        ])
    }

    private func expectNothing(at target: String, on site: StaticFilesSite? = nil) async throws {
        let site = try site ?? Self.site()
        for method in [HTTPRequest.Method.get, .head, .post] {
            let response = await site.get(target, method: method)
            #expect(response.status == .notFound)
            let text = String(decoding: try await response.body.collect(), as: UTF8.self)
            #expect(!text.contains(StaticFilesSite.secret) && !text.contains("root:"))
        }
    }

    private static func listen(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw StaticFilesSite.Failure("bind \(path)") }
        return listener
    }
}
