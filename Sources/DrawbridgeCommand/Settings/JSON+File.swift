import Drawbridge
import Glibc

extension JSON {
    /// Reads a file of JSON.
    ///
    /// - Throws: a ``Failure`` that names the file, and the line where it is no JSON.
    init(file: String) throws {
        do {
            self = try JSON(parsing: try Self.contents(of: file))
        } catch let error as JSON.ParseError {
            throw Failure("\(file), \(error)")
        }
    }

    static func contents(of file: String) throws -> [UInt8] {
        guard let stream = fopen(file, "re") else {
            throw unreadable(file)
        }
        defer { fclose(stream) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            guard count > 0 else { break }
            contents += chunk[..<count]
        }
        guard ferror(stream) == 0 else {
            throw unreadable(file)
        }
        return contents
    }

    private static func unreadable(_ file: String) -> Failure {
        Failure(
            "cannot read \(file): \(String(cString: strerror(errno))); give a JSON file that this user may read"
        )
    }
}
