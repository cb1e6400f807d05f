import CLinux
import Glibc

/// Linux functions that Swift's Glibc module does not import.
package enum Linux {
    static func nameThread(_ name: String) { dbl_name_thread(name) }

    /// Reads a date, leniently (strptime(3)); nil where the text has another form.
    package static func date(_ text: String, as format: String) -> tm? {
        var parts = tm()
        return strptime(text, format, &parts) == nil ? nil : parts
    }

    /// True for a Windows folder mounted by WSL (9p or drvfs): there, file modes say that everybody may write.
    package static func isOfWindows(_ folder: Int32) -> Bool { dbl_is_of_windows(folder) }

    /// Opens a file that a user named, for reading; a FIFO without a writer is open at once, and empty.
    package static func open(_ path: String, in folder: Int32 = AT_FDCWD, _ flags: Int32 = 0) -> Int32 {
        let file = openat(folder, path, flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if file >= 0 { _ = fcntl(file, F_SETFL, 0) }
        return file
    }

    /// The file's bytes, or a few more than `limit`; nil, with `errno` set, if it cannot be read.
    package static func read(_ file: Int32, atMost limit: Int) -> [UInt8]? {
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while bytes.count <= limit, case let count = Glibc.read(file, &piece, piece.count), count != 0 {
            if count > 0 { bytes += piece[..<count] } else if errno != EINTR { return nil }
        }
        return bytes
    }

    package static func contents(of path: String, atMost limit: Int) -> [UInt8]? {
        let file = open(path)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return read(file, atMost: limit)
    }

    /// The names in a folder, in no order; nil, with `errno` set, if it cannot be opened.
    package static func names(in folder: String) -> [String]? {
        guard let list = opendir(folder) else { return nil }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}

package struct SystemError: Error, CustomStringConvertible {
    /// The action that failed, a colon, and the text of `strerror`.
    package let description: String

    package init(_ action: String, code: Int32 = errno) {
        description = "\(action): \(String(cString: strerror(code)))"
    }
}
