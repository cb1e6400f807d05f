import Drawbridge
import Foundation
import Testing

@testable import DrawbridgeServer
@testable import MicroHTTPD

/// `localizedDescription`, which apps and other libraries show, is a sentence for every public error.
@Suite struct LocalizedErrorTests {
    private struct Plain: Handler {
        func handle(_ request: Request) async throws -> Response { Response() }
    }

    /// Each error is thrown by the public API where it can be, since programs meet it as `any Error`.
    static let errors: [(name: String, error: @Sendable () async throws -> Void)] = [
        ("there is no order 17", { throw HTTPError(.notFound, "there is no order 17") }),
        ("the page is away", { throw PageError(.lost, "the page is away") }),
        ("/a?b: what follows ?", { try Gateway().register(Plain.self, at: "/a?b") }),
        ("line 1, column 2: ", { _ = try JSON(parsing: Array("{".utf8)) }),
        ("this gateway keeps no journal", { _ = try await Gateway().journal.call("pay") }),
        ("5 is not one of the choices", { _ = try Question("q", choices: ["ok"]).answer(from: 5) }),
        ("cannot read the script nosuch.js", { _ = try BridgeScript.file("nosuch.js") }),
        ("a.$replay: unknown keyword $replay", { try Gateway().mock(["a": ["$replay": 1]]) }),
        ("cannot serve files from /nosuch: ", { _ = try StaticFiles(root: "/nosuch") }),
        ("the port is taken", { throw ListenError("the port is taken") }),
        ("the certificate's text has no certificate", { _ = try TLSIdentity(certificates: [], key: []) }),
        ("cannot read the address of the socket: ", { _ = try ListeningSocket.name(-1) }),
        ("2 handlers ignored their cancellation", { throw HandlersLeftBehindError(count: 2) }),
        ("the response has begun", { throw BodyDropped() }),
        ("a stream was declared with 1 bytes and got 2", { throw WrongLength(declared: 1, written: 2) }),
    ]

    @Test(arguments: errors.indices) func theLocalizedDescriptionIsTheSentence(_ place: Int) async {
        let (beginning, act) = Self.errors[place]
        let error = await #expect(throws: (any Error).self) { try await act() }
        let sentence = error?.localizedDescription ?? ""
        #expect(sentence.hasPrefix(beginning), "\(sentence)")
    }
}
