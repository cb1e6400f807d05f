// Replaces the `User-Agent` of pages' requests by that of the app's web view, before an upstream gets them.
extension Gateway {
    func withAppName(_ request: Request) -> Request {
        // The page that is requested, or else the one that sent the request.
        let isPage = !replyBook.isUsed || DocumentRequest(request) == .page
        let asking = isPage ? nil : request.pagePath ?? request.referrer?.path
        let own = replyBook.isUsed ? replyBook.settings(ofPageAt: asking ?? request.path).appName : nil
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
}
