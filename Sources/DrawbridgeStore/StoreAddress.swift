import Drawbridge
import FoundationEssentials

/// Where a store is: `unix:/PATH`, or `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`.
package struct StoreAddress: Sendable, CustomStringConvertible {
    /// How an address is written, for errors.
    package static let form = "it is unix:/PATH or redis://HOST[:PORT][/DATABASE]"

    /// A path, or a host with its port.
    let path: String?
    let host: String
    let port: UInt16
    /// The words of `AUTH`; empty without a password.
    let credentials: [String]
    let database: Int
    /// The address without a password.
    package let description: String

    /// Whether the address has a password, which does not belong into the arguments of a process.
    package var hasPassword: Bool { !credentials.isEmpty }

    package init?(_ text: String) {
        if text.hasPrefix("unix:/") {
            (path, host, port, credentials, database) = (String(text.dropFirst(5)), "", 0, [], 0)
            description = text
            return
        }
        guard var url = URLComponents(string: text), url.scheme == "redis", let site = url.host,
            !site.isEmpty, let number = UInt16(exactly: url.port ?? 6379), url.query == nil,
            let database = url.path.count < 2 ? 0 : Int(plain: url.path.dropFirst())
        else { return nil }
        (path, host, port) = (nil, site.filter { !"[]".contains($0) }, number)
        credentials = [url.user, url.password].compactMap(\.self).filter { !$0.isEmpty }
        self.database = database
        (url.user, url.password) = (nil, nil)
        description = url.string ?? "redis://\(site)"
    }
}
