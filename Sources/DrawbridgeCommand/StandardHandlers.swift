import DrawbridgeHandlers

/// The command's handlers, at paths where the program has registered none.
///
/// If a file has mocks, they are off, except for names with `{"$pass": true}`. Otherwise users would take their answers
/// for mocks.
struct BuiltIns {
    static let questions = ["alert", "login", "makeACall", "openURL", "pay", "share"]

    private let gateway: Gateway
    private var handlers: [String: @Sendable () throws -> Void] = [:]

    init(for gateway: Gateway, store: StorageHandler.Store) {
        self.gateway = gateway
        add("alert") { AlertHandler(request: $0) }
        add("deviceInfo") { _ in DeviceInfoHandler() }
        add("echo") { _ in EchoHandler() }
        add("login") { LoginHandler(request: $0) }
        add("makeACall") { MakeACallHandler(request: $0) }
        add("openURL") { OpenURLHandler(request: $0) { try Desktop.open($0) } }
        add("pay") { PayHandler(request: $0) }
        add("requestLocation") { _ in RequestLocationHandler() }
        add("share") { ShareHandler(request: $0) }
        add("storage") { _ in StorageHandler(store: store) }
        add("toast") { ToastHandler(request: $0) }
        for name in gateway.names { handlers[name] = nil }
    }

    private mutating func add<H: Handler>(_ name: String, _ make: @escaping @Sendable (Request) throws -> H) {
        handlers[name] = { [gateway] in try gateway.register(at: "/\(name)", make) }
    }

    /// Registers the handlers that are on with these files, and unregisters the others.
    ///
    /// - Parameter choice: true turns all on, false turns all off; nil decides by the files.
    func follow(_ files: [ReplyFile], _ choice: Bool? = nil) throws {
        let all = Set(handlers.keys)
        let isOn = choice ?? !files.contains(where: \.hasReplies)
        let passing = all.filter { name in choice == nil && files.contains { $0.passes(name) } }
        let (wanted, registered) = (isOn ? all : passing, gateway.program.builtIns)
        for name in registered.subtracting(wanted) { gateway.unregister("/\(name)") }
        for name in wanted.subtracting(registered) { try handlers[name]?() }
        gateway.configure {
            $0.switchedOff = choice == nil ? all.subtracting(wanted) : []
            $0.builtIns = wanted
        }
        gateway.journal.touch(.gateway)
    }
}

extension Gateway {
    var names: Set<String> { Set(registered.keys.map { String($0.dropFirst()) }) }
}
