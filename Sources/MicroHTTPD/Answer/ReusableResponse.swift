import EventLoop
import Glibc

/// A response of the library's that is sent again, with other bytes of the same length.
///
/// Making one with its header fields costs the library more than all else that it does for a small answer. One exchange
/// at a time uses it, on its loop's thread.
final class ReusableResponse {
    static let longest = 1024

    /// The header fields that stay, as C strings: a name, its value, the next name.
    let fixed: [UInt8]
    let length: Int
    let handle: LibraryResponse

    /// The memory of the body, which the library frees with the response.
    private let body: UnsafeMutableRawPointer
    /// The header fields of the present answer, written as `fixed` is.
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

/// The idle responses of a loop, for reuse.
///
/// At most 64 are kept: the lengths of body and fixed fields choose the place, where a new one replaces the old one.
struct ReusableResponses {
    private static let count = 64

    private let loop: Loop
    private var idle = [ReusableResponse?](repeating: nil, count: Self.count)

    init(of loop: Loop) { self.loop = loop }

    /// An idle response with these fields and this length, or a new one.
    mutating func take(_ fixed: [UInt8], length: Int) -> ReusableResponse? {
        let place = Self.place(fixed, length)
        guard let found = idle[place], found.length == length, found.fixed == fixed else {
            return ReusableResponse(fixed, length: length, of: loop)
        }
        idle[place] = nil
        return found
    }

    /// Takes back a response that was sent, or whose connection has closed.
    mutating func giveBack(_ response: ReusableResponse) {
        idle[Self.place(response.fixed, response.length)] = response
    }

    private static func place(_ fixed: [UInt8], _ length: Int) -> Int { (fixed.count + length) % count }
}
