import Drawbridge
import DrawbridgeHandlers

extension Gateway {
    /// What the handlers that come with the command ask.
    static let standardQuestions = ["alert", "login", "makeACall", "openURL", "pay", "share"]

    /// Registers the handlers that come with the command, where nobody else is registered.
    func registerStandardHandlers(place: RequestLocationHandler.Place, store: StorageHandler.Store) {
        let taken = Set(registered.map(\.path))
        func add<H: Handler>(_ path: String, _ make: @escaping @Sendable (Request) throws -> H) {
            if !taken.contains(path) { register(at: path, make) }
        }
        add("/alert") { AlertHandler(request: $0) }
        add("/deviceInfo") { _ in DeviceInfoHandler() }
        add("/echo") { _ in EchoHandler() }
        add("/login") { LoginHandler(request: $0) }
        add("/makeACall") { MakeACallHandler(request: $0) }
        add("/openURL") { OpenURLHandler(request: $0) { try Desktop.open($0) } }
        add("/pay") { PayHandler(request: $0) }
        add("/requestLocation") { _ in RequestLocationHandler(place) }
        add("/share") { ShareHandler(request: $0) }
        add("/storage") { _ in StorageHandler(store: store) }
        add("/toast") { ToastHandler(request: $0) }
    }
}
