public import Drawbridge

/// Answers with where the device is, as a string.
///
/// ```
/// curl 'http://127.0.0.1:8080/requestLocation?_mobile_bridge=1'
/// {"code":200,"data":"51.4779,-0.0015","message":""}
/// ```
public struct RequestLocationHandler: JSONHandler {
    /// Latitude and longitude of the observatory at Greenwich: where a device is that does not say where.
    public static let greenwich = "51.4779,-0.0015"

    /// What the device says of where it is.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Place: Sendable, Hashable {
        /// Coordinates, an address, whatever the page expects.
        case at(String)
        /// The person has not allowed the app to know: `code` 1, as in the W3C's Geolocation API.
        case denied
        /// The device does not know: `code` 2.
        case unknown
    }

    private let place: Place

    /// At Greenwich.
    public init() { self.init(.at(Self.greenwich)) }

    /// Somewhere, or nowhere.
    public init(_ place: Place) { self.place = place }

    /// Somewhere: coordinates, an address, whatever the page expects.
    public init(location: String) { self.init(.at(location)) }

    /// Tells the place.
    ///
    /// - Throws: an error with the number that a browser's own `GeolocationPositionError` has.
    public func handle(_ input: Nothing) async throws -> String {
        switch place {
        case .at(let location): return location
        case .denied:
            throw HTTPError(.forbidden, "the person has not allowed it to know the location", code: 1)
        case .unknown: throw HTTPError(.serviceUnavailable, "the location is not known", code: 2)
        }
    }
}
