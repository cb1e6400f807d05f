import Drawbridge
import DrawbridgeHandlers
import Synchronization

/// The handlers that come with the command, at the paths where a program has none of its own.
///
/// Where a file has mocks they are off, except for names that it mocks as `$pass`: beside an app's mocks, their answers
/// were mistaken for the app's.
final class BuiltIns: Sendable {
    static let questions = ["alert", "login", "makeACall", "openURL", "pay", "share"]

    private let gateway: Gateway
    private let handlers: [String: @Sendable () throws -> Void]
    private let registered = Mutex(Set<String>())

    init(for gateway: Gateway, store: StorageHandler.Store) {
        self.gateway = gateway
        var handlers: [String: @Sendable () throws -> Void] = [:]
        func add<H: Handler>(_ path: String, _ make: @escaping @Sendable (Request) throws -> H) {
            handlers[path] = { try gateway.register(at: path, make) }
        }
        add("/alert") { AlertHandler(request: $0) }
        add("/deviceInfo") { _ in DeviceInfoHandler() }
        add("/echo") { _ in EchoHandler() }
        add("/login") { LoginHandler(request: $0) }
        add("/makeACall") { MakeACallHandler(request: $0) }
        add("/openURL") { OpenURLHandler(request: $0) { try Desktop.open($0) } }
        add("/pay") { PayHandler(request: $0) }
        add("/requestLocation") { _ in RequestLocationHandler() }
        add("/share") { ShareHandler(request: $0) }
        add("/storage") { _ in StorageHandler(store: store) }
        add("/toast") { ToastHandler(request: $0) }
        for path in gateway.registered.map(\.path) { handlers[path] = nil }
        self.handlers = handlers
    }

    /// The paths of those that are on, sorted.
    var paths: [String] { registered.withLock { $0.sorted() } }

    /// Whether some are off because a file has mocks.
    var areHeldBack: Bool { !gateway.program.switchedOff.isEmpty }

    /// Registers the handlers that are on beside these files, and unregisters the others.
    ///
    /// - Parameter choice: true for all of them, false for none, whatever the files have; nil to decide by the files.
    func follow(_ files: [ReplyFile], _ choice: Bool? = nil) throws {
        let passing = Set(handlers.keys.filter { path in files.contains { $0.passes(path) } })
        let wanted =
            choice.map { $0 ? Set(handlers.keys) : [] }
            ?? (files.contains(where: \.hasReplies) ? passing : Set(handlers.keys))
        try registered.withLock { registered in
            for path in registered.subtracting(wanted) { gateway.unregister(path) }
            for path in wanted.subtracting(registered) { try handlers[path]?() }
            registered = wanted
        }
        let off = choice == nil ? handlers.keys.filter { !wanted.contains($0) } : []
        gateway.configure { ($0.switchedOff, $0.builtIns) = (Self.names(of: off), Self.names(of: wanted)) }
        gateway.journal.touch(.gateway)
    }

    private static func names(of paths: some Sequence<String>) -> Set<String> {
        Set(paths.map { String($0.dropFirst()) })
    }
}
