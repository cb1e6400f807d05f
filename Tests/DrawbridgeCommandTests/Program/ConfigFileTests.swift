import Drawbridge
import Foundation
import MicroHTTPD
import ProgramSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConfigFileTests {
    /// Starts the command with a file, on any free port.
    private static func drawbridge(_ text: String, _ folder: Folder) throws -> Program {
        try .product("drawbridge", ["-p", "0", "-c", folder.write("settings.json", text)])
    }

    @Test func aConfigurationFileAcceptsAllThatFlagsAccept() async throws {
        let folder = try Folder()
        try folder.write("page/index.html", "<p>mine</p>")
        try folder.write("answers.json", #"{"pay":"ok"}"#)
        let program = try Self.drawbridge(
            """
            {
                "root": "page",
                "choose": {"alert": "ok", "login": {"user": 10086}, "pay": null},
                "cors": ["https://a.example", "https://b.example"],
                "allowed-hosts": "tv.test, phone.test",
                "storage": "kept/storage.json",
                "grace": 0.5,
                "open": false,
                "quiet": false,
                "verbose": true,
                "log-format": "text"
            }
            """, folder)
        let address = try await program.address()
        // Paths are relative to the folder of the file.
        #expect(try await curl("\(address)/") == "<p>mine</p>")
        #expect(try await curl("\(address)/alert?_mobile_bridge=1").contains(#"{"result":"ok"}"#))
        #expect(try await curl("\(address)/login?_mobile_bridge=1").contains(#""user":"10086""#))
        #expect(
            try await curl("\(address)/pay?_mobile_bridge=1&type=a&price=1").contains(#"{"result":"cancel"}"#)
        )
        #expect(!program.output.contains("nobody to ask"))
        #expect(try await curl("-i", "-H", "Host: phone.test", "\(address)/").hasPrefix("HTTP/1.1 200"))
        #expect(
            try await curl("-i", "-H", "Origin: https://b.example", "\(address)/echo?_mobile_bridge=1")
                .contains("Access-Control-Allow-Origin: https://b.example"))
        _ = try await curl("-d", #"{"key":"a","value":1}"#, "\(address)/__jsbridge__/storage")
        #expect(try folder.read("kept/storage.json") == #"{"a":1}"#)
        _ = try await program.line(with: "StorageHandler is asked")
    }

    /// Some editors write one.
    @Test func aByteOrderMarkInAFileIsSkipped() async throws {
        let folder = try Folder()
        let program = try Self.drawbridge("\u{FEFF}{\"replies\": {\"a\": 1}}", folder)
        #expect(try await curl("\(program.address())/a?_mobile_bridge=1").contains("\"data\":1"))
    }

    @Test func theChooseSettingTakesAnswersAndNamesOfFiles() async throws {
        let folder = try Folder()
        try folder.write("answers.json", #"{"pay":"ok"}"#)
        let program = try Self.drawbridge(#"{"choose": ["alert=ok", "@answers.json"]}"#, folder)
        let address = try await program.address()
        #expect(try await curl("\(address)/alert?_mobile_bridge=1").contains(#"{"result":"ok"}"#))
        #expect(
            try await curl("\(address)/pay?_mobile_bridge=1&type=a&price=1").contains(#"{"result":"ok"}"#))
    }

    @Test func aFileConfiguresUpstreams() async throws {
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        let mirror = try MirrorServer(TLSIdentity(certificateFile: certificate, keyFile: key))
        let folder = try Folder()
        try folder.write("page/index.html", "<p>mine</p>")
        try folder.write("known/ca.pem", await certificates.openssl(["x509", "-in", certificate]))
        let program = try Self.drawbridge(
            """
            {
                "root": "page",
                "upstream": ["/api=\(mirror.url)/v2", "\(mirror.url)"],
                "files-last": true,
                "keep-host": true,
                "forwarded": false,
                "rewrite": false,
                "upstream-ca": "known/ca.pem",
                "upstream-insecure": false,
                "upstream-timeout": 0.5
            }
            """, folder)
        let address = try await program.address()
        let answer = try await curl("\(address)/api/x")
        let shown = try JSON(parsing: Array(answer.utf8))
        #expect(shown["asked"] == "GET /v2/x", "\(answer)")
        #expect(shown["host"] == .string(String(address.dropFirst("http://".count))))
        #expect(shown["fields"]?["X-Forwarded-For"] == nil)
        // The upstream has it all, so no file is asked for.
        #expect(try await curl("\(address)/index.html").contains(#""asked":"GET /index.html""#))
        #expect(try await curl("-i", "\(address)/moved").contains("Domain=127.0.0.1"))
        #expect(try await curl("-i", "\(address)/silent").hasPrefix("HTTP/1.1 504"))
        await mirror.stop()
    }

    @Test(arguments: [
        ("{\n  \"port\": 70000\n}", "settings.json, line 2, port: --port 70000: a port is a number"),
        (
            "{\"host\": \"a\",\n\n\"prot\": 1}",
            "settings.json, line 3, prot: no such setting; did you mean port?"
        ),
        (
            "{\n\"xyzzy\": 1}",
            "settings.json, line 2, xyzzy: no such setting; a mock of this name belongs in {\"replies\""
        ),
        ("{\"port\": \"eighty\"}", "settings.json, line 1, port: The value 'eighty' is invalid"),
        (#"{"quiet": true, "verbose": true}"#, "settings.json: quiet and verbose cannot both be true"),
        (#"{"port": false}"#, "settings.json, line 1, port: must not be true or false"),
        (#"{"choose": {"@x": "ok"}}"#, "settings.json, line 1, choose: @x is not the name of a question"),
        (
            #"{"allowed-hosts": "a.test, *"}"#,
            "settings.json, line 1, allowed-hosts: --allowed-hosts *: write a whole name"
        ),
        ("{\"port\": [1, 2]}", "settings.json, line 1, port: must be one value, not a list"),
        (#"{"root": ""}"#, "settings.json, line 1, root: Missing value for '--root <folder>'"),
        ("{\"root\": {\"a\": 1}}", "settings.json, line 1, root: must not be an object"),
        ("{\"open\": \"yes\"}", "settings.json, line 1, open: "),
        ("{\"cors\":\n[\"everybody\"]}", "settings.json, line 1, cors: --cors everybody: an origin is"),
        (#"{"upstream": ["127.0.0.1:5173"]}"#, "settings.json, line 1, upstream: --upstream: "),
        (#"{"upstream-ca": "none.pem"}"#, "none.pem: No such file or directory"),
        (
            #"{"upstream-timeout": -1}"#,
            "settings.json, line 1, upstream-timeout: The value '-1' is invalid for '--upstream-timeout <seconds>'"
        ),
        (
            #"{"trusted-proxy": ["everybody"]}"#,
            "settings.json, line 1, trusted-proxy: --trusted-proxy: the address"
        ),
        (#"{"keep-host": "yes"}"#, "settings.json, line 1, keep-host: "),
        ("{\"log-format\": \"xml\"}", "settings.json, line 1, log-format: "),
        ("{\"choose\": \"ok\"}", "settings.json, line 1, choose: --choose ok: write name=value"),
        ("{\"config\": \"other.json\"}", "settings.json, line 1, config: no such setting"),
        ("{\"help\": true}", "settings.json, line 1, help: no such setting"),
        ("{\n\"port\": 1,\n\"port\": 2}", "settings.json, line 3, column 1: the object has two members"),
        ("{\"port\": 1,}", "settings.json, line 1, column 12: "),
        ("[]", "settings.json: settings are an object"),
        ("", "settings.json, line 1, column 1: "),
        (#"{"choose": "@missing.json"}"#, "missing.json: No such file"),
    ])
    func aMistakeInAFileIsReportedWithItsPlace(_ text: String, _ expected: String) async throws {
        let folder = try Folder()
        let program = try Self.drawbridge(text, folder)
        #expect(await program.child.exitCode() == 1)
        let output = await program.wholeOutput()
        #expect(output.hasPrefix("drawbridge: ") && output.contains(expected), "\(output)")
        #expect(output.split(separator: "\n").count == 1, "\(output)")
    }

    @Test func aMissingFileIsReported() async throws {
        let program = try Program.product("drawbridge", ["-c", "/no/such/file.json"])
        #expect(await program.child.exitCode() == 1)
        _ = try await program.line(
            with: "drawbridge: cannot read /no/such/file.json: No such file or directory")
    }
}
