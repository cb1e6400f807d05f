import Glibc

/// Makes certificates in a folder of its own, by the `openssl` command; the folder goes with it.
package final class Certificates: Sendable {
    package struct Failure: Error { let output: String }

    private let folder: String

    package init() throws {
        var template = Array("/tmp/drawbridge-certificates-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(output: "no folder: errno \(errno)") }
        folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        guard let directory = opendir(folder) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink(path(name))
        }
        closedir(directory)
        rmdir(folder)
    }

    /// Where a file of this name lies, or would.
    package func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Puts a text into a file, and gives its path.
    @discardableResult package func write(_ text: String, to name: String) throws -> String {
        guard let file = fopen(path(name), "w") else { throw Failure(output: "no file: errno \(errno)") }
        fputs(text, file)
        fclose(file)
        return path(name)
    }

    /// What a file has.
    package func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw Failure(output: "no file: errno \(errno)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    /// Makes a self-signed certificate for this machine, and gives the paths of both files.
    package func make(_ name: String = "server") async throws -> (certificate: String, key: String) {
        let (certificate, key) = (path("\(name).pem"), path("\(name)-key.pem"))
        try await openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            "/CN=\(name)",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2", "-keyout", key, "-out",
            certificate,
        ])
        return (certificate, key)
    }

    /// Runs `openssl` and gives what it prints.
    @discardableResult package func openssl(_ arguments: [String]) async throws -> String {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let child = try Child("openssl", arguments) { bytes in
            if bytes.isEmpty { continuation.finish() } else { continuation.yield(bytes) }
        }
        child.closeInput()
        var output: [UInt8] = []
        for await bytes in stream { output += bytes }
        let text = String(decoding: output, as: UTF8.self)
        guard await child.exitCode() == 0 else { throw Failure(output: text) }
        return text
    }
}
