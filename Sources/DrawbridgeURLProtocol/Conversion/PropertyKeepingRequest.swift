import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// A request that keeps its properties when it is copied, as `URLProtocol.property(forKey:in:)` requires.
///
/// On Linux, Foundation's requests lose their properties with each copy, also when converted to `URLRequest`. A
/// `URLRequest` made of this class stores a copy of this class, and so do all copies of that `URLRequest`.
final class PropertyKeepingRequest: NSMutableURLRequest {
    override func copy(with zone: NSZone? = nil) -> Any { mutableCopy(with: zone) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any {
        guard let url else { return super.mutableCopy(with: zone) }
        let copy = PropertyKeepingRequest(
            url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        copy.mainDocumentURL = mainDocumentURL
        copy.networkServiceType = networkServiceType
        copy.allowsCellularAccess = allowsCellularAccess
        copy.httpShouldHandleCookies = httpShouldHandleCookies
        copy.httpMethod = httpMethod
        copy.allHTTPHeaderFields = allHTTPHeaderFields
        if let httpBodyStream { copy.httpBodyStream = httpBodyStream } else { copy.httpBody = httpBody }
        for (key, value) in properties { URLProtocol.setProperty(value, forKey: key, in: copy) }
        return copy
    }

    /// All properties of the request, read by reflection, since Foundation only returns the property of a given key.
    private var properties: [String: Any] {
        let all = Mirror(reflecting: self).superclassMirror?.descendant("protocolProperties")
        return all as? [String: Any] ?? [:]
    }
}
#else
typealias PropertyKeepingRequest = NSMutableURLRequest
#endif
