import Drawbridge

/// Answers with the location of the device, as a string.
///
/// ```
/// curl 'http://127.0.0.1:8080/requestLocation?_mobile_bridge=1'
/// {"code":200,"data":"51.4779,-0.0015","message":""}
/// ```
public struct RequestLocationHandler: JSONHandler {
    /// Latitude and longitude of the observatory at Greenwich, the default location.
    public static let greenwich = "51.4779,-0.0015"

    /// The possible results of asking a device for its location.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Place: Sendable, Hashable {
        /// The location: coordinates, an address, or whatever the page expects.
        case at(String)
        /// The user has not given the app permission: `code` 1, as in the W3C's Geolocation API.
        case denied
        /// The device cannot determine its location: `code` 2, as in the same API.
        case unknown
    }

    private let place: Place

    /// Answers with the default location, ``greenwich``.
    public init() { self.init(.at(Self.greenwich)) }

    /// Answers with a location, or with an error if there is none.
    public init(_ place: Place) { self.place = place }

    /// Answers with a location: coordinates, an address, or whatever the page expects.
    public init(location: String) { self.init(.at(location)) }

    /// Returns the location.
    ///
    /// - Throws: an `HTTPError` whose code is that of a browser's `GeolocationPositionError`.
    public func handle(_ input: Nothing) async throws -> String {
        switch place {
        case .at(let location): return location
        case .denied:
            throw HTTPError(.forbidden, "the user has not allowed access to the location", code: 1)
        case .unknown: throw HTTPError(.serviceUnavailable, "the location is not known", code: 2)
        }
    }
}
