import Glibc

/// Tells whether a file has changed, without reading it.
package struct FileStamp: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let written: [Int]

    /// Nil where there is no file.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        // Programs can set mtime, but not ctime.
        written = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }

    /// Whether it was changed within the last second or two: another change then may not show in the
    /// timestamps.
    package var isFresh: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return abs(now.tv_sec - written[2]) <= 1
    }
}
