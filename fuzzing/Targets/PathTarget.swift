@testable import DrawbridgeServer

/// Paths of files.
enum PathTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let path = RequestedPath(text) else { return }
        for (position, name) in path.names.enumerated() {
            check(!name.isEmpty && !name.utf8.contains { [0, 0x2F, 0x5C].contains($0) }, "\(path.names)")
            check(!name.hasPrefix(".") || (name == ".well-known" && position == 0), "\(path.names)")
        }
        let folder = path.asFolder(query: nil)
        check(folder.hasPrefix("/") && !folder.hasPrefix("//") && folder.hasSuffix("/"), folder)
        check(folder.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(folder) cannot stand in a header")
        guard let again = RequestedPath(folder) else { fatalError("\(folder) is refused") }
        check(again.names == path.names && again.isFolder, "\(text) is redirected to \(folder)")
    }
}
