import Drawbridge
import Glibc
import HTTPGrammar

/// Identifies what a gateway serves (a folder, or upstreams), so that each project has storage of its own.
struct Project {
    private let name: String
    /// Nil for the welcome page.
    private let identity: String?

    /// - Parameters:
    ///   - root: the folder of `--root`.
    ///   - upstreams: the servers of `--upstream`, as they were written; used where there is no folder.
    init(root: String?, upstreams: [String]) {
        if let root {
            let path = realpath(root, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            }
            identity = path ?? root
            name = (path ?? root).split(separator: "/").last.map(String.init) ?? "root"
        } else if !upstreams.isEmpty {
            identity = upstreams.sorted().joined(separator: " ")
            let text = upstreams[0]
            name = text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? text
        } else {
            identity = nil
            name = ""
        }
    }

    /// The name of the file in which its storage is kept: `storage-my-page-1f0c9a7e5d3b2a68.json`.
    var fileName: String {
        guard let identity else { return "storage.json" }
        let plain = name.map { $0.asciiValue?.isAlphanumeric == true ? String($0) : "-" }.joined()
        return "storage-\(plain.prefix(40))-\(SHA256.digest(identity).prefix(8).hexadecimal).json"
    }
}

extension Sequence<UInt8> {
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
