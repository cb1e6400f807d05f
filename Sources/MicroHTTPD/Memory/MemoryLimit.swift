import Glibc
import HTTPGrammar

package enum MemoryLimit {
    /// The default memory limit for bodies: a quarter of the memory available to the process, at least 256 MB.
    package static let usualForBodies = max(256 << 20, ofThisProcess / 4)

    /// The smallest of physical memory, address space limit (`RLIMIT_AS`) and cgroup limits, in bytes.
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

    /// The smallest memory limit of the process's cgroups and their parents; nil for none.
    ///
    /// - Parameters:
    ///   - membership: the text of `/proc/self/cgroup`: one line per hierarchy, `number:controllers:path`.
    ///   - text: reads a file; nil if it does not exist.
    package static func ofControlGroups(_ membership: String, _ text: (String) -> String?) -> Int? {
        var least: Int?
        for line in membership.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isSecondVersion = parts[1].isEmpty
            guard isSecondVersion || parts[1].split(separator: ",").contains("memory") else { continue }
            // In cgroup v2 the file says "max" if there is no limit, which does not parse as a number.
            let (root, file) =
                isSecondVersion
                ? ("/sys/fs/cgroup", "memory.max") : ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            // The cgroup's own folder, then its parents up to the root. In a container the path may not exist.
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
