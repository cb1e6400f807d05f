import Synchronization

/// The ports on which this process listens, to which `$forward` does not connect.
///
/// They are the whole process's: by a reply of one gateway a caller would else reach another gateway as if from this
/// machine.
enum OwnPorts {
    private static let counts = Mutex<[Int: Int]>([:])

    static var all: Set<Int> { counts.withLock { Set($0.keys) } }

    static func add(_ port: Int) { counts.withLock { $0[port, default: 0] += 1 } }

    static func remove(_ port: Int) {
        counts.withLock { counts in
            let left = (counts[port] ?? 1) - 1
            counts[port] = left > 0 ? left : nil
        }
    }
}
