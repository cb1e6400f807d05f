import EngineSupport
import Logging
import MicroHTTPD
import TestSupport
import Testing

/// What is wrong with a certificate or a key is said in one line, and what to do.
@Suite(.timeLimit(.minutes(5))) struct TLSIdentityTests {
    private static func problem(_ certificate: String, _ key: String) throws -> String {
        let error = #expect(throws: ListenError.self) {
            try TLSIdentity(certificateFile: certificate, keyFile: key)
        }
        let text = "\(try #require(error))"
        #expect(!text.contains("\n"))
        return text
    }

    @Test func aFileThatCannotBeReadIsNamed() async throws {
        let certificates = try Certificates()
        let good = try await certificates.make()
        let missing = certificates.path("missing.pem")
        for text in [try Self.problem(missing, good.key), try Self.problem(good.certificate, missing)] {
            #expect(text.contains("cannot read \(missing): No such file"))
            #expect(text.contains("give a PEM file"))
        }
        #expect(try Self.problem("/tmp", good.key).contains("/tmp: Is a directory"))
    }

    @Test func aFileWithoutACertificateOrKeyIsNamed() async throws {
        let certificates = try Certificates()
        let good = try await certificates.make()
        let text = try certificates.write("hello\n", to: "text.pem")
        #expect(try Self.problem(text, good.key).contains("\(text) has no certificate"))
        #expect(try Self.problem(good.certificate, text).contains("\(text) has no private key"))
        // The two the wrong way round.
        #expect(try Self.problem(good.key, good.certificate).contains("\(good.key) has no certificate"))
        let broken = try certificates.write(
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "broken.pem")
        #expect(try Self.problem(broken, good.key).contains("cannot be used"))
        // GnuTLS reads on behind the end of this key, and AddressSanitizer sees how far.
        let unfinished = try certificates.write(
            "-----BEGIN CERTIFICATE-----PRIVATE KEY-----DEK-Info: ", to: "unfinished.pem")
        #expect(try Self.problem(unfinished, unfinished).contains("cannot be used"))
    }

    @Test(arguments: [["-aes256"], ["-aes256", "-traditional"]])
    func aKeyWithAPasswordIsSaidToBeEncrypted(_ form: [String]) async throws {
        let certificates = try Certificates()
        let good = try await certificates.make()
        let key = certificates.path("encrypted.pem")
        try await certificates.openssl(
            ["pkey", "-in", good.key, "-out", key, "-passout", "pass:secret"] + form)
        #expect(try Self.problem(good.certificate, key).contains("the key in \(key) is encrypted"))
    }

    @Test func aKeyOfAnotherCertificateIsRefused() async throws {
        let certificates = try Certificates()
        let one = try await certificates.make("one")
        let two = try await certificates.make("two")
        #expect(try Self.problem(one.certificate, two.key).contains("does not belong to the certificate"))
    }

    @Test func anExpiredCertificateIsRefused() async throws {
        let certificates = try Certificates()
        let key = certificates.path("key.pem")
        let request = certificates.path("request.pem")
        let expired = certificates.path("expired.pem")
        try await certificates.openssl([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            "/CN=localhost", "-keyout", key, "-out", request,
        ])
        // `x509 -days -1` is refused from OpenSSL 3.5 on.
        try certificates.write("", to: "index")
        try certificates.write("01", to: "serial")
        let settings = try certificates.write(
            """
            [ca]
            default_ca = own
            [own]
            database = \(certificates.path("index"))
            serial = \(certificates.path("serial"))
            new_certs_dir = \(certificates.path(""))
            policy = any
            [any]
            commonName = supplied
            """, to: "settings")
        try await certificates.openssl([
            "ca", "-batch", "-selfsign", "-config", settings, "-md", "sha256", "-notext",
            "-keyfile", key, "-in", request, "-out", expired, "-startdate", "20200101000000Z", "-enddate",
            "20200102000000Z",
        ])
        let text = try Self.problem(expired, key)
        #expect(text.contains(/expired on \d{4}-\d\d-\d\d/))
    }

    @Test(arguments: ["ec", "rsa", "ed25519"]) func allUsualKindsOfKeysAreTaken(_ kind: String) async throws {
        let certificates = try Certificates()
        let (certificate, key) = (certificates.path("c.pem"), certificates.path("k.pem"))
        let parameters =
            switch kind {
            case "ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case "rsa": ["-newkey", "rsa:2048"]
            default: ["-newkey", kind]
            }
        try await certificates.openssl(
            ["req", "-x509", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
                + parameters)
        let identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
        try await withServer(tls: identity, handle: { ok($0) }) { server in
            let port = server.port
            let text = try await blocking {
                let client = try RawClient(port)
                try client.secure()
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.reply().text
            }
            #expect(text == "ok")
        }
    }

    @Test func theTLSLibrarysReasonIsInTheErrorOfTheStart() async throws {
        let certificates = try Certificates()
        let good = try await certificates.make()
        let key = try certificates.read(good.key)
        let identity = TLSIdentity(uncheckedCertificates: Array("nonsense".utf8), key: key)
        let server = HTTPServer(
            tls: identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { ok($0) }
        let error = #expect(throws: ListenError.self) { try server.start() }
        #expect("\(try #require(error))".contains("x509 certificate"))
        #expect(server.port == 0)
    }

    @Test func theKeyIsNotPrinted() async throws {
        let certificates = try Certificates()
        let good = try await certificates.make()
        let identity = try TLSIdentity(certificateFile: good.certificate, keyFile: good.key)
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped, "\([identity])"] {
            #expect(!text.contains("PRIVATE") && !text.contains("45, 45"), "\(text)")
        }
    }
}
