/// Origins as browsers write them: lower case and without the scheme's own port.
package enum WebOrigin {
    package static func of(_ text: String) -> String? {
        guard let mark = text.firstRange(of: "://"),
            let authority = Authority(String(text[mark.upperBound...]))
        else {
            return nil
        }
        return of(scheme: text[..<mark.lowerBound].lowercased(), authority)
    }

    package static func of(scheme: String, _ authority: Authority) -> String {
        let host = authority.isIPv6 ? "[\(authority.host)]" : authority.host
        guard let port = authority.port, port != (scheme == "https" ? 443 : 80) else {
            return "\(scheme)://\(host)"
        }
        return "\(scheme)://\(host):\(port)"
    }
}
