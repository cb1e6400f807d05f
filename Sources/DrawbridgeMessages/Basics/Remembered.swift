import Synchronization

/// A cache of results; pages choose the keys, so it is emptied when it has too many entries.
package final class Remembered<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[Key: Value]>([:])
    private let most: Int

    package init(atMost most: Int) { self.most = most }

    package func value(of key: Key, _ find: () -> Value) -> Value {
        if let known = values.withLock({ $0[key] }) { return known }
        let value = find()
        values.withLock {
            if $0.count >= most { $0 = [:] }
            $0[key] = value
        }
        return value
    }
}
