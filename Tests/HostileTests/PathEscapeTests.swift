import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// The files of a folder, asked by raw targets; the forms of links and names are tried in `StaticFilesEscapeTests`.
@Suite("Hostile 16: no byte from outside the folder", .timeLimit(.minutes(5)))
struct PathEscapeTests {
    private static let secret = "the secret that never leaves"

    private static let targets = [
        "/../secret.txt", "/..", "/../", "/a/../../secret.txt", "/a/b/../../../secret.txt",
        "/./../secret.txt",
        "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/.%2e/secret.txt", "/%2E./secret.txt",
        "/..%2fsecret.txt",
        "/%252e%252e/secret.txt", "/%252e%252e%252fsecret.txt", "/%25252e%25252e/secret.txt",
        "/..%5csecret.txt", "/..\\secret.txt", "/a\\..\\..\\secret.txt", "/%5c..%5csecret.txt",
        "/..%00/secret.txt", "/a.txt%00", "/a.txt%00.html", "/%00", "/%00../secret.txt",
        "/../secret.txt%00.html",
        "//secret.txt", "//etc/passwd", "///etc/passwd", "/%2fetc/passwd", "/a//a.txt", "//",
        "/%c0%ae%c0%ae/secret.txt", "/%c0%af..%c0%afsecret.txt", "/%e0%80%ae%e0%80%ae/secret.txt", "/%ff",
        "/%uff0e%uff0e/secret.txt", "/%u002e%u002e/secret.txt", "/..;/secret.txt", "/..;a=b/secret.txt",
        "/....//secret.txt", "/.../secret.txt", "/..%2f..%2f..%2f..%2fetc%2fpasswd", "/a/..", "/a/.", "/.",
        "/~root/", "/file:///etc/passwd", "/proc/self/environ", "/../root/../secret.txt",
        // A link out, a folder behind one, what is not a file, a folder, what is hidden.
        "/link.txt", "/outside/secret.txt", "/outside/", "/fifo", "/device", "/zero", "/empty/", "/empty",
        "/.hidden", "/.git/config", "/%2egit/config", "/a/.htaccess", "/.well-known/.key",
        "/.well-known/../.hidden",
    ]

    /// A folder `root`, and a secret next to it.
    private static func site() throws -> Folder {
        let folder = try Folder()
        try folder.write("secret.txt", secret)
        for name in [".hidden", ".git/config", "a/.htaccess", ".well-known/.key"] {
            try folder.write("root/\(name)", secret)
        }
        try folder.write("root/a.txt", "a")
        try folder.write("root/a/a.txt", "a")
        try folder.write("root/.well-known/assetlinks.json", "[]")
        let root = "\(folder.path)/root"
        let files = FileManager.default
        try files.createDirectory(atPath: "\(root)/empty", withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: "\(root)/link.txt", withDestinationPath: "../secret.txt")
        try files.createSymbolicLink(atPath: "\(root)/outside", withDestinationPath: "..")
        try files.createSymbolicLink(atPath: "\(root)/zero", withDestinationPath: "/dev/zero")
        try #require(mkfifo("\(root)/fifo", 0o666) == 0)
        // Only the superuser makes one; without it the name is missing, which is the same answer.
        _ = mknod("\(root)/device", S_IFCHR | 0o666, 0x0105)
        return folder
    }

    @Test(arguments: targets) func aTargetThatEscapesTheFolderGetsNoFile(_ target: String) async throws {
        let folder = try Self.site()
        try await serving(.quiet(passThrough: [.staticFiles("\(folder.path)/root")])) { port in
            let replies = try await replies(port, get(target))
            #expect(replies.count == 1)
            #expect([403, 404].contains(replies[0].status), "\(replies[0].status)")
            for text in [Self.secret, "root:", "PATH="] { #expect(!replies[0].text.contains(text)) }
        }
    }

    @Test(arguments: [
        ("/a.txt", "a"), ("/a/a.txt", "a"), ("/%61.txt", "a"), ("/.well-known/assetlinks.json", "[]"),
    ])
    func filesInTheFolderAreServed(_ target: String, _ text: String) async throws {
        let folder = try Self.site()
        try await serving(.quiet(passThrough: [.staticFiles("\(folder.path)/root")])) { port in
            let replies = try await replies(port, get(target))
            #expect(replies.map(\.text) == [text])
        }
    }
}
