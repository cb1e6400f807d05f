import Drawbridge
import Logging

/// Reloads the open pages when the script of a bridge is saved.
///
/// The script is read for each page that loads. An open page keeps the old one, which cannot be removed from it.
enum SavedBridges {
    private struct Script {
        let path: String
        var state = LiveReplies.State()
        var bytes: [UInt8]?

        init(_ path: String) {
            self.path = path
            bytes = now
        }

        /// Nil where the file is missing or empty: an editor may be about to write it.
        private var now: [UInt8]? {
            let bytes = try? FileText(path, onlyRegular: true).bytes
            return bytes?.isEmpty == true ? nil : bytes
        }

        mutating func isChanged() -> Bool {
            guard state.isDue(path), let now, now != bytes else { return false }
            bytes = now
            return true
        }
    }

    /// Follows the scripts at these paths until its task is cancelled.
    static func follow(_ paths: [String], of gateway: Gateway) async {
        var scripts = paths.map(Script.init)
        while !scripts.isEmpty, (try? await Task.sleep(for: LiveReplies.pause)) != nil {
            // All are looked at, so that two that are saved at once are one reload.
            let changed = scripts.indices.filter { scripts[$0].isChanged() }
            guard !changed.isEmpty else { continue }
            let names = changed.map { scripts[$0].path }.joined(separator: ", ")
            gateway.logger.notice("reloaded \(names): open pages reload too")
            gateway.pages.reload()
        }
    }
}
