import EventLoop

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
