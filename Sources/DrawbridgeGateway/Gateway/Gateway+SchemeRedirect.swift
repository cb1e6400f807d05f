// A redirect of a page's server to a URL of the app: `Location: myapp://pay?amount=1`. A web view hands it to the app, and
// the page stays.
extension Gateway {
    /// Makes the call of such a redirect, and gives the answer by which the page stays; nil for any other response.
    func staying(_ response: Response, to request: Request) -> Response? {
        guard response.status.kind == .redirection, let runtime = pageRuntime, let injection,
            let url = response.headers.value(.location), let mark = url.firstRange(of: "://"),
            case let scheme = url[..<mark.lowerBound].lowercased(), !Lack.browsersOwn.contains(scheme),
            !request.headers.contains(.secPurpose), !injection.isLeftToApp(request)
        else { return nil }
        switch DocumentRequest(request) {
        case .page where !runtime.schemes.contains(scheme): hear(ofRedirectTo: scheme, by: request)
        case .page:
            let target = Target(String(url[mark.upperBound...].prefix { $0 != "#" }))
            // A plus stays a plus, as where the page itself opens the URL.
            let items = Query((target.query ?? "").replacing("+", with: "%2B"))
            let path = target.path.hasSuffix("/") ? String(target.path.dropLast()) : target.path
            let name = runtime.commandItem.flatMap { items[$0] } ?? path
            let data = JSON.Object(items.map { ($0.name, .string($0.value)) })
            guard let obstacle = call(name, data, for: request) else {
                // The server may log somebody in by the way, and the next click has to ask it again.
                let kept = response.headers.filter { $0.name == .setCookie }
                let fields = kept + [HTTPField(name: .cacheControl, value: "no-store")]
                return Response(.noContent, headers: HTTPFields(fields))
            }
            injection.withoutNative.tell(of: request, .redirected(scheme, obstacle))
        case .other where runtime.schemes.contains(scheme):
            injection.withoutNative.tell(of: request, .redirected(scheme, nil))
        case .other, .worker, .unknown: break
        }
        return nil
    }

    /// Starts a call in the name of the page that was navigated; returns why that cannot be.
    private func call(_ name: String, _ data: JSON.Object, for request: Request) -> String? {
        if name == "fetch_message" { return "the page itself must say that its queue has messages" }
        var headers: HTTPFields = [.contentType: "application/json", .session: request.session.name]
        var caller = request
        // A page can leave out its `Referer`, but not change its origin.
        if let referrer = request.referrer {
            caller.headers[.origin] = caller.headers[.origin] ?? request.ownOrigin
            if !access.refusesOtherPages(caller) {
                let page = ranked(in: request.session).first {
                    $0.path == referrer.path && $0.presence == .here
                }
                (headers[.pagePath], headers[.pageID]) = (referrer.path, page?.id)
                headers[.pageToken] = access.token.text
                caller.headers[.pageToken] = access.token.text
            }
        } else if request.headers.contains(.referer) {
            return "a page of another site has led here"
        }
        if let refusal = access.refusesCaller(of: caller) { return refusal.message }
        var call = Request(
            .post, "/" + Percent.encode(name, keeping: "/"), headers: headers,
            body: .init(data.isEmpty ? [] : JSON.object(data).bytes), calling: RepeatedCall(at: "command"))
        (call.remoteAddress, call.answerer) = (request.remoteAddress, self)
        Task { [call] in await respond(to: call).afterwards?() }
        return nil
    }
}
