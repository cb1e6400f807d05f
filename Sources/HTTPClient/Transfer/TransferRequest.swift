import EventLoop
import HTTPGrammar
import HTTPTypes

package struct TransferRequest: Sendable {
    package enum Body: Sendable {
        /// No body and no framing field.
        case none
        case bytes([UInt8])
        /// Sent in parts from ``TransferOwner/fill(_:)``; chunked if the length is nil.
        case stream(length: Int?)
    }

    package var origin: Origin
    package var method: HTTPRequest.Method
    package var target: String
    /// The header fields without `Host`, `Connection`, `Upgrade` and the framing fields.
    package var fields: FieldText
    package var host: String
    package var body: Body
    /// The timeout for connecting, in milliseconds.
    package var connectLimit: Int
    /// The timeout in milliseconds for a server that makes no progress: before the head of its response, within the
    /// body, or while it does not read the request.
    package var silenceLimit: Int
    /// The protocol to switch to (RFC 9110, section 7.8); nil for a usual request.
    package var upgrade: String?
    /// Whose request it is; nil for nobody's, whose connection is closed if the request logs it in.
    package var caller: (any Loop.Caller)?

    package init(
        _ origin: Origin, _ method: HTTPRequest.Method, _ target: String, host: String,
        fields: FieldText = FieldText(), body: Body, connectLimit: Int, silenceLimit: Int,
        upgrade: String? = nil, caller: (any Loop.Caller)? = nil
    ) {
        self.origin = origin
        self.method = method
        self.target = target
        self.host = host
        self.fields = fields
        self.body = body
        self.connectLimit = connectLimit
        self.silenceLimit = silenceLimit
        self.upgrade = upgrade
        self.caller = caller
    }

    /// Whether the request may be repeated if the connection closes before a response (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }

    /// A complete body up to this size in bytes is sent together with the head.
    private static let togetherLimit = 16 << 10

    /// The body to send after ``head``; empty if the head includes it.
    var remainingBody: [UInt8] {
        if case .bytes(let bytes) = body, bytes.count > Self.togetherLimit { bytes } else { [] }
    }

    /// The bytes of the head, with a short body included, and whether it logs its connection in.
    var head: (bytes: [UInt8], logsIn: Bool) {
        let framing: String
        var short: [UInt8] = []
        switch body {
        case .none: framing = upgrade.map { "Connection: Upgrade\r\nUpgrade: \($0)\r\n\r\n" } ?? "\r\n"
        case .bytes(let bytes):
            framing = "Content-Length: \(bytes.count)\r\n\r\n"
            if bytes.count <= Self.togetherLimit { short = bytes }
        case .stream(let length?): framing = "Content-Length: \(length)\r\n\r\n"
        case .stream(nil): framing = "Transfer-Encoding: chunked\r\n\r\n"
        }
        let logsIn = fields.places.contains {
            $0.known == .authorization && fields.field(at: $0).isConnectionLogin
        }
        var bytes: [UInt8] = []
        // Enough for the parts that are not counted, so that the bytes are moved in hardly any request.
        bytes.reserveCapacity(256 + target.utf8.count + fields.size + short.count)
        bytes += method.rawValue.utf8
        bytes.append(UInt8(ascii: " "))
        bytes += target.utf8
        bytes += " HTTP/1.1\r\nHost: ".utf8
        bytes += host.utf8
        bytes += "\r\n".utf8
        for place in fields.places {
            fields.read(place) { name, value in
                bytes += name
                bytes += (value.isEmpty ? ":" : ": ").utf8
                bytes += value
            }
            bytes += "\r\n".utf8
        }
        bytes += framing.utf8
        bytes += short
        return (bytes, logsIn)
    }
}

extension HTTPField {
    /// Whether it is a login that holds for the whole connection, such as NTLM's, or asks for one.
    var isConnectionLogin: Bool {
        guard name == .authorization || name == .wwwAuthenticate else { return false }
        return value.utf8.split(separator: UInt8(ascii: ",")).contains { login in
            let scheme = login.drop(while: \.isBlank).map { $0 | 0x20 }
            return ["ntlm", "nego", "kerberos"].contains { scheme.starts(with: $0.utf8) }
        }
    }
}

/// Why a transfer failed; the description is a sentence for the log.
package struct TransferError: Error, CustomStringConvertible {
    package enum Kind: Sendable {
        case unreachable
        case late
        /// The response is not HTTP, or was cut off.
        case malformed
        case forbidden
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// The server of a request, and how to verify it; requests to one origin share connections.
package struct Origin: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// A host name or an IP address without brackets, and a port.
        case host(String, port: Int)
        case socket(String)
    }

    package enum Trust: Sendable, Hashable {
        case system
        /// The CA certificates in a PEM file, instead of the system's.
        case file(String)
        /// Any certificate, without verification.
        case anybody
    }

    package let place: Place
    /// The certificates that are trusted; nil for a connection without TLS.
    package let trust: Trust?
    /// Computed once, because every request needs it.
    private let hash: Int

    package init(_ place: Place, trust: Trust? = nil) {
        self.place = place
        self.trust = trust
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(trust)
        hash = hasher.finalize()
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
