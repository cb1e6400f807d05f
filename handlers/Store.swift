public import Drawbridge
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Values by their keys, kept in one JSON file or for as long as the process runs.
///
/// The file is replaced as a whole, so that a crash leaves the old one or the new one, and locked while it changes, so
/// that several processes may share it. It may be edited by hand.
public final class Store: Sendable {
    /// What a store holds at most, in bytes of JSON: as much as a browser's own storage.
    public static let limit = 5 << 20

    /// A file that cannot be used: what is wrong, and what to do.
    public struct Failure: Error, CustomStringConvertible {
        /// One sentence.
        public let description: String
    }

    private struct State {
        var values = JSON.Object()
        /// The file that they were read from: another one has another inode.
        var file: stat?
    }

    private let path: String?
    private let state = Mutex(State())

    /// Opens a store; the file is made with the first value, with its folder if need be.
    ///
    /// - Parameter path: nil for one that ends with the process.
    /// - Throws: a ``Failure`` when there is a file that cannot be read; it is never overwritten.
    public init(path: String? = nil) throws {
        self.path = path
        _ = try values()
    }

    /// All values, in the order in which their keys were first written.
    public func values() throws -> JSON.Object {
        try state.withLock { state in
            try refresh(&state)
            return state.values
        }
    }

    /// Writes a value, or removes it; it is on the disk when this returns.
    ///
    /// - Throws: a 507 when there is no room, a ``Failure`` when the file cannot be read or written.
    public func set(_ key: String, to value: JSON?) throws {
        try state.withLock { state in
            let lock = try path.map(Self.lock)
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
            if let path { try Self.replace(path, with: bytes) }
            state.values = values
            state.file = path.flatMap(Self.status)
        }
    }

    /// Reads the file if it is another one than before.
    private func refresh(_ state: inout State) throws {
        guard let path else { return }
        let file = Self.status(path)
        guard let file else {
            state = State()
            return
        }
        if let known = state.file, known.isSame(as: file) { return }
        let bytes = try File(path, O_RDONLY).contents()
        do {
            guard let members = try JSON(parsing: bytes).objectValue else {
                throw Failure(description: "\(path) holds no JSON object: move it away to begin anew")
            }
            state = State(values: members, file: file)
        } catch let error as JSON.ParseError {
            throw Failure(
                description: "\(path) is damaged (\(error)): mend it, or move it away to begin anew")
        }
    }

    /// Waits until no other process changes the file; the lock ends with its descriptor.
    private static func lock(_ path: String) throws -> File {
        for end in path.indices where path[end] == "/" && end != path.startIndex {
            // What is there already is no failure, and what cannot be made shows at the next step.
            mkdir(String(path[..<end]), 0o700)
        }
        let lock = try File(path + ".lock", O_RDWR | O_CREAT)
        flock(lock.descriptor, LOCK_EX)
        return lock
    }

    private static func replace(_ path: String, with bytes: [UInt8]) throws {
        let new = path + ".new"
        do {
            let file = try File(new, O_WRONLY | O_CREAT | O_TRUNC)
            try file.write(bytes)
            guard fsync(file.descriptor) == 0, rename(new, path) == 0 else { throw Failure("write", path) }
        } catch {
            unlink(new)
            throw error
        }
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}

extension Store.Failure {
    /// What the system refused.
    fileprivate init(_ action: String, _ path: String) {
        let reason = String(cString: strerror(errno))
        self.init(
            description:
                "cannot \(action) \(path): \(reason); the storage needs a file that can be read and written")
    }
}

/// Inside `File` the name is taken.
private let systemWrite = write

/// An open file, closed with its last reference.
private final class File {
    let descriptor: Int32
    private let path: String

    init(_ path: String, _ flags: Int32) throws {
        descriptor = open(path, flags | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw Store.Failure("open", path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func contents() throws -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw Store.Failure("read", path) }
            guard count > 0 else { return contents }
            contents += chunk[..<count]
        }
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Store.Failure("write", path) }
            rest = rest.dropFirst(count)
        }
    }
}

extension stat {
    fileprivate func isSame(as other: stat) -> Bool {
        st_ino == other.st_ino && st_size == other.st_size && st_mtim.tv_sec == other.st_mtim.tv_sec
            && st_mtim.tv_nsec == other.st_mtim.tv_nsec
    }
}
