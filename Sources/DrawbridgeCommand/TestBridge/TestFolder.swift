import FoundationEssentials
import Glibc

/// A temporary folder for the browser's profile and all its files; removed at the end.
struct TestFolder {
    let path: String

    init() throws {
        // The path of a Unix socket has 107 bytes at most, and Chromium makes one 64 bytes below this folder.
        let named = getenv("TMPDIR").map { String(cString: $0) }
        let place = named.flatMap { $0.utf8.count < 40 ? $0 : nil } ?? "/tmp"
        path = try makeFolder(below: place, "drawbridge", or: "set TMPDIR to a folder")
    }

    func write(_ name: String, _ text: String) throws -> String {
        let file = "\(path)/\(name)"
        guard let stream = fopen(file, "we") else {
            throw Failure("cannot write \(file): \(String(cString: strerror(errno)))")
        }
        defer { fclose(stream) }
        fputs(text, stream)
        return file
    }

    func remove() {
        // A process that was just killed may still write into it, so that removing fails as it is not empty.
        for _ in 0..<100 {
            try? FileManager.default.removeItem(atPath: path)
            guard access(path, F_OK) == 0 else { return }
            usleep(20_000)
        }
    }
}
