/// The gateway's name in the `Via` field of messages that it forwards (RFC 9110, section 7.6.3).
@usableFromInline package final class Via: Sendable {
    package static let withoutGateway = Via()

    private let pseudonym: String
    private let field: HTTPField
    private let oldField: HTTPField

    /// - Parameter pseudonym: by default a random one, which no other gateway has.
    package init(_ pseudonym: String = "drawbridge-\(String.random128())") {
        self.pseudonym = pseudonym
        field = HTTPField(name: .via, value: "1.1 \(pseudonym)")
        oldField = HTTPField(name: .via, value: "1.0 \(pseudonym)")
    }

    /// The field to append when a message is forwarded.
    ///
    /// - Parameter isOldVersion: whether the message came in HTTP/1.0.
    package func field(isOldVersion: Bool) -> HTTPField { isOldVersion ? oldField : field }

    /// Whether a request with these fields was here before: it goes in a loop, and is answered with a 508.
    ///
    /// Ask this of the fields as they were received. A caller could name `Via` in `Connection`, so that forwarding
    /// removes it and the request would loop for ever.
    package func isNamed(in fields: HTTPFields) -> Bool {
        fields.contains { $0.name == .via && Self.names($0.value).contains { $0 == pseudonym } }
    }

    /// Whether the gateway of this pseudonym sent these fields: each gateway adds its own name behind the others.
    func isLast(in fields: HTTPFields) -> Bool {
        fields.last { $0.name == .via }.flatMap { Self.names($0.value).last }.map { $0 == pseudonym } ?? false
    }

    /// Whether a value of `Via` names any proxy but this gateway.
    func isForeign(_ value: String) -> Bool { Self.names(value).contains { $0 != pseudonym } }

    /// The `received-by` of each element `protocol received-by [comment]`.
    private static func names(_ value: String) -> [Substring] {
        value.split(separator: ",").compactMap { $0.split { $0 == " " || $0 == "\t" }.dropFirst().first }
    }
}
