import EventLoop

/// The responses of a loop that wait to be sent again.
///
/// No more than 64 are kept, of one length and a sum of fixed fields each; another one takes the place of the last.
struct ReusableResponses {
    private static let count = 64

    private let loop: Loop
    private var idle = [ReusableResponse?](repeating: nil, count: Self.count)

    init(of loop: Loop) { self.loop = loop }

    /// One with these fields and this length, as it was given back, or a new one.
    mutating func take(_ fixed: [UInt8], length: Int) -> ReusableResponse? {
        let place = Self.place(fixed, length)
        guard let found = idle[place], found.length == length, found.fixed == fixed else {
            return ReusableResponse(fixed, length: length, of: loop)
        }
        idle[place] = nil
        return found
    }

    /// Takes back one that the library has sent, or has no connection for any more.
    mutating func giveBack(_ response: ReusableResponse) {
        idle[Self.place(response.fixed, response.length)] = response
    }

    private static func place(_ fixed: [UInt8], _ length: Int) -> Int { (fixed.count + length) % count }
}
