import Drawbridge
import Foundation
import Glibc
import TestSupport
import Testing

/// Whose `drawbridge.json` the command reads and saves, in the containers and on the disks that people have.
///
/// The rows are those of *Whose file is read* in SECURITY.
@Suite(
    "A file of another user", .timeLimit(.minutes(5)),
    .enabled(if: geteuid() == 0, "only the superuser may give files away, and run as somebody else"))
struct FoundFileOwnerTests {
    private static let token = String(repeating: "t", count: 32)

    /// Starts the command as a user, in a folder.
    private static func drawbridge(
        as user: uid_t, in folder: String, umask: String = "022", environment: [String: String] = [:],
        _ arguments: String...
    ) async throws -> Program {
        let command = try Program.path(of: "drawbridge")
        // With a plus nobody looks for the user's name.
        let other = ["--userspec=+\(user):+\(user)", "--groups=", "/"]
        guard
            try await Program("chroot", other + ["test", "-x", command, "-a", "-x", folder]).child.exitCode()
                == 0
        else { try Test.cancel("user \(user) may not run \(command) in \(folder)") }
        let words = [
            "sh", "-c", #"cd "$0" && umask "$1" && shift && exec "$@""#, folder, umask, command, "-p", "0",
        ]
        let usual = ["XDG_STATE_HOME": "/nonexistent", "DRAWBRIDGE_TOKEN": token]
        return try Program(
            "chroot", other + words + arguments, environment: usual.merging(environment) { $1 })
    }

    private static func call(_ program: Program, _ name: String) async throws -> String {
        try await curl("\(try await program.address())/\(name)?_mobile_bridge=1")
    }

    /// Saves a mock as a program does.
    private static func save(_ program: Program, _ name: String) async throws -> String {
        try await curl(
            "-H", "Authorization: Bearer \(token)", "-H", "Content-Type: application/json",
            "-d", #"{"name":"\#(name)","reply":"saved"}"#,
            "\(try await program.address())/__drawbridge__/replies/save")
    }

    /// Owner, group and rights: `1000 1000 644`.
    private static func about(_ path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { return "missing" }
        return "\(status.st_uid) \(status.st_gid) \(String(status.st_mode & 0o777, radix: 8))"
    }

