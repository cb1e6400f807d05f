import Glibc

/// A response object of the library that is sent again with another body of the same length.
///
/// Making one with its header fields is the largest cost of a small response. One exchange at a time uses it, on the
/// loop.
final class ReusableResponse {
    static let longest = 1024

    /// The header fields that never change, as C strings: name, value, next name.
    let fixed: [UInt8]
    let length: Int
    let handle: LibraryResponse

    /// The body's memory; the library frees it together with the response.
    private let body: UnsafeMutableRawPointer
    /// The header fields of the current response only, in the same form as `fixed`.
    private let added: LoopBound<[UInt8]>

    init?(_ fixed: [UInt8], length: Int, of loop: Loop) {
        guard let body = malloc(max(1, length)) else { return nil }
        guard let handle = LibraryResponse(owning: body, length: length) else {
            free(body)
            return nil
        }
        self.fixed = fixed
        self.length = length
        self.handle = handle
        self.body = body
        added = LoopBound([], to: loop)
        fixed.withUnsafeBytes { handle.add($0) }
    }

    deinit { handle.release() }

    func isFor(_ fixed: [UInt8], length: Int) -> Bool {
        self.length == length && self.fixed.count == fixed.count
            && memcmp(self.fixed, fixed, fixed.count) == 0
    }

    func hold(_ bytes: [UInt8], adding fields: UnsafeRawBufferPointer) {
        added.value.withUnsafeBytes { handle.remove($0) }
        added.value.removeAll(keepingCapacity: true)
        added.value += fields
        handle.add(fields)
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(body, start, $0.count) } }
    }
}

/// Idle responses of one loop.
///
/// The lengths of body and fixed fields select one of 64 slots, which has up to 16 with the same fields and length; one
/// that differs replaces them.
struct ReusableResponses {
    private static let count = 64
    /// The number of alike ones: an upstream's answers are sent at the same time, and then given back.
    private static let most = 16

    private let loop: Loop
    private var idle = [[ReusableResponse]](repeating: [], count: Self.count)

    init(of loop: Loop) { self.loop = loop }

    /// An idle response with these fixed fields and this body length, or a new one; nil if memory runs out.
    mutating func take(_ fixed: [UInt8], length: Int) -> ReusableResponse? {
        let place = Self.place(fixed, length)
        guard let found = idle[place].last, found.isFor(fixed, length: length) else {
            return ReusableResponse(fixed, length: length, of: loop)
        }
        return idle[place].removeLast()
    }

    /// Takes back a response after it was sent or its connection was closed.
    mutating func giveBack(_ response: ReusableResponse) {
        let place = Self.place(response.fixed, response.length)
        if let last = idle[place].last, !last.isFor(response.fixed, length: response.length) {
            idle[place] = []
        }
        if idle[place].count < Self.most { idle[place].append(response) }
    }

    private static func place(_ fixed: [UInt8], _ length: Int) -> Int { (fixed.count + length) % count }
}
