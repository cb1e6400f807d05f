/// Takes every request but the gateway's own, below `/__drawbridge__/`: for a JSON service, which has no page.
public struct EverythingRule: InterceptionRule {
    package init() {}

    /// The request, which has no mark; nil for the gateway's own endpoints.
    public func canonicalRequest(for request: Request) -> Request? {
        OwnPath.isOwn(request) || OwnPath.isMiswritten(request) ? nil : request
    }
}

extension InterceptionRule where Self == EverythingRule {
    /// Every request is for native, without a mark.
    public static var everything: Self { EverythingRule() }
}
