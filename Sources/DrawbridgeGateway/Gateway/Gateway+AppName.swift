import DrawbridgeMessages
import DrawbridgeMocks
import DrawbridgePageRuntime
import HTTPTypes

// Gives pages' requests the `User-Agent` of the app's web view, for what is behind the gateway.
extension Gateway {
    func withAppName(_ request: Request) -> Request {
        guard let name = appName(for: request) else { return request }
        return request.going(as: name)
    }

    private func appName(for request: Request) -> AppName? {
        guard replyBook.isUsed else { return appName }
        return replyBook.settings(ofPageAt: pagePath(of: request)).appName ?? appName
    }

    /// The path of the page that a request is for, or that sent it.
    private func pagePath(of request: Request) -> String {
        guard DocumentRequest(request) != .page else { return request.path }
        return request.pagePath ?? request.headers.value(.referer).map(Target.path(ofURL:)) ?? request.path
    }
}

extension Request {
    /// The request with this `User-Agent`, and without Client Hints, which would tell the browser's own.
    fileprivate func going(as name: AppName) -> Request {
        var fields = HTTPFields()
        for field in headers where !field.name.canonicalName.hasPrefix("sec-ch-ua") { fields.append(field) }
        fields[.userAgent] = name.text(in: fields[.userAgent] ?? "")
        var named = self
        named.headers = fields
        return named
    }
}
