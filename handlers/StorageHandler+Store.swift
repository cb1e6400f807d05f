public import Drawbridge
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

extension StorageHandler {
    /// Values by their keys, kept in one JSON file or for as long as the process runs.
    ///
    /// The file is replaced as a whole, so that a crash leaves the old one or the new one, and locked while it changes,
    /// so that several processes may share it. It may be edited by hand; one that is damaged is never overwritten.
    public final class Store: Sendable {
        /// What a store holds at most, in bytes of JSON: as much as a browser's own storage.
        public static let limit = 5 << 20

        /// A file that cannot be used.
        public struct StoreError: Error, CustomStringConvertible {
            /// What is wrong, and what to do.
            public let description: String
        }

        private struct State {
            var values = JSON.Object()
            /// The version of the file from which they were read.
            var version: Version?
        }

        private let path: String?
        private let state = Mutex(State())

        /// Makes a store; its file is read with the first call, and made with the first value.
        ///
        /// - Parameter path: nil for one that ends with the process.
        public init(path: String? = nil) {
            // With each change a new file takes the place of the old one. If the path is a link, the file behind it is
            // replaced, and the link stays.
            self.path = path.map { path in
                guard let real = realpath(path, nil) else { return path }
                defer { free(real) }
                return String(cString: real)
            }
        }

        /// All values, in the order in which their keys were first written.
        ///
        /// - Throws: a ``StoreError`` when there is a file that cannot be read.
        public func values() throws -> JSON.Object {
            try state.withLock { state in
                try refresh(&state)
                return state.values
            }
        }

        /// Writes a value, or removes it; it is on the disk when this returns.
        ///
        /// - Throws: a 507 when there is no room, a ``StoreError`` when the file cannot be read or written.
        public func set(_ key: String, to value: JSON?) throws {
            try state.withLock { state in
                let lock = try path.map(File.lock)
                defer { withExtendedLifetime(lock) {} }
                try refresh(&state)
                var values = state.values
                values[key] = value
                let bytes = JSON.object(values).bytes
                guard value == nil || bytes.count <= Self.limit else {
                    throw HTTPError(
                        507,
                        "the storage takes \(Self.limit) bytes, and would have \(bytes.count): remove a key first"
                    )
                }
                if let path { try File.replace(path, with: bytes) }
                state = State(values: values, version: try path.flatMap(Version.init(of:)))
            }
        }

        /// Reads the file if it has changed.
        private func refresh(_ state: inout State) throws {
            guard let path else { return }
            guard let version = try Version(of: path) else {
                state = State()
                return
            }
            if state.version == version { return }
            do {
                guard let members = try JSON(parsing: try File(path, O_RDONLY).contents()).objectValue else {
                    throw StoreError(description: "\(path) holds no JSON object: move it away to begin anew")
                }
                state = State(values: members, version: version)
            } catch let error as JSON.ParseError {
                throw StoreError(
                    description: "\(path) is damaged (\(error)): mend it, or move it away to begin anew")
            }
        }
    }
}

extension StorageHandler.Store.StoreError {
    /// The error of a system call.
    fileprivate init(_ action: String, _ path: String) {
        let reason = String(cString: strerror(errno))
        self.init(
            description:
                "cannot \(action) \(path): \(reason); the storage needs a file that can be read and written")
    }
}

/// Identifies a version of a file, so that replacements and changes are noticed.
private struct Version: Equatable {
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    /// Nil where there is no file.
    init?(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw StorageHandler.Store.StoreError("look at", path)
        }
        #if canImport(Darwin)
        let changed = status.st_mtimespec
        #else
        let changed = status.st_mtim
        #endif
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        (seconds, nanoseconds) = (Int(changed.tv_sec), Int(changed.tv_nsec))
    }
}

/// The system's `write`, by a name that is not taken inside `File`.
private let systemWrite = write

/// An open file, closed with its last reference.
private final class File {
    private typealias StoreError = StorageHandler.Store.StoreError

    private let descriptor: Int32
    private let path: String

    init(_ path: String, _ flags: Int32) throws {
        // O_NONBLOCK is for what is not a file: opening a pipe that nobody writes to would wait for ever.
        descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("look at", path) }
        guard status.st_mode & S_IFMT == (flags & O_DIRECTORY == 0 ? S_IFREG : S_IFDIR) else {
            throw StoreError(
                description:
                    "\(path) is not a file, but a folder, a pipe or a device; the storage needs a file")
        }
    }

    /// The error of a system call: a 507 where the disk is full, which is not the page's fault, but concerns
    /// it.
    private static func failure(_ action: String, _ path: String) -> any Error {
        guard errno == ENOSPC || errno == EDQUOT else { return StoreError(action, path) }
        return HTTPError(
            507,
            "the disk of the storage is full: make room on it, and try again; what was stored before is still there"
        )
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits until no other process changes a file; the lock ends with what this returns.
    static func lock(_ path: String) throws -> File {
        for end in path.indices where path[end] == "/" && end != path.startIndex {
            // A folder that exists is no failure, and one that cannot be made fails at the next step.
            mkdir(String(path[..<end]), 0o700)
        }
        let lock = try File(path + ".lock", O_RDWR | O_CREAT)
        while flock(lock.descriptor, LOCK_EX) != 0, errno == EINTR {}
        return lock
    }

    /// Puts a new file in the place of an old one, in one step.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let new = path + ".new"
        // A file that was not finished may lie there, or a link that somebody made to write elsewhere. Either is
        // removed first, and the new file is made only where nothing is (O_EXCL).
        unlink(new)
        do {
            let file = try File(new, O_WRONLY | O_CREAT | O_EXCL)
            try file.write(bytes)
            guard fsync(file.descriptor) == 0, rename(new, path) == 0 else { throw failure("write", path) }
        } catch {
            unlink(new)
            throw error
        }
        try syncFolder(of: path)
    }

    /// Writes the folder to the disk, which has the name of the new file: without that, a power cut could bring the old
    /// one back.
    private static func syncFolder(of path: String) throws {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let file = try File(folder, O_RDONLY | O_DIRECTORY)
        // Some file systems have nothing to sync there, and say so.
        guard fsync(file.descriptor) == 0 || errno == EINVAL else { throw failure("write", folder) }
    }

    func contents() throws -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError("read", path) }
            guard count > 0 else { return contents }
            contents += chunk[..<count]
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write", path) }
            rest = rest.dropFirst(count)
        }
    }
}
