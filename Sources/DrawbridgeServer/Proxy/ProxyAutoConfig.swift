import Drawbridge
import HTTPGrammar

/// The script that tells a browser when to use the forward proxy: for http:// URLs, and nothing else.
///
/// https is opaque to a proxy, and the gateway itself is reached without one.
package enum ProxyAutoConfig {
    package static let contentType = "application/x-ns-proxy-autoconfig"

    /// The script for a proxy.
    ///
    /// - Parameter authority: host and port of the proxy, as the browser named it; one that is neither a plain name
    ///   nor an address gives nil.
    package static func script(authority text: String) -> String? {
        guard let authority = Authority(text), authority.host.utf8.allSatisfy(isPlain) else {
            return nil
        }
        let host = authority.isIPv6 ? "[\(authority.host)]" : authority.host
        let port = authority.port ?? 80
        // As browsers write URLs: without the default port.
        let own = port == 80 ? "http://\(host)/" : "http://\(host):\(port)/"
        return """
            function FindProxyForURL(url, host) {
                var own = \(quoted(own));
                if (url.slice(0, 5) !== "http:" || host === "localhost" || url.slice(0, own.length) === own) {
                    return "DIRECT";
                }
                return \(quoted("PROXY \(host):\(port)"));
            }

            """
    }

    /// The text as a JSON string, which is a JavaScript string too.
    private static func quoted(_ text: String) -> String {
        String(decoding: JSON.string(text).bytes, as: UTF8.self)
    }

    /// Whether a byte is allowed in the host; semicolons are not, which separate proxies in the script's result.
    private static func isPlain(_ byte: UInt8) -> Bool { byte.isWord || "-.:".utf8.contains(byte) }
}
