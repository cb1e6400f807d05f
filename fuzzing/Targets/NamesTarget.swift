import HTTPTypes

@testable import Drawbridge
@testable import DrawbridgeCommand
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages

/// Names, patterns and settings by every way that they come in: in code, by flags, by the tests' API.
///
/// A line each: a letter for the way, the name, and behind a tab what is said of it.
enum NamesTarget: FuzzTarget {
    private static let token = String(repeating: "t", count: 32)

    static func run(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A).prefix(16).compactMap(Line.init)
        let excluded = lines.filter { $0.way == UInt8(ascii: "x") }.map(\.name)
        wait {
            let runtime = PageRuntime(
                schemes: excluded, messageHandlers: ["*"], functions: ["*"], shortcuts: excluded,
                excluded: excluded)
            let gateway = Gateway(
                pageRuntime: runtime, testerToken: TesterToken(token)!, keepsJournal: true)
            for line in lines { await line.say(to: gateway) }
            for target in ["/", "/__drawbridge__/page.js?path=/", OwnPath.handlers.path] {
                await check(gateway, Request(.get, target, headers: [.authorization: "Bearer \(token)"]))
            }
            gateway.reset(.usual)
        }
    }

    private static func check(_ gateway: Gateway, _ request: Request) async {
        let response = await gateway.respond(to: request)
        check(response.status != .internalServerError, "\(request.method) \(request.target) fails")
    }

    private struct Line: Sendable {
        let way: UInt8
        let name: String
        let more: String

        init?(_ bytes: ArraySlice<UInt8>) {
            guard let way = bytes.first else { return nil }
            self.way = way
            let parts = bytes.dropFirst().split(
                separator: 0x09, maxSplits: 1, omittingEmptySubsequences: false)
            name = String(decoding: parts.first ?? [], as: UTF8.self)
            more = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "1"
        }

        func say(to gateway: Gateway) async {
            let encoded = Percent.encode(name)
            switch way {
            case UInt8(ascii: "r"): try? gateway.register(at: name) { Nobody() }
            case UInt8(ascii: "u"): gateway.unregister(name)
            case UInt8(ascii: "p"):
                _ = try? gateway.pages(matching: name) { try $0.register(at: more) { Nobody() } }
            case UInt8(ascii: "m"):
                try? gateway.mock(JSON(parsing: Array("{\(JSON.string(name)): \(more)}".utf8)))
            case UInt8(ascii: "s"): await ask(gateway, .put, "replies?name=\(encoded)", more)
            case UInt8(ascii: "d"): await ask(gateway, .delete, "replies?name=\(encoded)")
            case UInt8(ascii: "t"):
                await ask(gateway, .put, "scenario", "{\"scenario\": \(JSON.string(name))}")
            case UInt8(ascii: "e"): await ask(gateway, .post, "events/\(encoded)")
            case UInt8(ascii: "j"):
                await ask(gateway, .get, "calls?name=\(encoded)&session=\(Percent.encode(more))")
            case UInt8(ascii: "v"):
                await ask(
                    gateway, .post, "calls/verify", "{\"name\": \(JSON.string(name)), \"input\": \(more)}")
            case UInt8(ascii: "c"):
                await NamesTarget.check(
                    gateway,
                    Request(.get, "/\(Percent.encode(name, keeping: "/"))?_mobile_bridge=1&a=\(encoded)"))
            case UInt8(ascii: "f"):
                _ = try? ConfigFile(
                    FileText("/s.json", JSON.object([name: .string(more)]).bytes), isFound: false)
            default: break
            }
        }

        private func ask(
            _ gateway: Gateway, _ method: HTTPRequest.Method, _ path: String, _ body: String = ""
        ) async {
            let request = Request(
                method, "/__drawbridge__/\(path)",
                headers: [.authorization: "Bearer \(NamesTarget.token)", .contentType: "application/json"],
                body: .init(Array(body.utf8)))
            await NamesTarget.check(gateway, request)
        }
    }

    private struct Nobody: Handler {
        func handle(_ request: Request) async throws -> Response { Response(.noContent) }
    }
}
