import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// A request whose properties survive being copied, as `URLProtocol.property(forKey:in:)` promises.
///
/// On Linux Foundation's own requests lose their properties with every copy, the one into a `URLRequest` included.
/// A `URLRequest` that was made of this holds a copy of it, and so do all that are made of that.
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

    /// All properties of the request, by reflection: Foundation tells only the one of a given key.
    private var properties: [String: Any] {
        let all = Mirror(reflecting: self).superclassMirror?.descendant("protocolProperties")
        return all as? [String: Any] ?? [:]
    }
}
#else
typealias PropertyKeepingRequest = NSMutableURLRequest
#endif
