import Drawbridge
import ProgramSupport
import TestSupport
import Testing

/// The command with a certificate, and real curl that trusts it.
@Suite(.timeLimit(.minutes(5))) struct SecureCommandTests {
    @Test func aCertificateMakesTheCommandServeHTTPS() async throws {
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--cert", certificate, "--key", key])
        let address = try await drawbridge.address()
        #expect(address.hasPrefix("https://127.0.0.1:"))
        let target = "\(address)/echo?_mobile_bridge=1&message=Hello"
        #expect(
            try await curl("--cacert", certificate, target)
                == #"{"code":200,"data":{"message":"Hello"},"message":""}"#)
        // The page that the gateway serves is of the origin that it has under TLS, and of no other.
        let own = try await curl("-i", "--cacert", certificate, "-H", "Origin: \(address)", target)
        #expect(own.hasPrefix("HTTP/1.1 200"))
        let plain = "http" + address.dropFirst(5)
        let foreign = try await curl("-i", "--cacert", certificate, "-H", "Origin: \(plain)", target)
        #expect(foreign.hasPrefix("HTTP/1.1 403"))
        // What the banner says to try must work.
        let example = try await drawbridge.line(with: "  try  ")
        #expect(example.contains("curl -k '\(address)/getUser"))
        #expect(try await curl("--cacert", certificate, plain).contains("curl: ("))
        #expect(await drawbridge.stop() == 0)
        #expect(!drawbridge.output.contains("PRIVATE KEY"))
    }

    /// The page's origin is https then, and its calls are taken as its own.
    @Test func aPageCallsOverHTTPS() async throws {
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--cert", certificate, "--key", key])
        let browser = try await Chromium(options: "--ignore-certificate-errors")
        try await browser.open(drawbridge.address() + "/")
        let answers = try await browser.evaluate(
            """
            (async () => {
                const call = new XMLHttpRequest();
                call.open('POST', '/__jsbridge__', false);
                call.send('{"action":"echo","data":{"a":1}}');
                const answer = await fetch('/echo?_mobile_bridge=1', {method: 'POST', body: '{"b":2}'});
                return [location.protocol, call.responseText, await answer.text()];
            })()
            """)
        #expect(
            answers == [
                "https:", #"{"code":200,"data":{"a":1},"message":""}"#,
                #"{"code":200,"data":{"b":2},"message":""}"#,
            ])
    }

    @Test func aWrongCertificateIsReportedInOneLine() async throws {
        let certificates = try Certificates()
        let one = try await certificates.make("one")
        let two = try await certificates.make("two")
        let drawbridge = try Program.product(
            "drawbridge", ["-p", "0", "--cert", one.certificate, "--key", two.key])
        let output = await drawbridge.wholeOutput()
        #expect(await drawbridge.child.exitCode() == 1)
        #expect(output.hasPrefix("drawbridge: the key in \(two.key) does not belong to the certificate"))
        #expect(output.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["--cert", "--key"]) func certificateAndKeyMustBothBeGiven(_ flag: String) async throws {
        let drawbridge = try Program.product("drawbridge", [flag, "a.pem"])
        #expect(await drawbridge.child.exitCode() == 64)
        _ = try await drawbridge.line(with: flag == "--cert" ? "--key" : "--cert")
    }
}
