import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// A gateway at whose own endpoints a page knocks, with one page that speaks to it already.
final class KnockedSite: Sendable {
    /// The id of that page.
    static let victim = String(repeating: "f", count: 32)

    let gateway: Gateway
    private let server: GatewayServer
    private let notes = Observed<Set<String>>([])

    init() throws {
        gateway = Gateway(passThrough: [.staticFiles(ForeignSite.pages)])
        let notes = notes
        try gateway.register(at: "/note") { Note(notes: notes) }
        server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
    }

    var address: String { "\(server.address)" }

    /// The ways by which the handler was called.
    var called: Set<String> { notes.value }

    private struct Note: JSONHandler {
        let notes: Observed<Set<String>>

        func handle(_ way: String) async throws -> String {
            notes.change { $0.insert(way) }
            return "the secret"
        }
    }

    /// Opens a page that tries everything, and gives what it could read, by way.
    ///
    /// - Parameter page: its address without what it is told.
    func knocked(
        from page: String, reporting foreign: ForeignSite, _ name: String = "127.0.0.1", in browser: Browser
    ) async throws -> [String: String] {
        // Now there is a page that another one may try to be.
        let victim = try await curl(
            "-d", #"{"page":"\#(Self.victim)","life":1,"token":"\#(gateway.access.token.text)","up":[]}"#,
            "\(address)/__drawbridge__/messages")
        try #require(victim == #"{"received":0}"# && gateway.pages.all.count == 1)

        var url = try #require(URLComponents(string: page))
        let told = [
            ("target", address), ("foreign", foreign.origin(name)), ("token", gateway.access.token.text),
            ("tester", gateway.testerToken.text), ("page", Self.victim),
        ]
        url.queryItems = (url.queryItems ?? []) + told.map { URLQueryItem(name: $0.0, value: $0.1) }
        let report = await Result { [url] in
            try await browser.open(try #require(url.string)) { try await foreign.report() }
        }
        await foreign.stop()
        return try report.get()
    }

    /// All that native has said to that page, up to the answer to a call of its own.
    func toldToTheVictim() async throws -> String {
        let (port, token) = (server.address.port, gateway.access.token.text)
        return try await blocking {
            let socket = try WebSocketClient.open(
                port, "/__drawbridge__/channel", host: "localhost",
                fields: ["Sec-WebSocket-Protocol: drawbridge, token.\(token)"])
            try socket.send(
                #"{"hello":{"page":"\#(Self.victim)","life":1,"n":0,"epoch":"","received":0,"bridges":[],"url":""}}"#
            )
            // Others may have used the first numbers, in this page's name; number 5 is new, and is answered.
            try socket.send(
                #"{"life":1,"up":[[1,{}],[2,{}],[3,{}],[4,{}],[5,{"call":"note","data":"","id":7}]]}"#)
            var told = ""
            while !told.contains(#""reply""#) {
                told += String(decoding: try socket.receive().payload, as: UTF8.self)
            }
            return told
        }
    }

    /// Ends it, and with it all pages.
    func stop() async { await server.stop() }
}
