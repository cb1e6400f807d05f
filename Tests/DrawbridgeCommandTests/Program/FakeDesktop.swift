import Foundation
import TestSupport

/// A desktop whose `xdg-open` writes down what it was given, in a folder that is the one for temporary files too.
struct FakeDesktop {
    let folder: Folder
    let environment: [String: String]

    init() throws {
        folder = try Folder()
        let opened = "\(folder.path)/opened"
        try folder.write(
            "bin/xdg-open",
            """
            #!/bin/sh
            case $1 in *.html) kind=file;; *) kind=address;; esac
            {
                echo "$1"
                if [ $kind = file ]; then stat -c %a "$1" "${1%/*}"; cat "$1"; fi
            } > \(opened).$$ && mv \(opened).$$ \(opened).$kind

            """,
            mode: 0o755)
        let path = "\(folder.path)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        environment = ["PATH": path, "XDG_RUNTIME_DIR": "", "TMPDIR": folder.path, "DISPLAY": ":0"]
    }

    /// The address that was opened, as soon as one was; nil where none is.
    func address() async throws -> String? { try await opened("address").first }

    /// The path of the file that was opened, the rights of it and of its folder, and its lines.
    func file() async throws -> [String] { try await opened("file") }

    private func opened(_ kind: String) async throws -> [String] {
        guard await eventually({ FileManager.default.fileExists(atPath: "\(folder.path)/opened.\(kind)") })
        else { return [] }
        return try folder.read("opened.\(kind)").split(separator: "\n").map(String.init)
    }

    /// How many folders there are of files that are still to be opened.
    var folders: Int {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).count { $0.hasPrefix("open-") }
    }
}
