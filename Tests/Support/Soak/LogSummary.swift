import Glibc

/// What is in a log, which may be too large to keep.
struct LogSummary {
    /// Lines about handlers that failed as they should.
    private(set) var errors = 0
    /// The first few that are neither these nor about everyday things.
    private(set) var strange: [String] = []

    init(of path: String) throws {
        guard let file = fopen(path, "re") else { throw Wrong("there is no log: errno \(errno)") }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        while getline(&line, &size, file) > 0 {
            guard let line else { break }
            add(String(cString: line))
        }
    }

    private mutating func add(_ line: String) {
        if Self.everyday.contains(where: line.contains) { return }
        if line.contains(#""level":"error""#), Self.faults.contains(where: line.contains) {
            errors += 1
        } else if strange.count < 10 {
            strange.append(line)
        }
    }

    private static let everyday = [#""level":"info""#, #""level":"notice""#, #""level":"warning""#]
    private static let faults = [
        #""message":"Throws failed: "#, #""message":"Late: Late did not answer within "#,
    ]
}
