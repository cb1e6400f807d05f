extension Request {
    /// The body of a request: bytes that have arrived, or a stream of chunks.
    ///
    /// Both are sequences of chunks, which can be read once. Handlers get a stream only if they ask for one.
    public struct Body: Sendable, AsyncSequence {
        @usableFromInline enum Storage: Sendable {
            case bytes([UInt8])
            case chunks(any ChunkSource)
        }

        @usableFromInline let storage: Storage

        /// The default limit of a collected body: 8 MB.
        @usableFromInline package static let usualLimit = 8 << 20

        /// No body.
        public static let empty = Body([])

        /// A body of these bytes.
        public init(_ bytes: [UInt8]) { storage = .bytes(bytes) }

        /// A body of this text in UTF-8.
        public init(_ text: String) { storage = .bytes(Array(text.utf8)) }

        @usableFromInline package init(_ source: any ChunkSource) { storage = .chunks(source) }

        /// All bytes of a collected body; nil for a stream.
        public var bytes: [UInt8]? {
            guard case .bytes(let bytes) = storage else { return nil }
            return bytes
        }

        @usableFromInline package var length: Int? {
            switch storage {
            case .bytes(let bytes): bytes.count
            case .chunks(let source): source.length
            }
        }

        /// The number of bytes of a collected body; nil for a stream.
        @usableFromInline package var count: Int? { bytes?.count }

        /// As ``ChunkSource/reserve(_:)``, for a stream whose bytes are kept until it is complete.
        @usableFromInline package func reserve(_ count: Int) throws(HTTPError) {
            if case .chunks(let source) = storage { try source.reserve(count) }
        }

        /// Reads the whole body.
        ///
        /// - Throws: a 413 when there are more than `limit` bytes, a 503 when the bodies of all requests together
        ///   have no room for them; reading stops there.
        public func collect(upTo limit: Int) async throws -> [UInt8] {
            switch storage {
            case .bytes(let bytes):
                guard bytes.count <= limit else { throw HTTPError.tooLarge(limit) }
                return bytes
            case .chunks(let source):
                return try await Self.collect(source, upTo: limit)
            }
        }

        private static func collect(_ source: any ChunkSource, upTo limit: Int) async throws -> [UInt8] {
            var collected: [UInt8] = []
            // Up to this size, about that of a head, a body reserves nothing.
            var room = 4 << 10
            while let chunk = try await source.next() {
                let size = collected.count + chunk.count
                guard size <= limit else { throw HTTPError.tooLarge(limit) }
                if size > room {
                    room = Swift.min(limit, source.length ?? limit, Swift.max(size, 2 * room))
                    try source.reserve(room)
                    collected.reserveCapacity(room)
                }
                collected += chunk
            }
            return collected
        }

        /// Iterates over the chunks; a stream only once.
        public func makeAsyncIterator() -> Iterator { Iterator(storage: storage) }

        /// Yields each chunk once; ends with the body, and throws if the sender breaks off.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            var storage: Storage

            /// The next chunk, nil after the last.
            ///
            /// - Throws: when the caller went away or sent too slowly.
            public mutating func next() async throws -> [UInt8]? {
                switch storage {
                case .bytes(let bytes):
                    storage = .bytes([])
                    return bytes.isEmpty ? nil : bytes
                case .chunks(let source):
                    return try await source.next()
                }
            }
        }
    }
}

@usableFromInline package protocol ChunkSource: Sendable {
    var length: Int? { get }
    func next() async throws -> [UInt8]?
    /// Reserves bytes of the memory that all bodies share, replacing what this request had reserved.
    ///
    /// - Throws: a 503 if the bodies of all requests together have no room for them.
    func reserve(_ count: Int) throws(HTTPError)
}

extension ChunkSource {
    @usableFromInline package var length: Int? { nil }
    /// Reserves nothing: most sources share no memory.
    @usableFromInline package func reserve(_ count: Int) throws(HTTPError) {}
}
