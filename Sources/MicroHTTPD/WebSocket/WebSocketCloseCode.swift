/// Why a WebSocket ends (RFC 6455, section 7.4).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The connection has done what it was for.
    package static let normal = Self(rawValue: 1000)
    /// The server stops, or the page is left.
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// Data of a kind that is not taken here.
    package static let unsupported = Self(rawValue: 1003)
    /// The peer gave none; never sent.
    package static let none = Self(rawValue: 1005)
    /// The connection ended without a close frame; never sent.
    package static let abnormal = Self(rawValue: 1006)
    /// Text that is no UTF-8.
    package static let invalidText = Self(rawValue: 1007)
    package static let policy = Self(rawValue: 1008)
    package static let tooLarge = Self(rawValue: 1009)
    package static let internalError = Self(rawValue: 1011)
    /// There is no room for now.
    package static let tryAgainLater = Self(rawValue: 1013)

    /// Whether the code may be sent in a frame; others only describe an end.
    package var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
