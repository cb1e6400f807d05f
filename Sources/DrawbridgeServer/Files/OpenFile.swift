import Glibc

final class OpenFile: Response.FileHandle {
    let size: Int
    /// The modification time, but never later than now (RFC 9110, section 8.8.2.1).
    let modified: HTTPDate
    let tag: EntityTag
    private let file: Descriptor
    private let device: UInt
    private let inode: UInt

    /// Nil if it is not a regular file.
    init?(_ name: String, in folder: Int32) throws(FileError) {
        let file = try Descriptor(file: name, in: folder)
        var status = stat()
        _ = try FileError.check { fstat(file.number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.file = file
        size = Int(status.st_size)
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        modified = min(HTTPDate(seconds: Int(status.st_mtim.tv_sec)), .now)
        // The tag is made of inode, size, mtime and ctime. ctime is needed, because some tools give all files the same
        // mtime, and file systems reuse inodes.
        let times = [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
        let parts = [Int(bitPattern: UInt(status.st_ino)), size] + times
        tag = EntityTag(parts.map { String(UInt(bitPattern: $0), radix: 16) }.joined(separator: "-"))
    }

    var descriptor: Int32 { file.number }

    /// Whether one of these paths currently leads to this file.
    func isOne(of paths: [String]) -> Bool {
        paths.contains { path in
            var status = stat()
            return stat(path, &status) == 0 && UInt(status.st_dev) == device && UInt(status.st_ino) == inode
        }
    }

    func read(at offset: Int, count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let place = off_t(offset + filled)
                let taken = try FileError.check { pread(file.number, rest.baseAddress, rest.count, place) }
                if taken == 0 { return }
                filled += taken
            }
        }
    }
}