    /// A folder `page` of a user, and perhaps its file.
    private static func site(of user: uid_t, hasFile: Bool = true) throws -> Folder {
        let site = try Folder()
        try site.write("page/index.html", "<p>page")
        if hasFile { try site.write("page/drawbridge.json", #"{"replies": {"a": "theirs"}}"#) }
        for name in ["page", "page/index.html", "page/drawbridge.json"] {
            chown("\(site.path)/\(name)", user, user)
        }
        return site
    }

    /// The image's user with a mount, root in a CI container with a checkout, and `sudo`.
    @Test(arguments: [(reader: uid_t(65534), owner: uid_t(1000)), (0, 1001)])
    func theOwnerOfANamedFolderIsTrusted(reader: uid_t, owner: uid_t) async throws {
        let site = try Self.site(of: owner)
        for (folder, word) in [(site.path, "page"), ("\(site.path)/page", "."), ("/", "\(site.path)/page/")] {
            let program = try await Self.drawbridge(as: reader, in: folder, word)
            _ = try await program.line(with: "drawbridge.json  (found)")
            #expect(try await Self.call(program, "a").contains("theirs"))
        }
        let unnamed = try await Self.drawbridge(as: reader, in: "\(site.path)/page")
        _ = try await unnamed.line(
            with:
                "drawbridge.json is not read: it belongs to user \(owner), and this runs as user \(reader); ")
        #expect(try await Self.call(unnamed, "a").contains("No response"))
        // One that lies in the folder and is another's is not the owner's word.
        chown("\(site.path)/page/drawbridge.json", 2000, 2000)
        let mixed = try await Self.drawbridge(as: reader, in: site.path, "page")
        _ = try await mixed.line(with: "page/drawbridge.json is not read: it belongs to user 2000, ")
    }

    /// README's line for the image: as whose the folder is.
    @Test func theOwnerOfTheFolderReadsAndSavesItsFile() async throws {
        let site = try Self.site(of: 1000)
        let file = "\(site.path)/page/drawbridge.json"
        let program = try await Self.drawbridge(
            as: 1000, in: "\(site.path)/page", "--save", "\(site.path)/page")
        #expect(try await Self.call(program, "a").contains("theirs"))
        #expect(try await Self.save(program, "b").contains(#""code":200"#))
        #expect(try await Self.call(program, "b").contains("saved"))
        #expect(Self.about(file) == "1000 1000 644")
        // Without --user it reads, and says who may not write.
        let other = try await Self.drawbridge(
            as: 65534, in: "\(site.path)/page", "--save", "\(site.path)/page")
        #expect(try await Self.call(other, "b").contains("saved"))
        let refused = try await Self.save(other, "c")
        #expect(
            refused.contains(#""code":409"#) && refused.contains("give user 65534, who runs this, the right"))
    }

    /// What root makes can be edited by whose the folder is.
    @Test(arguments: [("022", "644"), ("077", "600"), ("000", "644")])
    func aNewFileBelongsToTheFoldersOwnerAndFollowsTheUmask(umask: String, mode: String) async throws {
        let site = try Self.site(of: 1001, hasFile: false)
        let file = "\(site.path)/page/drawbridge.json"
        let program = try await Self.drawbridge(as: 0, in: site.path, umask: umask, "page", "--save")
        #expect(try await Self.save(program, "a").contains(#""code":200"#))
        #expect(Self.about(file) == "1001 1001 \(mode)")
        #expect(try await Self.call(program, "a").contains("saved"))
        #expect(try await Self.save(program, "b").contains(#""code":200"#))
        #expect(Self.about(file) == "1001 1001 \(mode)")
        #expect(unlink(file) == 0)
        let command = try Program.path(of: "drawbridge")
        let initialize = try Program(
            "sh", ["-c", #"umask "$0" && exec "$@""#, umask, command, "init", "\(site.path)/page"])
        #expect(await initialize.child.exitCode() == 0)
        #expect(Self.about(file) == "1001 1001 \(mode)")
        // Whoever may not give files away keeps what is made.
        let own = try Self.site(of: 1001, hasFile: false)
        chmod("\(own.path)/page", 0o777)
        let guest = try await Self.drawbridge(as: 1000, in: own.path, umask: umask, "page", "--save")
        #expect(try await Self.save(guest, "a").contains(#""code":200"#))
        #expect(Self.about("\(own.path)/page/drawbridge.json") == "1000 1000 \(mode)")
    }

    @Test func aFileIsUsedAsSoonAsOthersCannotWriteIt() async throws {
        let site = try Self.site(of: 1001)
        let (page, file) = ("\(site.path)/page", "\(site.path)/page/drawbridge.json")
        chmod(file, 0o666)
        chmod(page, 0o777)
        let program = try await Self.drawbridge(as: 0, in: site.path, "page", "--save")
        _ = try await program.line(
            with: "page/drawbridge.json is not read: anybody may write it; chmod o-w, or name it")
        #expect(try await Self.call(program, "a").contains("No response"))
        #expect(try await Self.save(program, "b").contains(#""code":409"#))
        chmod(file, 0o644)
        _ = try await program.line(
            with: "page/drawbridge.json is not read: anybody may write its folder; chmod o-w that, or name it"
        )
        // Nothing of the file itself has changed then.
        chmod(page, 0o755)
        _ = try await program.line(with: "found page/drawbridge.json: its mocks are used from now on")
        #expect(try await Self.call(program, "a").contains("theirs"))
        #expect(try await Self.save(program, "b").contains(#""code":200"#))
        #expect(Self.about(file) == "1001 1001 644")
        // In use it is judged again, too.
        chmod(page, 0o777)
        _ = try await program.line(
            with:
                "anybody may write its folder; chmod o-w that, or name it, if you trust it: -c page/drawbridge.json; still using the previous version"
        )
        chmod(page, 0o755)
        _ = try await program.line(with: "page/drawbridge.json is valid again")
    }

    /// A file that nobody would read then helps nobody.
    @Test func noFileIsCreatedInAFolderThatAnybodyMayWrite() async throws {
        let site = try Self.site(of: 1001, hasFile: false)
        chmod("\(site.path)/page", 0o777)
        let program = try await Self.drawbridge(as: 0, in: site.path, "page", "--save")
        let refused = try await Self.save(program, "a")
        #expect(refused.contains(#""code":409"#), "\(refused)")
        #expect(
            refused.contains("page/drawbridge.json is not read: anybody may write its folder; chmod o-w that")
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(site.path)/page") == ["index.html"])
        chmod("\(site.path)/page", 0o755)
        #expect(try await Self.save(program, "a").contains(#""code":200"#))
        #expect(Self.about("\(site.path)/page/drawbridge.json") == "1001 1001 644")
    }

    /// In place of Windows, which is not at hand: what the system says of the disk and of itself is what the environment says.
    private static let standIn = """
        #include <stdlib.h>
        #include <string.h>
        #include <sys/utsname.h>
        #include <sys/vfs.h>
        int fstatfs(int folder, struct statfs *disk) {
            memset(disk, 0, sizeof *disk);
            disk->f_type = strtol(getenv("DISK"), 0, 16);
            return 0;
        }
        int uname(struct utsname *kernel) {
            memset(kernel, 0, sizeof *kernel);
            strcpy(kernel->release, getenv("KERNEL"));
            return 0;
        }
        """

    /// The user in WSL, the image in Docker Desktop, and where only one of the two says so.
    @Test(arguments: [
        ("1021997", "5.15.167.4-microsoft-standard-WSL2", uid_t(1000), uid_t(1000), true),
        ("53464846", "4.4.0-22621-Microsoft", 1000, 1000, true),
        ("1021997", "5.15.167.4-microsoft-standard-WSL2", 65534, 0, true),
        ("1021997", "5.15.167.4-microsoft-standard-WSL2", 65534, 1000, true),
        ("1021997", "6.1.0-28-amd64", 1000, 1000, false),
        ("ef53", "5.15.167.4-microsoft-standard-WSL2", 1000, 1000, false),
    ]) func fileModesAreIgnoredOnAWindowsDisk(
        disk: String, kernel: String, reader: uid_t, owner: uid_t, isRead: Bool
    ) async throws {
        let site = try Self.site(of: owner)
        let source = try site.write("windows.c", Self.standIn)
        let compiler = try Program("clang", ["-shared", "-fPIC", "-o", "\(site.path)/windows.so", source])
        try #require(await compiler.child.exitCode() == 0, "\(compiler.output)")
        for name in ["page", "page/drawbridge.json"] { chmod("\(site.path)/\(name)", 0o777) }
        let program = try await Self.drawbridge(
            as: reader, in: site.path,
            environment: ["LD_PRELOAD": "\(site.path)/windows.so", "DISK": disk, "KERNEL": kernel], "page",
            "--save")
        guard isRead else {
            _ = try await program.line(
                with: "page/drawbridge.json is not read: anybody may write it; chmod o-w")
            return
        }
        _ = try await program.line(with: "page/drawbridge.json  (found)")
        #expect(try await Self.call(program, "a").contains("theirs"))
        // Here the rights hold, so only the owner's file stays the owner's.
        guard reader == owner else { return }
        #expect(try await Self.save(program, "b").contains(#""code":200"#))
        #expect(try await Self.call(program, "b").contains("saved"))
    }
}
