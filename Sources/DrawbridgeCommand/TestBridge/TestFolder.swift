import Glibc

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of this test's own, in which the browser keeps its profile and all else; removed at the end.
struct TestFolder {
    let path: String

    init() throws {
        // The path of a socket has 107 bytes at most, and Chromium has one that lies 64 bytes deeper.
        let named = getenv("TMPDIR").map { String(cString: $0) }
        let place = named.flatMap { $0.utf8.count < 40 ? $0 : nil } ?? "/tmp"
        var template = Array("\(place)/drawbridge-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) != nil else {
            throw Failure(
                "cannot write below \(place): \(String(cString: strerror(errno))); set TMPDIR to a folder")
        }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    /// Writes a file, and gives its path.
    func write(_ name: String, _ text: String) throws -> String {
        let file = "\(path)/\(name)"
        guard let stream = fopen(file, "we") else {
            throw Failure("cannot write \(file): \(String(cString: strerror(errno)))")
        }
        defer { fclose(stream) }
        fputs(text, stream)
        return file
    }

    /// Removes it.
    func remove() {
        // A process that was just ended may still be writing, and then the folder is not empty when its turn comes.
        for _ in 0..<100 {
            try? FileManager.default.removeItem(atPath: path)
            guard access(path, F_OK) == 0 else { return }
            usleep(20_000)
        }
    }
}
