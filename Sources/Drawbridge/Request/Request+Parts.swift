import HTTPTypes

extension Request {
    /// What a request is made of, never changed: whoever changes a request makes new ones.
    final class Parts: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    /// The same as values.
    struct Values: Sendable {
        var method: HTTPRequest.Method
        var scheme: String
        var authority: String? {
            didSet { site = Authority(authority) }
        }
        private(set) var site: Authority?
        var target: String
        var headers: HTTPFields
        var body: Body
        var remoteAddress: String?
        var id: String
        var gateway: Gateway?
        var parameters: [String: String] = [:]
        var isAbsoluteForm = false
        var naming = Naming.path
        var doorInput: JSON?

        init(
            _ method: HTTPRequest.Method, scheme: String, authority: String?, target: String,
            headers: HTTPFields, body: Body, remoteAddress: String?, id: String, gateway: Gateway?
        ) {
            self.method = method
            self.scheme = scheme
            self.authority = authority
            site = Authority(authority)
            self.target = target
            self.headers = headers
            self.body = body
            self.remoteAddress = remoteAddress
            self.id = id
            self.gateway = gateway
        }
    }
}
