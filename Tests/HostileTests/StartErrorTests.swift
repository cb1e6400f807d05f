import Foundation
import TestSupport
import Testing

/// What is wrong before anything is served; wrong configuration files have a table in `ConfigFileTests`.
@Suite("Hostile 37: an error at the start is one line that says what to do", .timeLimit(.minutes(5)))
struct StartErrorTests {
    private static func fails(_ arguments: [String], _ code: Int32 = 1, with texts: [String]) async throws {
        let program = try Program.product("test-server", arguments)
        #expect(await program.child.exitCode() == code)
        let output = await program.wholeOutput()
        #expect(output.split(separator: "\n").count == 1, "\(output)")
        #expect(output.hasPrefix("test-server: "), "\(output)")
        for text in texts { #expect(output.contains(text), "\(output)") }
    }

    @Test func aPortInUseEndsTheStart() async throws {
        let first = try Program.product("test-server", ["-p", "0"])
        let port = try await String(first.port())
        try await Self.fails(["-p", port], with: ["cannot listen", port, "another port"])
        try await isAlive(first.port(), by: "/echo")
    }

    @Test func anAddressOfAnotherMachineEndsTheStart() async throws {
        try await Self.fails(["-p", "0", "--host", "192.0.2.1"], with: ["192.0.2.1"])
        try await Self.fails(["-p", "0", "--host", "no.such.host.invalid"], with: ["no.such.host.invalid"])
    }

    @Test(arguments: ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func anInvalidCertificateEndsTheStart(_ text: String) async throws {
        let (folder, certificates) = (try Folder(), try Certificates())
        let good = try await certificates.make()
        let bad = try folder.write("bad.pem", text)
        try await Self.fails(["-p", "0", "--cert", bad, "--key", good.key], with: [bad])
        try await Self.fails(["-p", "0", "--cert", good.certificate, "--key", bad], with: [bad])
    }

    @Test func aMissingOrMismatchedCertificateEndsTheStart() async throws {
        let certificates = try Certificates()
        let (one, two) = try await (certificates.make("one"), certificates.make("two"))
        try await Self.fails(["-p", "0", "--cert", "/no/such.pem", "--key", one.key], with: ["/no/such.pem"])
        try await Self.fails(
            ["-p", "0", "--cert", one.certificate, "--key", two.key],
            with: ["does not belong to the certificate"])
    }

    @Test func aRootThatIsNotAFolderEndsTheStart() async throws {
        let folder = try Folder()
        let file = try folder.write("file.txt", "")
        try await Self.fails(["-p", "0", "--root", "/no/such/folder"], with: ["/no/such/folder"])
        try await Self.fails(["-p", "0", "--root", file], with: [file])
    }

    @Test(arguments: [
        "", "{", "[]", #"{"port":"x"}"#, #"{"port":1,"port":2}"#, #"{"nonsense":1}"#, "\u{FEFF}{",
    ])
    func anInvalidConfigurationEndsTheStart(_ text: String) async throws {
        let folder = try Folder()
        let file = try folder.write("settings.json", text)
        try await Self.fails(["-p", "0", "-c", file], with: ["settings.json"])
    }

    @Test func aDamagedStorageEndsTheStart() async throws {
        let folder = try Folder()
        let file = try folder.write("storage.json", "{")
        try await Self.fails(["-p", "0", "--storage", file], with: [file, "repair it"])
    }

    @Test(arguments: [
        ["--port", "70000"], ["--port", "x"], ["--nonsense"], ["--choose", "ok"], ["--cors", "all"],
    ])
    func wrongUsageEndsWithCode64(_ arguments: [String]) async throws {
        let program = try Program.product("test-server", arguments)
        #expect(await program.child.exitCode() == 64)
        #expect(try await program.line(with: "Error: ").contains(arguments[0]))
    }
}
