import Testing

@testable import HTTPClient

@Suite("Chunks of an upstream's body")
struct ChunkReaderTests {
    /// Reads all pieces, and gives what belongs to the body.
    private func body(_ pieces: [String], by reader: inout ChunkReader) throws -> String {
        var body = ""
        for piece in pieces {
            var bytes = Array(piece.utf8)
            let taken = try bytes.withUnsafeMutableBytes { try reader.read($0).taken }
            body += String(decoding: bytes[..<taken], as: UTF8.self)
        }
        return body
    }

    private func body(_ pieces: String...) throws -> String {
        var reader = ChunkReader()
        return try body(pieces, by: &reader)
    }

    private static let limit = ChunkReader.framingLimit

    @Test func chunksAreReadInPiecesOfAnySize() throws {
        let text = "4;a=b\r\nhalf\r\n8\r\n and all\r\n0\r\nX-T: t\r\n\r\n"
        var reader = ChunkReader()
        #expect(try body([text], by: &reader) == "half and all")
        #expect(reader.isOver)
        reader = ChunkReader()
        #expect(try body(text.map { String($0) }, by: &reader) == "half and all")
        #expect(reader.isOver)
    }

    @Test func bytesAfterTheLastChunkAreNotRead() throws {
        var reader = ChunkReader()
        var bytes = Array("1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n".utf8)
        let (read, taken) = try bytes.withUnsafeMutableBytes { try reader.read($0) }
        #expect(read == "1\r\na\r\n0\r\n\r\n".utf8.count && taken == 1)
    }

    /// An extension and a trailer of as much as is read over, and of a byte more.
    @Test(arguments: [0, 1])
    func extensionsAndTrailersAreLimited(_ more: Int) throws {
        // With them there are the size with `;` and a line's end, and the last line.
        let long = String(repeating: "a", count: Self.limit - 4 + more)
        let trailer = String(repeating: "a", count: Self.limit - 9 + more)
        if more == 0 {
            #expect(try body("1;\(long)\r\nb\r\n0\r\n\r\n") == "b")
            #expect(try body("1\r\nb\r\n0\r\n\(trailer)\r\n\r\n") == "b")
        } else {
            #expect(throws: MalformedResponse.self) { try body("1;\(long)\r\nb\r\n0\r\n\r\n") }
            #expect(throws: MalformedResponse.self) { try body("1\r\nb\r\n0\r\n\(trailer)\r\n\r\n") }
        }
    }

    @Test func theLimitOfExtensionsIsForEachChunk() throws {
        let long = String(repeating: "a", count: Self.limit - 6)
        let chunk = "1;\(long)\r\nb\r\n"
        #expect(try body(chunk, chunk, chunk, "0\r\n\r\n") == "bbb")
    }

    @Test(arguments: [
        "x\r\n", "-1\r\n", ";\r\n", "\r\n", "1234567890abcdef\r\n", "1\r\nab\r\n", "1\r\na\r\rb",
    ])
    func invalidChunksAreRefused(_ text: String) {
        #expect(throws: MalformedResponse.self) { try body(text) }
    }
}
