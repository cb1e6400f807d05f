/// How a browser is told of its http proxy, which is a gateway on this machine.
enum BrowserProxy: CaseIterable, Sendable {
    /// By the gateway's own script.
    case script
    /// By its address, for http and for all else.
    case server

    /// For Chromium.
    func argument(port: Int) -> String {
        switch self {
        case .script: "--proxy-pac-url=\(Self.script(port))"
        case .server: "--proxy-server=http://127.0.0.1:\(port)"
        }
    }

    /// For Firefox, in the order of its settings: 1 is by hand, 2 by a script.
    func preferences(port: Int) -> String {
        switch self {
        case .script:
            """
            user_pref("network.proxy.type", 2);
            user_pref("network.proxy.autoconfig_url", "\(Self.script(port))");

            """
        case .server:
            """
            user_pref("network.proxy.type", 1);
            user_pref("network.proxy.http", "127.0.0.1");
            user_pref("network.proxy.http_port", \(port));
            user_pref("network.proxy.ssl", "127.0.0.1");
            user_pref("network.proxy.ssl_port", \(port));

            """
        }
    }

    private static func script(_ port: Int) -> String { "http://127.0.0.1:\(port)/__drawbridge__/proxy.pac" }
}
