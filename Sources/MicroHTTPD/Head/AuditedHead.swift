import Glibc
package import HTTPTypes
import Synchronization

/// A head that has passed the audit.
///
/// Its parts are properties and no `HTTPRequest`, because most of them are read once, and making one costs more than
/// reading them. One object may be the head of many requests of a loop (``KnownHeads``). All of it is constant, the
/// handler once it is set.
package final class AuditedHead: Sendable {
    /// How the end of the body is found (RFC 9112, section 6).
    package enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked

        package var length: Int? { if case .length(let length) = self { length } else { nil } }
    }

    package let method: HTTPRequest.Method
    package let scheme: String
    package let authority: String?
    /// Path and query as they were sent.
    package let target: String
    /// Without `Host` and what frames the body.
    package let headers: HTTPFields
    package let isAbsoluteForm: Bool
    /// True for HTTP/1.0.
    package let isOldVersion: Bool
    package let framing: Framing
    package let expectsContinue: Bool

    private let handler = Mutex<(any HeadHandler)?>(nil)

    init(
        method: HTTPRequest.Method, scheme: String, authority: String?, target: String, headers: HTTPFields,
        isAbsoluteForm: Bool, isOldVersion: Bool, framing: Framing, expectsContinue: Bool
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.target = target
        self.headers = headers
        self.isAbsoluteForm = isAbsoluteForm
        self.isOldVersion = isOldVersion
        self.framing = framing
        self.expectsContinue = expectsContinue
    }

    /// How many bytes of a connection's memory it leaves for the head of an answer: the library keeps 64 more for each
    /// field and for each cookie, and a copy of the cookies.
    func room(in pool: Int) -> Int {
        let cookies = headers[fields: .cookie].reduce(0) { count, field in
            count + field.value.utf8.reduce(64) { $0 + ($1 == UInt8(ascii: ";") ? 65 : 1) }
        }
        return max(0, pool - headers.bytes - 64 * headers.count - target.utf8.count - cookies - 1024)
    }

    /// What handles the requests with this head: made with the first of them, and kept for the next.
    func handler(_ make: (AuditedHead) -> any HeadHandler) -> any HeadHandler {
        handler.withLock { handler in
            if let handler { return handler }
            let made = make(self)
            handler = made
            return made
        }
    }

    package var request: HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: target, headerFields: headers)
    }
}

/// Heads that a loop has audited before: the calls of a page have the same head again and again.
///
/// A head is found only by exactly the same bytes, so that none bypasses the audit. A head that comes once leaves only
/// its hash here; of the others no more than 128 are kept, of 1 KB each at most. They are a part of
/// `Worker.State`.
struct KnownHeads {
    private final class Known: Sendable {
        let block: [UInt8]
        let target: [UInt8]
        let lines: Int
        let head: AuditedHead

        init(_ block: UnsafeRawBufferPointer, _ target: [UInt8], _ lines: Int, _ head: AuditedHead) {
            self.block = Array(block)
            self.target = target
            self.lines = lines
            self.head = head
        }

        func isOf(_ block: UnsafeRawBufferPointer, _ target: [UInt8], _ lines: Int) -> Bool {
            guard self.lines == lines, self.target == target, self.block.count == block.count,
                let start = block.baseAddress
            else { return false }
            return memcmp(self.block, start, block.count) == 0
        }
    }

    private static let count = 128
    private static let longest = 1024

    private var hashes = [UInt64](repeating: 0, count: Self.count)
    private var known = [Known?](repeating: nil, count: Self.count)

    /// The verdict on a head: the one that was given before, or that of `audit`.
    ///
    /// - Parameters:
    ///   - block, target, lines: all that `audit` looks at.
    mutating func head(
        _ block: UnsafeRawBufferPointer, target: [UInt8], lines: Int,
        audit: () throws(Refusal) -> AuditedHead
    ) throws(Refusal) -> AuditedHead {
        guard block.count <= Self.longest else { return try audit() }
        let hash = Self.hash(block)
        let place = Int(hash % UInt64(Self.count))
        guard hashes[place] == hash else {
            hashes[place] = hash
            known[place] = nil
            return try audit()
        }
        if let found = known[place], found.isOf(block, target, lines) { return found.head }
        let head = try audit()
        known[place] = Known(block, target, lines, head)
        return head
    }

    /// Callers can provoke collisions, which only cost another audit.
    private static func hash(_ block: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(block.count)
        var place = 0
        while place + 8 <= block.count {
            hash = mixed(hash ^ block.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        for byte in block[place...] { hash = mixed(hash ^ UInt64(byte)) }
        return hash
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        let product = value &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
