import Drawbridge

/// The script that tells a browser what to ask the forward proxy for: pages by http, and nothing else.
///
/// What is asked by https is opaque to a proxy, and the gateway itself needs none.
package struct ProxyAutoConfig {
    /// What a browser knows the script by.
    package static let contentType = "application/x-ns-proxy-autoconfig"

    /// The text of the script.
    package let script: String

    /// Writes the script for a proxy.
    ///
    /// - Parameter authority: host and port of the proxy, as the browser named it; nil comes of what is neither a
    ///   plain name nor an address.
    package init?(authority text: String) {
        guard let authority = Authority(text), authority.host.utf8.allSatisfy(Self.isPlain) else {
            return nil
        }
        let host = authority.isIPv6 ? "[\(authority.host)]" : authority.host
        let port = authority.port ?? 80
        // As browsers write it: without the usual port.
        let own = port == 80 ? "http://\(host)/" : "http://\(host):\(port)/"
        script = """
            function FindProxyForURL(url, host) {
                var own = \(Self.quoted(own));
                if (url.slice(0, 5) !== "http:" || host === "localhost" || url.slice(0, own.length) === own) {
                    return "DIRECT";
                }
                return \(Self.quoted("PROXY \(host):\(port)"));
            }

            """
    }

    /// As JSON has it, which is a string of JavaScript.
    private static func quoted(_ text: String) -> String {
        String(decoding: JSON.string(text).bytes, as: UTF8.self)
    }

    /// The script's language separates proxies by semicolons, which a host could have.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
