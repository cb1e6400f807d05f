import Glibc
import HTTPGrammar

package enum MemoryLimit {
    /// The default limit for bodies: a quarter of what the process may have, and at least 256 MB.
    package static let usualForBodies = max(256 << 20, ofThisProcess / 4)

    /// The least of what the machine has, what the process may address, and what its control groups may use.
    static var ofThisProcess: Int {
        var bytes = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 {
            bytes = min(bytes, Int(clamping: limit.rlim_cur))
        }
        if let group = ofControlGroups(systemText(of: "/proc/self/cgroup"), systemText) {
            bytes = min(bytes, group)
        }
        return bytes
    }

    /// The least that a process's control groups and those around them may use; nil for no limit.
    ///
    /// - Parameters:
    ///   - membership: what `/proc/self/cgroup` says: a line for each hierarchy, `number:controllers:path`.
    ///   - text: the text of a file; nil where there is none.
    package static func ofControlGroups(_ membership: String, _ text: (String) -> String?) -> Int? {
        var least: Int?
        for line in membership.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isSecondVersion = parts[1].isEmpty
            guard isSecondVersion || parts[1].split(separator: ",").contains("memory") else { continue }
            // In version 2 "max" means none.
            let (root, file) =
                isSecondVersion
                ? ("/sys/fs/cgroup", "memory.max") : ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            // The group's own folder, and those of all around it; in a container the path may not be there.
            var names = parts[2].split(separator: "/")
            while true {
                let path = ([root] + names.map(String.init) + [file]).joined(separator: "/")
                if let found = text(path).flatMap({ Int(Substring($0.utf8.prefix { $0.isDigit })) }) {
                    least = min(least ?? found, found)
                }
                if names.popLast() == nil { break }
            }
        }
        return least
    }
}
