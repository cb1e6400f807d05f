/// The body of a request on its way to a server: what its sender has brought, and the server has not taken.
///
/// Its states are touched on one loop's thread, as all of an ``UpstreamFetch``'s.
struct Upload {
    /// Told once that there is room for more, or that no more is wanted.
    typealias Room = (Result<Void, any Error>) -> Void

    private enum State {
        /// More is to come; whoever brings it may wait for room.
        case open([UInt8], room: Room?)
        /// There is no more than this.
        case ended([UInt8])
        /// The server wants no more, or nobody has more.
        case stopped
    }

    /// More bytes than this that the server has not taken make whoever brings them wait.
    private static let limit = 40 << 10

    private var state: State

    /// The upload of a request that streams no body: there is nothing to bring.
    static var none: Upload { Upload(state: .ended([])) }
    /// The upload of a streamed body of which everything is still to come.
    static var open: Upload { Upload(state: .open([], room: nil)) }

    /// Whether more is to come.
    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Brings a part.
    mutating func bring(_ bytes: [UInt8], room: @escaping Room) {
        guard case .open(let waiting, _) = state else { return room(.failure(CancellationError())) }
        state = .open(waiting.isEmpty ? bytes : waiting + bytes, room: room)
        giveRoom()
    }

    /// All has been brought.
    mutating func end() { if case .open(let waiting, _) = state { state = .ended(waiting) } }

    /// Nothing more is sent; whoever waits to bring more hears of it.
    mutating func stop() {
        guard case .open(_, let room) = state else { return }
        state = .stopped
        room?(.failure(CancellationError()))
    }

    /// Moves what there is: how many bytes, 0 at the end; nil where there is nothing for now, or never will be.
    mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        switch state {
        case .stopped: return nil
        case .ended(var waiting):
            let count = Self.move(&waiting, to: buffer)
            state = .ended(waiting)
            return count
        case .open(var waiting, let room):
            guard !waiting.isEmpty else { return nil }
            let count = Self.move(&waiting, to: buffer)
            state = .open(waiting, room: room)
            giveRoom()
            return count
        }
    }

    private static func move(_ bytes: inout [UInt8], to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count)
        buffer.copyBytes(from: bytes[..<count])
        bytes.removeFirst(count)
        return count
    }

    private mutating func giveRoom() {
        guard case .open(let waiting, let room?) = state, waiting.count < Self.limit else { return }
        state = .open(waiting, room: nil)
        room(.success(()))
    }
}
