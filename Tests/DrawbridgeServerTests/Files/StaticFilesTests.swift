import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Static files: serving files")
struct StaticFilesTests {
    @Test func aFileIsSentWithTheFieldsThatCachesNeed() async throws {
        let site = try StaticFilesSite(["style/main.css": "a { color: red }"])
        try site.setModified("style/main.css", 784_111_777)
        let response = await site.get("/style/main.css?v=3")
        #expect(response.status == .ok)
        #expect(try await response.body.collect() == Array("a { color: red }".utf8))
        #expect(response.body.length == 16)
        #expect(response.headers[.contentType] == "text/css; charset=utf-8")
        #expect(response.headers[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(response.headers[.acceptRanges] == "bytes")
        #expect(response.headers[.cacheControl] == "no-cache")
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        let tag = try #require(response.headers[.eTag])
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 2)
    }

    @Test func headIsAnsweredLikeGet() async throws {
        let site = try StaticFilesSite(["a.txt": "hello"])
        let get = await site.get("/a.txt")
        let head = await site.get("/a.txt", [.range: "bytes=0-1"], method: .head)
        #expect(head.status == .ok)
        #expect(head.body.length == 5)
        #expect(head.headers[.eTag] == get.headers[.eTag])
        #expect(head.headers[.contentType] == get.headers[.contentType])
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .patch, .options])
    func otherMethodsOnAFileAreA405WithTheAllowedOnes(method: HTTPRequest.Method) async throws {
        let site = try StaticFilesSite(["a.txt": "hello", "docs/index.html": "docs"])
        for target in ["/a.txt", "/docs/"] {
            let response = await site.get(target, method: method)
            #expect(response.status == .methodNotAllowed)
            #expect(response.headers[.allow] == "GET, HEAD")
        }
    }

    @Test(arguments: ["/missing", "/docs", "/empty/", "/", "/a.txt/"])
    func otherMethodsWhereThereIsNoFileGoToTheNextResponder(target: String) async throws {
        let site = try StaticFilesSite(["docs/index.html": "docs", "a.txt": "hello"])
        try site.folder("empty")
        let files = try StaticFiles(root: site.path(""))
        #expect(try await files.respond(to: Request(.post, target)) == nil)
    }

    @Test func aMissingFileIsLeftToTheNextResponder() async throws {
        let site = try StaticFilesSite(["a.txt": "first"])
        let other = try StaticFilesSite(["a.txt": "second", "b.txt": "second"])
        let gateway = Gateway(passThrough: [.staticFiles(site.path("")), .staticFiles(other.path(""))])
        for (target, text) in [("/a.txt", "first"), ("/b.txt", "second")] {
            let response = await gateway.respond(to: Request(.get, target))
            #expect(try await response.body.collect() == Array(text.utf8))
        }
        #expect(await gateway.respond(to: Request(.get, "/c.txt")).status == .notFound)
    }

    @Test func fileNamesAreServedAsDecoded() async throws {
        let site = try StaticFilesSite([
            "a b.txt": "space", "über/日本.txt": "wide", "%2e%2e": "encoded dots", "a+b.txt": "plus",
            "50%.txt": "percent",
            "..c": "hidden", "d..": "dots", "e.txt:f": "colon",
        ])
        #expect(try await site.text("/a%20b.txt") == "space")
        #expect(try await site.text("/%C3%BCber/%e6%97%a5%e6%9c%ac.txt") == "wide")
        #expect(try await site.text("/%252e%252e") == "encoded dots")
        #expect(try await site.text("/a+b.txt") == "plus")
        #expect(try await site.text("/50%.txt") == "percent")
        #expect(try await site.text("/d..") == "dots")
        #expect(try await site.text("/e.txt:f") == "colon")
        #expect(await site.get("/..c").status == .notFound)
    }

    @Test func aFolderIsAnsweredWithItsIndex() async throws {
        let site = try StaticFilesSite(["index.html": "top", "docs/index.html": "docs"])
        #expect(try await site.text("/") == "top")
        #expect(try await site.text("/?a=b") == "top")
        #expect(try await site.text("/docs/") == "docs")
        #expect(await site.get("/docs/").headers[.contentType] == "text/html")
    }

    @Test(arguments: [
        ("/docs", "/docs/"), ("/docs?a=b&c=//d", "/docs/?a=b&c=//d"), ("/docs?", "/docs/?"),
        ("/%64ocs", "/docs/"), ("/a%20b%3f", "/a%20b%3F/"), ("/docs/evil.com", "/docs/evil.com/"),
    ])
    func aFolderWithoutItsSlashIsRedirected(target: String, location: String) async throws {
        let site = try StaticFilesSite([
            "docs/index.html": "docs", "a b?/index.html": "odd", "docs/evil.com/index.html": "evil",
        ])
        for method in [HTTPRequest.Method.get, .head] {
            let response = await site.get(target, method: method)
            #expect(response.status == .movedPermanently)
            #expect(response.headers[.location] == location)
        }
    }

    @Test(arguments: [
        "//docs", "//evil.com/..", "//evil.com", "/\\evil.com", "/%5Cevil.com", "/%2Fdocs", "//docs/..",
        "///docs",
    ])
    func aRedirectNeverLeadsToAnotherHost(target: String) async throws {
        let site = try StaticFilesSite(["docs/index.html": "docs", "evil.com/index.html": "evil"])
        try site.file("\\evil.com/index.html", "evil")
        let response = await site.get(target)
        #expect(response.status == .notFound)
        #expect(response.headers[.location] == nil)
    }

    @Test func emptyAndLargeFilesAreSentWhole() async throws {
        let site = try StaticFilesSite(["empty.txt": ""])
        #expect(await site.get("/empty.txt").body.length == 0)
        for size in [16 << 10, 16 << 10 + 1, 300_000] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            try site.file("data.bin", bytes: bytes)
            let response = await site.get("/data.bin")
            #expect(response.body.length == size)
            #expect(try await response.body.collect() == bytes)
        }
    }

    @Test func aLargeFileStaysOpenUntilItIsSent() async throws {
        let site = try StaticFilesSite()
        try site.file("data.bin", bytes: [UInt8](repeating: 7, count: 100_000))
        var response: Response? = await site.get("/data.bin")
        try FileManager.default.removeItem(atPath: site.path("data.bin"))
        guard case .file(let file) = try #require(response).body.content else {
            Issue.record("a large file is sent as a file")
            return
        }
        #expect(try file.handle.read(at: 99_990, count: 100) == [UInt8](repeating: 7, count: 10))
        let descriptor = file.handle.descriptor
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        response = nil
    }

    @Test func everyOpenedFileIsClosed() async throws {
        let site = try StaticFilesSite(["a/b/index.html": "small"])
        try site.file("data.bin", bytes: [UInt8](repeating: 7, count: 100_000))
        try site.link("link", to: "a/../a/b/..")
        for _ in 0..<20 {
            for target in ["/a/b/", "/a/b", "/data.bin", "/link/b/", "/missing", "/a"] {
                _ = await site.get(target)
            }
        }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let ours = open.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix(
                site.top) == true
        }
        #expect(ours.isEmpty)
    }
}

