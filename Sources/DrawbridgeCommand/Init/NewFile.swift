import DrawbridgeServer
import Glibc

/// A file that `drawbridge init` writes where there is none yet.
struct NewFile {
    let path: String
    /// The arguments by which the program prints the same text instead.
    let arguments: String
    /// Another path for it, as an example.
    let elsewhere: String

    /// Whether anything has this path, a dangling link too.
    var isThere: Bool { (try? FileFolder(of: path))?.file != nil }

    var taken: Failure {
        Failure(
            "\(path) is there already, and stays as it is; move it away first, or see what would be written: "
                + "\(Command.program.name) \(arguments)")
    }

    /// Creates the file; throws a ``Failure`` where something is there already, or where it cannot be written.
    func create(_ text: String) throws {
        do throws(FileError) {
            let folder = try FileFolder(of: path)
            _ = try folder.make(folder.name, Array(text.utf8))
        } catch {
            guard error.code != EEXIST else { throw taken }
            throw Failure(
                "cannot write \(path): \(error); write it elsewhere: \(Command.program.name) \(arguments) > \(elsewhere)"
            )
        }
    }
}
