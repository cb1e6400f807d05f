import Glibc

@testable import DrawbridgeCommand

/// Configuration files.
enum ConfigTarget: FuzzTarget {
    private static let path = "/tmp/drawbridge-fuzz-\(getpid()).json"

    static func run(_ bytes: [UInt8]) {
        let file = fopen(path, "w")
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        defer { unlink(path) }
        do {
            let options = try ConfigFile(FileText(path), isFound: false).options
            check((0...65535).contains(options.serving.port ?? 0), "\(options)")
            check((0...3600).contains(options.advanced.grace ?? 0), "\(options)")
            for place in [options.serving.root, options.access.cert, options.handlers.storage] {
                check(place?.hasPrefix("/") ?? true, "\(place ?? "") counts from another folder")
            }
        } catch let error as Failure {
            check("\(error)".hasPrefix(path), "\(error) names no file")
        } catch {
            fatalError("\(error) is no failure of a file")
        }
    }
}
