import Synchronization

/// Files that no page gets, whatever leads to them: settings, which may say more than a page should know.
package final class HiddenFiles: Sendable {
    private let list: Mutex<[String]>

    /// - Parameter paths: of files that may be saved anew meanwhile.
    package init(_ paths: [String]) { list = Mutex(paths) }

    /// Hides one more.
    package func add(_ path: String) { list.withLock { $0.append(path) } }

    var paths: [String] { list.withLock { $0 } }
}
