import Drawbridge
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// Whose file is read: the rows of the table in SECURITY, for any users.
///
/// `FoundFileOwnerTests` has the same of the program.
@Suite("Trust in files that are found") struct FoundFileTrustTests {
    /// A file or a folder: whose it is, of which group, and with which rights.
    struct Thing: Sendable {
        var user: uid_t = 1000
        var group: gid_t = 1000
        var mode: mode_t = 0o644
        var type = S_IFREG
        /// The disk that it is on.
        var device: dev_t = 1

        var status: stat {
            var status = stat()
            (status.st_uid, status.st_gid, status.st_mode) = (user, group, type | mode)
            status.st_dev = device
            return status
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var file = Thing()
        var folder = Thing(mode: 0o755, type: S_IFDIR)
        var isNamed = true
        var user: uid_t = 65534
        var isOfWindows = false
        /// Nil where it is read.
        var why: String?
    }

    private static let owner = "it belongs to user 1000, and this runs as user 65534; serve it in a folder of"

    static let cases = [
        Case(testDescription: "the owner of a named folder"),
        Case(testDescription: "the same for root", user: 0),
        Case(testDescription: "no folder was named", isNamed: false, why: owner),
        Case(testDescription: "one's own", isNamed: false, user: 1000),
        Case(testDescription: "root's", file: Thing(user: 0, group: 0), isNamed: false),
        Case(
            testDescription: "one's own where all may write the folder", folder: Thing(mode: 0o777),
            isNamed: false, user: 1000),
        Case(testDescription: "of another than its named folder", folder: Thing(user: 1001), why: owner),
        Case(
            testDescription: "a link", file: Thing(user: 65534, mode: 0o777, type: S_IFLNK),
            why: "it is a link, or no regular file; "),
        Case(
            testDescription: "a pipe", file: Thing(user: 0, mode: 0o600, type: S_IFIFO),
            why: "it is a link, or no regular file; "),
        Case(
            testDescription: "all may write it", file: Thing(mode: 0o646),
            why: "anybody may write it; chmod o-w, or "),
        Case(
            testDescription: "all may write one's own", file: Thing(mode: 0o666), user: 1000,
            why: "anybody may write it; chmod o-w, or "),
        Case(
            testDescription: "a group may write it", file: Thing(mode: 0o664),
            why: "group 1000 may write it; chmod g-w, or "),
        Case(testDescription: "one's own group may", file: Thing(group: 65534, mode: 0o664)),
        Case(testDescription: "root's group may", file: Thing(group: 0, mode: 0o664)),
        Case(
            testDescription: "all may write the named folder", folder: Thing(mode: 0o757),
            why: "anybody may write its folder; chmod o-w that, or "),
        Case(
            testDescription: "a group may write the named folder", folder: Thing(mode: 0o775),
            why: "group 1000 may write its folder; chmod g-w that, or "),
        Case(
            testDescription: "Windows, in the image", file: Thing(user: 0, mode: 0o777),
            folder: Thing(user: 0, mode: 0o777), isOfWindows: true),
        Case(
            testDescription: "Windows, by sudo", file: Thing(mode: 0o777), folder: Thing(mode: 0o777),
            user: 0,
            isOfWindows: true),
        Case(
            testDescription: "Windows, no folder was named", file: Thing(mode: 0o777),
            folder: Thing(mode: 0o777), isNamed: false, isOfWindows: true, why: owner),
        Case(
            testDescription: "on another disk than its folder of Windows",
            file: Thing(mode: 0o666, device: 2),
            isOfWindows: true, why: "anybody may write it"),
    ]

    @Test(arguments: cases) func theFirstRuleThatFitsDecidesWhetherAFileIsTrusted(_ test: Case) throws {
        let problem = FoundFile.distrust(
            of: test.file.status, in: test.folder.status, isNamed: test.isNamed, user: test.user,
            group: 65534,
            isOfWindows: test.isOfWindows)
        guard let why = test.why else {
            #expect(problem == nil)
            return
        }
        #expect(problem?.hasPrefix(why) == true, "\(problem ?? "it is read")")
    }

    /// The path of a folder may lead elsewhere as soon as it was judged.
    @Test func aFolderThatIsSwappedAfterItsCheckIsNotUsed() throws {
        let site = try Folder()
        let path = try site.write("page/drawbridge.json", "mine")
        try site.write("theirs/drawbridge.json", "theirs")
        func swap() {
            #expect(rename("\(site.path)/page", "\(site.path)/moved") == 0)
            #expect(symlink("theirs", "\(site.path)/page") == 0)
        }
        let judged = try FileFolder(of: path)
        swap()
        #expect(try FileText(path, in: judged).bytes == Array("mine".utf8))
        #expect(try FileText(path).bytes == Array("theirs".utf8))
        _ = try judged.make("made", [])
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: "\(site.path)/moved")).count == 2)

        let new = try Folder()
        try new.write("theirs/x", "")
        #expect(mkdir("\(new.path)/page", 0o755) == 0)
        let isMade = try FileReplacement.create("\(new.path)/page/drawbridge.json", [1]) { _, _ in
            #expect(rename("\(new.path)/page", "\(new.path)/moved") == 0)
            #expect(symlink("theirs", "\(new.path)/page") == 0)
            return nil
        }
        #expect(isMade)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(new.path)/moved") == ["drawbridge.json"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(new.path)/theirs") == ["x"])
    }

    /// Nothing is left of it, not even under another name.
    @Test func aNewFileThatFailsItsTrustCheckIsNotLeftBehind() throws {
        let folder = try Folder()
        let failure = #expect(throws: Failure.self) {
            try FileReplacement.create("\(folder.path)/drawbridge.json", [1]) { _, _ in "for a reason" }
        }
        #expect(failure?.description == "for a reason")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        // A folder that is missing is said, and no file is made elsewhere.
        let missing = #expect(throws: Failure.self) {
            try FileReplacement.create("\(folder.path)/none/drawbridge.json", [1])
        }
        #expect(
            missing?.description.contains("cannot write \(folder.path)/none/drawbridge.json: No such") == true
        )
    }

    /// A link is not followed when it is replaced, either.
    @Test func aSymbolicLinkIsNotReplaced() throws {
        let folder = try Folder()
        let target = try folder.write("target", "{}")
        let path = "\(folder.path)/drawbridge.json"
        #expect(symlink(target, path) == 0)
        #expect(FileReplacement.isLink(path) && !FileReplacement.isLink(target))
        #expect(throws: Failure.self) {
            try FileReplacement.write([1], over: path, ifIs: Array("{}".utf8))
        }
        #expect(try folder.read("target") == "{}")
    }
}
