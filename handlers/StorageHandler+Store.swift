import Drawbridge
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension StorageHandler {
    /// Values by key, in one JSON file, or in memory only.
    ///
    /// The file is replaced as a whole, so that a crash never leaves a partial one, and is locked during a change, so
    /// that several processes can share it. It may be edited by hand; a damaged file is never overwritten.
    public final class Store: Sendable {
        /// The most bytes of JSON in a store, as in a browser's local storage.
        public static let limit = 5 << 20

        /// Thrown if the file of a store cannot be used.
        public struct StoreError: Error, CustomStringConvertible {
            /// What is wrong, and how to correct it.
            public let description: String
        }

        private struct State {
            var values = JSON.Object()
            /// The version of the file from which the values were read; nil if there was no file.
            var version: Version?
        }

        private let path: String?
        private let state = Mutex(State())

        /// Makes a store; its file is read at the first call, and created with the first value.
        ///
        /// - Parameter path: the file; nil to keep the values in memory, until the process ends.
        public init(path: String? = nil) {
            // Each change replaces the file by a new one. If the path is a symbolic link, the link is resolved first,
            // so that its target is replaced and the link remains.
            self.path = path.map { path in
                guard let real = realpath(path, nil) else { return path }
                defer { free(real) }
                return String(cString: real)
            }
        }

        /// All values, in the order in which their keys were first written.
        ///
        /// - Throws: a ``StoreError`` if the file exists but cannot be read.
        public func values() throws -> JSON.Object {
            try state.withLock { state in
                try refresh(&state)
                return state.values
            }
        }

        /// Sets a value, or removes it if nil; when this returns, the change is on disk.
        ///
        /// - Throws: an `HTTPError` 507 if there is no room; a ``StoreError`` if the file cannot be read or written.
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
                        "the storage is limited to \(Self.limit) bytes, and would need \(bytes.count): remove a key first"
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
                    throw StoreError(description: "\(path) is not a JSON object: move it away to start anew")
                }
                state = State(values: members, version: version)
            } catch let error as JSON.ParseError {
                throw StoreError(
                    description: "\(path) is damaged (\(error)): repair it, or move it away to start anew")
            }
        }
    }
}

extension StorageHandler.Store.StoreError {
    /// Makes an error of a failed system call, from `errno`.
    fileprivate init(_ action: String, _ path: String) {
        let reason = String(cString: strerror(errno))
        self.init(
            description:
                "cannot \(action) \(path): \(reason); the storage needs a file that can be read and written")
    }
}

/// Identifies a version of a file, to notice that it was changed or replaced.
private struct Version: Equatable {
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    /// Nil if the file does not exist.
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

/// The system's `write`; inside `File` that name means its own method.
private let systemWrite = write

/// An open file, which is closed when it is deallocated.
private final class File {
    private typealias StoreError = StorageHandler.Store.StoreError

    private let descriptor: Int32
    private let path: String

    init(_ path: String, _ flags: Int32) throws {
        // O_NONBLOCK in case the path is a pipe: opening one without a writer would block forever.
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

    /// The error of a failed system call: 507 if the disk is full, which the page has not caused but must handle.
    private static func failure(_ action: String, _ path: String) -> any Error {
        guard errno == ENOSPC || errno == EDQUOT else { return StoreError(action, path) }
        return HTTPError(
            507,
            "the storage's disk is full: free some space and try again; the values stored before are kept"
        )
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits until no other process has the lock; it is released when the result is deallocated.
    static func lock(_ path: String) throws -> File {
        for end in path.indices where path[end] == "/" && end != path.startIndex {
            // Errors are ignored: the folder may exist, and if it could not be made, the next step fails.
            mkdir(String(path[..<end]), 0o700)
        }
        let lock = try File(path + ".lock", O_RDWR | O_CREAT)
        while flock(lock.descriptor, LOCK_EX) != 0, errno == EINTR {}
        return lock
    }

    /// Replaces a file atomically, by a new one.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let new = path + ".new"
        // An unfinished file may be left there, or somebody may have made a link to another file. So it is removed, and
        // O_EXCL makes sure that a new file is created.
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

    /// Flushes the folder, which has the entry of the new file: otherwise, after a power failure, the old one could be
    /// back.
    private static func syncFolder(of path: String) throws {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let file = try File(folder, O_RDONLY | O_DIRECTORY)
        // File systems that cannot sync a folder fail with EINVAL.
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
            // Written by hand, it may have some more than the store would write.
            guard contents.count <= 2 * StorageHandler.Store.limit else {
                throw StoreError(
                    description:
                        "\(path) has more than \(2 * StorageHandler.Store.limit >> 20) MB: move it away to start anew"
                )
            }
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
