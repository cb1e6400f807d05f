import Synchronization

extension Response {
    /// The body of a response: bytes, an output, a file or a stream.
    public struct Body: Sendable {
        @usableFromInline package enum Content: Sendable {
            case bytes([UInt8])
            /// JSON text, for which each bridge has its own form.
            case output([UInt8])
            indirect case file(File)
            indirect case stream(length: Int?, @Sendable (Client) async throws -> Void)
            /// Bytes that arrive from somewhere else, such as an upstream.
            indirect case source(any Source)
            /// No body: after a 101 the connection switches to another protocol, such as a WebSocket to an upstream.
            indirect case upgrade(any Upgrade)
        }

        @usableFromInline package let content: Content

        @inlinable package init(_ content: Content) { self.content = content }

        /// No body.
        public static let empty = bytes([])

        /// These bytes, sent unchanged.
        @inlinable public static func bytes(_ bytes: [UInt8]) -> Body { Body(.bytes(bytes)) }

        @inlinable package static func output(_ bytes: [UInt8]) -> Body { Body(.output(bytes)) }

        /// Chunks, written while they are made; `length` is their sum if it is known.
        public static func stream(
            length: Int?, _ write: @escaping @Sendable (Client) async throws -> Void
        ) -> Body { Body(.stream(length: length, write)) }

        /// The bytes of a body that is one piece; nil for a file and a stream.
        package var bytes: [UInt8]? {
            switch content {
            case .bytes(let bytes), .output(let bytes): bytes
            case .file, .stream, .source, .upgrade: nil
            }
        }

        /// The number of bytes if it is known.
        public var length: Int? {
            switch content {
            case .bytes(let bytes), .output(let bytes): bytes.count
            case .file(let file): file.length
            case .stream(let length, _): length
            case .source(let source): source.length
            case .upgrade: nil
            }
        }
    }

    /// A body that arrives from somewhere else; the engine may fetch it without a task.
    ///
    /// Releasing the last reference cancels the transfer.
    @usableFromInline package protocol Source: Sendable, AnyObject {
        var length: Int? { get }

        /// Writes the whole body to the client; to be called once.
        ///
        /// - Throws: if the transfer breaks off.
        func write(to client: Client) async throws
    }

    /// The protocol to which a connection switches after a 101; the engine carries it out.
    @usableFromInline package protocol Upgrade: Sendable, AnyObject {}

    /// A part of an open file, which is closed with its last reference.
    @usableFromInline package struct File: Sendable {
        package let handle: any FileHandle
        package var offset: Int
        package var length: Int

        package init(handle: any FileHandle, offset: Int, length: Int) {
            self.handle = handle
            self.offset = offset
            self.length = length
        }
    }

    /// An open file that is read at offsets; its descriptor is closed with the last reference.
    package protocol FileHandle: Sendable, AnyObject {
        /// The descriptor, for an engine that can send files by itself.
        var descriptor: Int32 { get }

        /// Reads up to `count` bytes at `offset`; fewer at the end of the file.
        ///
        /// - Throws: if the file cannot be read.
        func read(at offset: Int, count: Int) throws -> [UInt8]
    }
}

extension Response.Body {
    /// Reads the whole body; for tests and for middleware that must see all of it.
    ///
    /// - Throws: a 413 when there are more than `limit` bytes, and whatever the writer of a stream throws.
    public func collect(upTo limit: Int = 64 << 20) async throws -> [UInt8] {
        if let bytes {
            guard bytes.count <= limit else { throw HTTPError.tooLarge(limit) }
            return bytes
        }
        let whole = Mutex<[UInt8]>([])
        let client = Client { chunk in
            try whole.withLock { bytes in
                guard chunk.count <= limit - bytes.count else { throw HTTPError.tooLarge(limit) }
                bytes += chunk
            }
        }
        defer { client.finish() }
        try await write(to: client)
        return whole.withLock { $0 }
    }

    /// The same body with every chunk changed on its way: for middleware, which sees streams and not buffers.
    ///
    /// The result has no known length unless the body is bytes.
    ///
    /// - Throws: what `transform` throws for bytes; in a stream, that breaks the transfer off.
    public func map(_ transform: @escaping @Sendable ([UInt8]) throws -> [UInt8]) rethrows -> Self {
        switch content {
        case .bytes(let bytes): return .bytes(try transform(bytes))
        case .output(let bytes): return Self(.output(try transform(bytes)))
        case .file, .stream, .source:
            return .stream(length: nil) { client in
                try await self.write(to: Client { try await client.didLoad(transform($0)) })
            }
        case .upgrade: return self
        }
    }

    package func write(to client: Client) async throws {
        switch content {
        case .bytes(let bytes), .output(let bytes):
            if !bytes.isEmpty { try await client.didLoad(bytes) }
        case .file(let file):
            var offset = file.offset
            let end = file.offset + file.length
            while offset < end {
                let chunk = try file.handle.read(at: offset, count: min(64 << 10, end - offset))
                guard !chunk.isEmpty else {
                    throw HTTPError(.internalServerError, "a file became shorter while it was sent")
                }
                try await client.didLoad(chunk)
                offset += chunk.count
            }
        case .stream(_, let write):
            try await write(client)
        case .source(let source):
            try await source.write(to: client)
        case .upgrade:
            break
        }
    }
}
