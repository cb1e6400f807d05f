import Drawbridge
import Glibc
import HTTPGrammar

/// What a gateway serves (a folder, or upstreams), which has storage of its own.
enum Project {
    /// The name of the file of its storage: `storage-my-page-1f0c9a7e5d3b2a68.json`.
    ///
    /// - Parameters:
    ///   - root: the folder of `--root`.
    ///   - upstreams: the servers of `--upstream`, as they were written; used where there is no folder.
    static func storage(root: String?, upstreams: [String]) -> String {
        let (name, identity): (String, String)
        if let root {
            let path = realpath(root, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            }
            identity = path ?? root
            name = identity.split(separator: "/").last.map(String.init) ?? "root"
        } else if let first = upstreams.first {
            identity = upstreams.sorted().joined(separator: " ")
            name = first.firstRange(of: "://").map { String(first[$0.upperBound...]) } ?? first
        } else {
            return "storage.json"
        }
        let plain = name.map { $0.asciiValue?.isAlphanumeric == true ? String($0) : "-" }.joined()
        let digest = SHA256.digest(identity).prefix(8).map { JSON.hexadecimal($0, digits: 2) }.joined()
        return "storage-\(plain.prefix(40))-\(digest).json"
    }
}
