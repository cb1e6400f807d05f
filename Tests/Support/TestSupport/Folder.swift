import Foundation

/// A folder for one test, removed with it.
package final class Folder: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "drawbridge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, with its folders, and gives its path.
    @discardableResult
    package func write(_ name: String, _ text: String, mode: Int = 0o644) throws -> String {
        let file = "\(path)/\(name)"
        let parent = URL(filePath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        // Closed in every child: what a child holds open for writing cannot be executed.
        guard let stream = fopen(file, "we") else { throw CocoaError(.fileWriteUnknown) }
        fputs(text, stream)
        fclose(stream)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    package func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: "\(path)/\(name)")), as: UTF8.self)
    }
}
