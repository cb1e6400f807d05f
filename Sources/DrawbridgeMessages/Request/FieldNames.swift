/// Names of header fields that swift-http-types does not define.
extension HTTPField.Name {
    /// How long the parts of an answer took, for the browser's own tools (W3C Server Timing).
    public static let serverTiming = Self("Server-Timing")!
    package static let requestID = Self("X-Request-Id")!
    /// Sent with a synchronous request, which blocks its page.
    package static let pageWaits = Self("X-Drawbridge-Waits")!
    /// Sent by a page in a browser that a program drives (WebDriver, "navigator.webdriver").
    package static let pageDriven = Self("X-Drawbridge-Driven")!
    /// The path of a page's address, by which its handlers are chosen where it has no channel.
    package static let pagePath = Self("X-Drawbridge-Path")!
    /// The message of its page that must be handled before a request: the number of its life, a dot, its own number.
    package static let pageAfter = Self("X-Drawbridge-After")!
    /// The `--bridge` script that has sent a request of the page.
    package static let pageBridge = Self("X-Drawbridge-Bridge")!
    package static let session = Self("X-Drawbridge-Session")!
    package static let lastEventID = Self("Last-Event-ID")!
    package static let pageID = Self("X-Drawbridge-Page")!
    package static let pageToken = Self("X-Drawbridge-Token")!
    package static let hint = Self("X-Drawbridge-Hint")!
    package static let secFetchSite = Self("Sec-Fetch-Site")!
    package static let secFetchMode = Self("Sec-Fetch-Mode")!
    package static let secFetchDest = Self("Sec-Fetch-Dest")!
    package static let serviceWorker = Self("Service-Worker")!
    package static let upgradeInsecureRequests = Self("Upgrade-Insecure-Requests")!
    package static let xRequestedWith = Self("X-Requested-With")!
    package static let xForwardedFor = Self("X-Forwarded-For")!
    package static let xForwardedProto = Self("X-Forwarded-Proto")!
    package static let xForwardedHost = Self("X-Forwarded-Host")!
    package static let xFrameOptions = Self("X-Frame-Options")!
    package static let clearSiteData = Self("Clear-Site-Data")!
    package static let featurePolicy = Self("Feature-Policy")!
    package static let permissionsPolicy = Self("Permissions-Policy")!
    package static let integrityPolicy = Self("Integrity-Policy")!
    package static let integrityPolicyReportOnly = Self("Integrity-Policy-Report-Only")!
    package static let contentMD5 = Self("Content-MD5")!
    package static let digest = Self("Digest")!
    package static let contentDigest = Self("Content-Digest")!
    package static let reprDigest = Self("Repr-Digest")!
    package static let requestPrivateNetwork = Self("Access-Control-Request-Private-Network")!
    package static let allowPrivateNetwork = Self("Access-Control-Allow-Private-Network")!
}

extension HTTPFields {
    /// The value of a field, as the subscript gives it, but faster if the field is missing.
    package func value(_ name: HTTPField.Name) -> String? { contains(name) ? self[name] : nil }

    /// The value in lower case, without white space around it.
    package func word(_ name: HTTPField.Name) -> String? {
        value(name).map { Substring($0.utf8.trimmed).lowercased() }
    }

    package mutating func vary(by name: String) {
        let names = (value(.vary) ?? "").lowercased().split { ", \t".contains($0) }
        guard !names.contains(where: { $0 == name.lowercased() || $0 == "*" }) else { return }
        append(HTTPField(name: .vary, value: name))
    }
}