@Suite("Static files: the root folder")
struct StaticFilesRootTests {
    @Test func aMissingFolderIsReportedAtTheStart() throws {
        let site = try StaticFilesSite(["file": "x"])
        let error = try #require(throws: StaticFiles.RootError.self) {
            try StaticFiles(root: site.top + "/none")
        }
        let line =
            "cannot serve files from \(site.top)/none: No such file or directory; "
            + "create the folder, or name the one that holds index.html"
        #expect(error.description == line)
        let other = try #require(throws: StaticFiles.RootError.self) {
            try StaticFiles(root: site.path("file"))
        }
        #expect(other.description.contains("Not a directory; name the folder that holds the files"))
        #expect(throws: StaticFiles.RootError.self) { try StaticFiles(root: "") }
        #expect(throws: Never.self) { try StaticFiles(root: site.path("")) }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
    func anUnreadableFolderIsReportedAtTheStart() throws {
        let site = try StaticFilesSite()
        chmod(site.path(""), 0)
        defer { chmod(site.path(""), 0o755) }
        let error = try #require(throws: StaticFiles.RootError.self) { try StaticFiles(root: site.path("")) }
        #expect(error.description.contains("Permission denied; let the user"))
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
    func anUnreadableFileIsForbidden() async throws {
        let site = try StaticFilesSite(["a.txt": "closed"])
        chmod(site.path("a.txt"), 0)
        #expect(await site.get("/a.txt").status == .forbidden)
    }

    @Test func filesOfAMissingRootAreA404AndItIsReportedOnce() async throws {
        let site = try StaticFilesSite(hasRoot: false)
        for _ in 0..<3 { #expect(await site.get("/a.txt").status == .notFound) }
        let complaints = site.log.entries.filter {
            $0.contains("cannot serve files from \(site.path("").dropLast())")
        }
        #expect(complaints.count == 1)
        #expect(complaints.first?.hasPrefix("error: ") == true)
        try site.folder("")
        try site.file("a.txt", "built")
        #expect(try await site.text("/a.txt") == "built")
    }

    @Test func theFolderMayBeALinkWhoseTargetChanges() async throws {
        let site = try StaticFilesSite(["v1/a.txt": "one", "v2/a.txt": "two"])
        try site.link("current", to: "v1")
        let files = try StaticFiles(root: site.path("current/"))
        let gateway = Gateway(passThrough: [files])
        #expect(try await gateway.respond(to: Request(.get, "/a.txt")).body.collect() == Array("one".utf8))
        try FileManager.default.removeItem(atPath: site.path("current"))
        try site.link("current", to: "v2")
        #expect(try await gateway.respond(to: Request(.get, "/a.txt")).body.collect() == Array("two".utf8))
    }

    @Test func aRelativeRootStartsAtTheWorkingFolder() async throws {
        let site = try StaticFilesSite(["a.txt": "hello"])
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let name = String(repeating: "../", count: depth) + site.path("").dropFirst()
        let gateway = Gateway(passThrough: [try StaticFiles(root: name)])
        #expect(await gateway.respond(to: Request(.get, "/a.txt")).status == .ok)
    }
}
