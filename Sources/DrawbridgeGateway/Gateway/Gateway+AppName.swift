import DrawbridgeMessages
import DrawbridgeMocks
import DrawbridgePageRuntime
import HTTPTypes

// Replaces the `User-Agent` of pages' requests by that of the app's web view, before an upstream gets them.
extension Gateway {
    func withAppName(_ request: Request) -> Request {
        let own = replyBook.isUsed ? replyBook.settings(ofPageAt: pagePath(of: request)).appName : nil
        guard let name = own ?? pageRuntime?.appName else { return request }
        var fields = HTTPFields()
        // Client Hints would tell the browser's own name.
        for field in request.headers where !field.name.canonicalName.hasPrefix("sec-ch-ua") {
            fields.append(field)
        }
        fields[.userAgent] = name.text(in: fields[.userAgent] ?? "")
        var named = request
        named.headers = fields
        return named
    }

    /// The path of the page that is requested, or else of the page that sent the request.
    private func pagePath(of request: Request) -> String {
        guard DocumentRequest(request) != .page else { return request.path }
        return request.pagePath ?? request.headers.value(.referer).map(Target.path(ofURL:)) ?? request.path
    }
}
