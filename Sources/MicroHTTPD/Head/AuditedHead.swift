import Glibc
import Synchronization

/// The parsed head of a request that has passed ``HeadAudit``.
///
/// Its parts are properties, because most are used once, and making an `HTTPRequest` costs more than that. One object
/// may be shared by many requests of a loop (``KnownHeads``). All is constant but three parts, which are set once.
package final class AuditedHead: Sendable {
    /// How the length of the body is determined (RFC 9112, section 6).
    package enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked

        package var length: Int? { if case .length(let length) = self { length } else { nil } }
    }

    package let method: HTTPRequest.Method
    package let scheme: String
    package let authority: String?
    package let target: String
    /// Without `Host` and the framing fields.
    package let headers: HTTPFields
    package let isAbsoluteForm: Bool
    /// True for HTTP/1.0.
    package let isOldVersion: Bool
    package let framing: Framing
    package let expectsContinue: Bool

    /// True if the same head has come before: then it is kept for the next requests.
    package let isRepeated = Atomic(false)
    private let handler = Mutex<(any HeadHandler)?>(nil)
    /// What ``room(in:)`` counts; -1 before it is counted.
    private let used = Atomic(-1)

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

    /// The bytes of a connection's memory that are left for the head of a response; the library uses 64 bytes more for
    /// each field and each cookie, and copies the cookies.
    func room(in pool: Int) -> Int {
        if used.load(ordering: .relaxed) < 0 { used.store(counted, ordering: .relaxed) }
        return max(0, pool - used.load(ordering: .relaxed))
    }

    private var counted: Int {
        let cookies = headers[fields: .cookie].reduce(0) { count, field in
            count + field.value.utf8.reduce(64) { $0 + ($1 == UInt8(ascii: ";") ? 65 : 1) }
        }
        return headers.bytes + 64 * headers.count + target.utf8.count + cookies + 1024
    }

    /// The handler for requests with this head; `make` is called for the first of them only.
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

/// The heads that a loop has already parsed, because a page sends the same head with every call.
///
/// A head is found by its exact bytes, so none bypasses the audit. The first time, only its hash is stored. At most 128
/// heads of up to 1 KB are kept. It is a part of `Worker.State`.
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

    /// Returns the stored head with these bytes, or the result of `audit`.
    ///
    /// - Parameters:
    ///   - block, target, lines: everything that `audit` reads.
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
        head.isRepeated.store(true, ordering: .relaxed)
        known[place] = Known(block, target, lines, head)
        return head
    }

    /// Not a secure hash: collisions, even deliberate ones, only cost another audit.
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
