import Drawbridge
import DrawbridgeHandlers

extension Gateway {
    /// Registers the handlers that come with the command, where nobody else is registered.
    func registerStandardHandlers(location: String, store: Store) {
        let taken = Set(registered.map(\.path))
        func add(_ path: String, _ register: () -> Void) {
            if !taken.contains(path) { register() }
        }
        add("/alert") { register(AlertHandler.self, at: "/alert") }
        add("/deviceInfo") { register(DeviceInfoHandler.self, at: "/deviceInfo") }
        add("/echo") { register(EchoHandler.self, at: "/echo") }
        add("/login") { register(LoginHandler.self, at: "/login") }
        add("/makeACall") { register(MakeACallHandler.self, at: "/makeACall") }
        add("/openURL") {
            register(at: "/openURL") { OpenURLHandler(request: $0) { try Desktop.open($0) } }
        }
        add("/pay") { register(PayHandler.self, at: "/pay") }
        add("/requestLocation") {
            register(at: "/requestLocation") { RequestLocationHandler(location: location) }
        }
        add("/share") { register(ShareHandler.self, at: "/share") }
        add("/storage") { register(at: "/storage") { StorageHandler(store: store) } }
        add("/toast") { register(ToastHandler.self, at: "/toast") }
    }
}
