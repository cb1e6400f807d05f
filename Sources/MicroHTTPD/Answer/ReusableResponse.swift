import EventLoop
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
/// At most 64: the lengths of body and fixed fields select a slot, and a new one replaces the one in it.
struct ReusableResponses {
    private static let count = 64

    private let loop: Loop
    private var idle = [ReusableResponse?](repeating: nil, count: Self.count)

    init(of loop: Loop) { self.loop = loop }

    /// An idle response with these fixed fields and this body length, or a new one; nil if memory runs out.
    mutating func take(_ fixed: [UInt8], length: Int) -> ReusableResponse? {
        let place = Self.place(fixed, length)
        guard let found = idle[place], found.length == length, found.fixed == fixed else {
            return ReusableResponse(fixed, length: length, of: loop)
        }
        idle[place] = nil
        return found
    }

    /// Takes back a response after it was sent or its connection was closed.
    mutating func giveBack(_ response: ReusableResponse) {
        idle[Self.place(response.fixed, response.length)] = response
    }

    private static func place(_ fixed: [UInt8], _ length: Int) -> Int { (fixed.count + length) % count }
}
