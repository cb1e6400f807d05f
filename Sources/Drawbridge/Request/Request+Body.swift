extension Request {
    /// The body of a request: bytes that are there, or chunks that are still on their way.
    ///
    /// A sequence of chunks either way; it can be read once. Handlers see streams only if they ask for them.
    public struct Body: Sendable, AsyncSequence {
        enum Storage: Sendable {
            case bytes([UInt8])
            case chunks(any ChunkSource)
        }

        let storage: Storage

        /// No body.
        public static let empty = Body([])

        /// A body of these bytes.
        public init(_ bytes: [UInt8]) { storage = .bytes(bytes) }

        /// A body of this text in UTF-8.
        public init(_ text: String) { storage = .bytes(Array(text.utf8)) }

        /// A body that is read from its source as it comes.
        package init(_ source: any ChunkSource) { storage = .chunks(source) }

        /// The bytes where they are all there, nil for a stream.
        public var bytes: [UInt8]? {
            guard case .bytes(let bytes) = storage else { return nil }
            return bytes
        }

        /// The number of bytes if it is known.
        package var length: Int? {
            switch storage {
            case .bytes(let bytes): bytes.count
            case .chunks(let source): source.length
            }
        }

        /// How many bytes are there, nil for a stream.
        var count: Int? {
            guard case .bytes(let bytes) = storage else { return nil }
            return bytes.count
        }

        /// Reads the whole body.
        ///
        /// - Throws: a 413 when there are more than `limit` bytes; reading stops there.
        public func collect(upTo limit: Int) async throws -> [UInt8] {
            var collected: [UInt8] = []
            for try await chunk in self {
                guard chunk.count <= limit - collected.count else {
                    throw HTTPError.tooLarge(limit)
                }
                if collected.isEmpty { collected = chunk } else { collected += chunk }
            }
            return collected
        }

        /// Walks over the chunks.
        public func makeAsyncIterator() -> Iterator { Iterator(storage: storage) }

        /// Gives one chunk after the other.
        public struct Iterator: AsyncIteratorProtocol {
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

/// Where the chunks of a streamed request body come from.
package protocol ChunkSource: Sendable {
    /// The number of bytes of all chunks if it is known.
    var length: Int? { get }
    /// The next chunk, nil after the last.
    func next() async throws -> [UInt8]?
}

extension ChunkSource {
    package var length: Int? { nil }
}
