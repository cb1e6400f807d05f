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

    private let location: String

    /// At Greenwich.
    public init() { self.init(location: Self.greenwich) }

    /// Somewhere: coordinates, an address, whatever the page expects.
    public init(location: String) { self.location = location }

    /// Tells the place.
    public func handle(_ input: Nothing) async throws -> String { location }
}
