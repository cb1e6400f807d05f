import Drawbridge
import DrawbridgeHandlers

extension Gateway {
    /// What the handlers that come with the command ask.
    static let standardQuestions = ["alert", "login", "makeACall", "openURL", "pay", "share"]

    /// Registers the handlers that come with the command, where nobody else is registered.
    ///
    /// - Returns: their paths.
    @discardableResult
    func registerStandardHandlers(
        place: RequestLocationHandler.Place, store: StorageHandler.Store
    ) throws -> Set<String> {
        let taken = Set(registered.map(\.path))
        func add<H: Handler>(_ path: String, _ make: @escaping @Sendable (Request) throws -> H) throws {
            if !taken.contains(path) { try register(at: path, make) }
        }
        try add("/alert") { AlertHandler(request: $0) }
        try add("/deviceInfo") { _ in DeviceInfoHandler() }
        try add("/echo") { _ in EchoHandler() }
        try add("/login") { LoginHandler(request: $0) }
        try add("/makeACall") { MakeACallHandler(request: $0) }
        try add("/openURL") { OpenURLHandler(request: $0) { try Desktop.open($0) } }
        try add("/pay") { PayHandler(request: $0) }
        try add("/requestLocation") { _ in RequestLocationHandler(place) }
        try add("/share") { ShareHandler(request: $0) }
        try add("/storage") { _ in StorageHandler(store: store) }
        try add("/toast") { ToastHandler(request: $0) }
        return Set(registered.map(\.path)).subtracting(taken)
    }
}
