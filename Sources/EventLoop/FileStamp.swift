import Glibc

/// A file's device, inode, size and times, compared to detect a change without reading the file.
package struct FileStamp: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let written: [Int]

    /// Nil if the file does not exist or `stat` fails.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        // ctime too, because a program can set mtime back after a change, but not ctime.
        written = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }

    /// True for one or two seconds after a change: a second change in this time may leave the same timestamps.
    package var isFresh: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return abs(now.tv_sec - written[2]) <= 1
    }
}
