import Drawbridge
import Logging

/// Reloads the open pages when the script of a bridge is saved.
///
/// The script is read for each page that loads. An open page keeps the old one, which cannot be removed from it.
enum SavedBridges {
    static func follow(_ paths: [String], of gateway: Gateway) async {
        // Nil where the file is missing or empty: an editor may be about to write it.
        func contents(_ path: String) -> [UInt8]? {
            (try? FileText(path, onlyRegular: true).bytes).flatMap { $0.isEmpty ? nil : $0 }
        }
        var scripts = paths.map { (path: $0, state: LiveReplies.State(), bytes: contents($0)) }
        while !scripts.isEmpty, (try? await Task.sleep(for: LiveReplies.pause)) != nil {
            // All are looked at, so that two that are saved at once are one reload.
            let changed = scripts.indices.filter { place in
                let path = scripts[place].path
                guard scripts[place].state.isDue(path), let now = contents(path), now != scripts[place].bytes
                else { return false }
                scripts[place].bytes = now
                return true
            }
            guard !changed.isEmpty else { continue }
            let names = changed.map { scripts[$0].path }.joined(separator: ", ")
            gateway.logger.notice("reloaded \(names): open pages reload too")
            gateway.pages.reload()
        }
    }
}
