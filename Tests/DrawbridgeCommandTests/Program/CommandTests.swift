import Foundation
import TestSupport
import Testing

/// The command as a person starts it, and real curl.
@Suite(.timeLimit(.minutes(5))) struct CommandTests {
    @Test func theThreeCallsOfTheReadmeAreAnswered() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        #expect(
            try await curl("\(address)/echo?_mobile_bridge=1&message=Hello")
                == #"{"code":200,"data":{"message":"Hello"},"message":""}"#)
        let login = try Regex(#"\{"code":200,"data":\{"user":"ann","token":"[0-9a-f]{32}"\},"message":""\}"#)
        let byAction = try await curl(
            "-d", #"{"action":"login","data":{"user":"ann"}}"#, "\(address)/__jsbridge__")
        #expect(byAction.wholeMatch(of: login) != nil, "\(byAction)")
        let byHost = try await curl("-H", "Host: __jsbridge__", "-d", #"{"user":"ann"}"#, "\(address)/login")
        #expect(byHost.wholeMatch(of: login) != nil, "\(byHost)")
        #expect(await drawbridge.stop() == 0)
    }

    @Test func eachRequestIsOneLineOfTheLog() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        _ = try await curl("\(address)/echo?_mobile_bridge=1&message=Hello")
        _ = try await curl("\(address)/nothing")
        let handled = try await drawbridge.line(with: "  echo ")
        let pattern =
            #/\d\d:\d\d:\d\d  echo \{"message":"Hello"\} +handler EchoHandler +[\d.]+ ms  \{"message":"Hello"\}/#
        #expect(handled.wholeMatch(of: pattern) != nil, "\(handled)")
        #expect(try await drawbridge.line(with: "GET /nothing  ").contains("  404  "))
        _ = try await curl("\(address)/nobody?_mobile_bridge=1")
        #expect(
            try await drawbridge.line(with: "  nobody ").contains("  not mocked; mock it: --reply 'nobody=…'")
        )
        _ = try await curl("\(address)/pay?_mobile_bridge=1&price=1")
        #expect(try await drawbridge.line(with: "  pay ").contains(" ms  error 400: type is missing"))
        #expect(!drawbridge.output.contains("/echo?_mobile_bridge=1&message=Hello  "))
    }

    @Test func theChooseFlagAnswersQuestions() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--choose", "alert=ok"])
        let address = try await drawbridge.address()
        #expect(
            try await curl("\(address)/alert?_mobile_bridge=1&message=Sure")
                == #"{"code":200,"data":{"result":"ok"},"message":""}"#)
    }

    @Test func theRootFlagServesTheFilesOfAFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("<p>mine</p>".utf8).write(to: folder.appending(path: "index.html"))
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--root", folder.path()])
        let address = try await drawbridge.address()
        #expect(try await curl("\(address)/") == "<p>mine</p>")
        #expect(try await curl("--path-as-is", "\(address)/../../etc/passwd").contains("root:") == false)
    }

    @Test func theHealthEndpointSaysThatTheCommandIsReady() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        #expect(try await curl("\(address)/__drawbridge__/health").contains(#""status":"ok""#))
    }

    @Test func corsLetsOnlyListedOriginsCall() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--cors", "https://app.example"])
        let address = try await drawbridge.address()
        let target = "\(address)/echo?_mobile_bridge=1&a=1"
        let listed = try await curl("-i", "-H", "Origin: https://app.example", target)
        #expect(listed.contains("Access-Control-Allow-Origin: https://app.example"))
        #expect(listed.contains(#"{"code":200,"data":{"a":"1"},"message":""}"#))
        let foreign = try await curl("-i", "-H", "Origin: https://evil.example", target)
        #expect(foreign.hasPrefix("HTTP/1.1 403"))
        #expect(!foreign.contains("Access-Control-Allow-Origin"))
        #expect(try await drawbridge.line(with: "--cors https://evil.example").contains("refused"))
    }

    /// Here the start waits for a pipe whose writer never ends.
    @Test(arguments: [SIGTERM, SIGHUP, SIGINT]) func aSignalEndsTheStart(_ signal: Int32) async throws {
        let folder = try Folder()
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let writer = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        #expect(write(writer, "{", 1) == 1)
        let program = try Program.product("drawbridge", ["-p", "0", "--replies", pipe])
        #expect(
            await eventually {
                var count: Int32 = 1
                return ioctl(writer, UInt(FIONREAD), &count) == 0 && count == 0
            })
        kill(program.child.processIdentifier, signal)
        #expect(await program.child.exitCode() == 0)
        #expect(program.output.isEmpty)
    }

    /// Else the first sockets would be there, and get what somebody prints.
    @Test func closedStandardDescriptorsAreOpened() async throws {
        let command = try Program.path(of: "drawbridge")
        let program = try Program("sh", ["-c", "exec '\(command)' -p 0 <&- >&-"])
        _ = try await program.address()
        for number in 0...1 {
            let link = "/proc/\(program.child.processIdentifier)/fd/\(number)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        }
    }

    @Test func onlyKnownHostsAreServed() async throws {
        let drawbridge = try Program.product(
            "drawbridge", ["-p", "0", "--allowed-hosts", "phone.test,tv.test"])
        let address = try await drawbridge.address()
        #expect(try await curl("-i", "-H", "Host: tv.test", "\(address)/").hasPrefix("HTTP/1.1 200"))
        #expect(try await curl("-i", "-H", "Host: evil.test", "\(address)/").hasPrefix("HTTP/1.1 403"))
        #expect(try await drawbridge.line(with: "--allowed-hosts evil.test").contains("refused"))
    }

    @Test func otherMachinesNeedTheLinkIfTheGatewayListensOnAllAddresses() async throws {
        let drawbridge = try Program.product(
            "drawbridge", ["-p", "0", "--host", "0.0.0.0", "--allowed-hosts", "phone.test"])
        let port = try await drawbridge.port()
        // What the banner says to try must work.
        let example = try await drawbridge.line(with: "  try  ")
        #expect(example.contains("curl 'http://127.0.0.1:\(port)/getUser"))
        let target = "http://127.0.0.1:\(port)/getUser?_mobile_bridge=1"
        #expect(try await curl("-i", target).hasPrefix("HTTP/1.1 200"))
        let other = try await curl("-i", "-H", "X-Forwarded-For: 192.0.2.7", "-H", "Host: phone.test", target)
        #expect(other.hasPrefix("HTTP/1.1 403"))
        #expect(other.contains("This device is not connected yet"))
        #expect(
            try await drawbridge.line(with: "from 127.0.0.1 refused").contains("--trusted-proxy 127.0.0.1"))
    }

    /// Each sends its own fields, some of which browsers send too.
    @Test(arguments: [
        ["curl", "-sS", "-H", "Authorization: Bearer TOKEN", "URL"],
        [
            "node", "-e",
            "fetch('URL', {headers: {Authorization: 'Bearer TOKEN'}}).then(a => a.text()).then(console.log)",
        ],
        [
            "python3", "-c",
            """
            from urllib.request import Request, urlopen
            print(urlopen(Request("URL", headers={"Authorization": "Bearer TOKEN"})).read().decode())
            """,
        ],
    ])
    func programsReachTheTestersAPIWithTheToken(_ command: [String]) async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let line = try await drawbridge.line(with: "/__drawbridge__/pages")
        let token = try String(#require(line.firstMatch(of: /Bearer ([0-9a-f]{32})/)).1)
        let url = try await "\(drawbridge.address())/__drawbridge__/pages"
        for (token, answer) in [(token, "[]"), (String(repeating: "0", count: 32), "403")] {
            let arguments = command.dropFirst().map {
                $0.replacing("TOKEN", with: token).replacing("URL", with: url)
            }
            let said = try await Program(command[0], arguments).wholeOutput()
            #expect(said.contains(answer), "\(command[0]) \(said)")
        }
    }

    @Test func apiForOthersOpensTheTestersAPIToOtherMachines() async throws {
        for (flags, status) in [
            ([], "403"), (["--api-for-others"], "200"), (["--api-for-others", "--no-api-for-others"], "403"),
        ] {
            let drawbridge = try Program.product(
                "drawbridge", ["-p", "0", "--allowed-hosts", "phone.test"] + flags)
            let line = try await drawbridge.line(with: "/__drawbridge__/pages")
            let bearer = try String(
                #require(line.firstMatch(of: /Authorization: Bearer [0-9a-f]{32}/)).output)
            let answer = try await curl(
                "-i", "-H", "X-Forwarded-For: 192.0.2.7", "-H", "Host: phone.test", "-H", bearer,
                "\(drawbridge.address())/__drawbridge__/pages")
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(flags)")
        }
    }

    @Test func aListedProxyIsTrustedAboutItsCallers() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--trusted-proxy", "127.0.0.0/8"])
        let target = try await "\(drawbridge.address())/echo?_mobile_bridge=1&a=1"
        let near = try await curl("-i", "-H", "X-Forwarded-For: 127.0.0.1", target)
        #expect(near.hasPrefix("HTTP/1.1 200"))
        for chain in ["192.0.2.7", "127.0.0.1, 192.0.2.7", "nobody"] {
            let far = try await curl("-i", "-H", "X-Forwarded-For: \(chain)", target)
            #expect(far.hasPrefix("HTTP/1.1 403"))
        }
    }

    @Test(arguments: ["0", "::", "0.0.0.0"]) func everySpellingOfTheWildcardAddressIsRecognized(host: String)
        async throws
    {
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--host", host])
        _ = try await drawbridge.line(with: "  access    this machine, and devices that open this link")
    }
}
