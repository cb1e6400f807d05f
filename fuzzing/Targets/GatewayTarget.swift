import Drawbridge
import DrawbridgeHandlers
import HTTPTypes

@testable import MicroHTTPD

/// Whole requests, from the audit of their head to the envelope of their answer.
enum GatewayTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let wire = WireHead(bytes) else { return }
        let audited = try? wire.block.withUnsafeBytes { block in
            try HeadAudit.run(
                block, .nothing, lines: wire.lines, target: wire.target, scheme: "http", limits: Limits())
        }
        guard let audited else { return }
        let request = Request(head: audited.request, body: .init(wire.body))
        // What it serves itself is no envelope.
        if request.path.hasPrefix("/__drawbridge__/s") { return }
        wait { try await check(gateway().respond(to: request), to: request) }
    }

    /// A new one each time: nothing that is stored stays.
    private static func gateway() throws -> Gateway {
        let answers: [String: JSON] = ["alert": "ok", "login": "ann", "share": "done", "openURL": "ok"]
        let gateway = Gateway(presenter: ScriptedPresenter(answers))
        try gateway.register(at: "/alert") { AlertHandler(request: $0) }
        try gateway.register(at: "/echo") { _ in EchoHandler() }
        try gateway.register(at: "/login") { LoginHandler(request: $0) }
        try gateway.register(at: "/openURL") { OpenURLHandler(request: $0) { _ in } }
        try gateway.register(at: "/pay") { PayHandler(request: $0) }
        try gateway.register(at: "/share") { ShareHandler(request: $0) }
        let store = StorageHandler.Store()
        try gateway.register(at: "/storage") { _ in StorageHandler(store: store) }
        try gateway.register(at: "/toast/:kind") { ToastHandler(request: $0) }
        return gateway
    }

    private static func check(_ response: Response, to request: Request) async {
        for field in response.headers {
            let isClean = field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            check(isClean, "\(field) breaks its line")
        }
        check(response.headers[.init("X-Request-Id")!] == request.id, "\(response.headers)")
        check(response.status.code != 500, "\(request.head) fails")
        guard let body = try? await response.body.collect(), let reply = try? JSON(parsing: body) else {
            fatalError("\(request.head) is answered with what is no JSON")
        }
        let code = reply["code"]?.numberValue?.intValue ?? 0
        check(code == response.status.code || response.status == .ok, "\(reply) with \(response.status)")
        check((100...599).contains(code) && code != 500, "\(reply)")
        check(reply["message"]?.stringValue?.isEmpty == (code < 400), "\(reply)")
    }
}
