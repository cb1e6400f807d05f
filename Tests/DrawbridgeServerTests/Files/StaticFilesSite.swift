import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A folder with files for one test, a gateway that serves it, and a secret next to it.
///
/// It is gone with its last reference.
final class StaticFilesSite: Sendable {
    static let secret = "the secret that never leaves"

    let top: String
    let gateway: Gateway
    let log = LogBook(from: .trace)

    /// Makes the files; a name may lead through folders that are not there yet.
    init(_ files: KeyValuePairs<String, String> = [:], hasRoot: Bool = true) throws {
        var template = Array("/tmp/drawbridge-files-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("mkdtemp") }
        let top = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.top = top
        gateway = Gateway(
            passThrough: [.staticFiles(top + "/root")], pageRuntime: nil,
            logger: log.logger)
        if hasRoot { try folder("") }
        try Self.write(Array(StaticFilesSite.secret.utf8), to: top + "/secret.txt")
        for (name, text) in files { try file(name, text) }
    }

    deinit { try? FileManager.default.removeItem(atPath: top) }

    /// The path of something in the root.
    func path(_ name: String) -> String { "\(top)/root/\(name)" }

    func folder(_ name: String) throws {
        guard mkdir(path(name), 0o755) == 0 || errno == EEXIST else { throw Failure("mkdir \(name)") }
    }

    func file(_ name: String, _ text: String) throws { try file(name, bytes: Array(text.utf8)) }

    func file(_ name: String, bytes: [UInt8]) throws {
        var parent = ""
        for part in name.split(separator: "/").dropLast() {
            parent += "\(part)/"
            try folder(parent)
        }
        try Self.write(bytes, to: path(name))
    }

    func link(_ name: String, to target: String) throws {
        guard symlink(target, path(name)) == 0 else { throw Failure("symlink \(name)") }
    }

    func setModified(_ name: String, _ seconds: Int, nanoseconds: Int = 0) throws {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        guard utimensat(AT_FDCWD, path(name), [time, time], 0) == 0 else {
            throw Failure("utimensat \(name)")
        }
    }

    func get(
        _ target: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get
    ) async -> Response {
        await gateway.respond(to: Request(method, target, headers: headers))
    }

    func text(_ target: String, _ headers: HTTPFields = [:]) async throws -> String {
        String(decoding: try await get(target, headers).body.collect(), as: UTF8.self)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
            throw Failure("write \(path)")
        }
    }

    struct Failure: Error {
        let description: String
        init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
    }
}
