import Glibc

// Writes a Swift file with the texts of others as constants: embed-text OUTPUT FILE...

func fail(_ sentence: String) -> Never {
    print("embed-text: \(sentence)")
    exit(1)
}

/// The text of a file, which a literal can hold to the byte.
func text(of path: String) -> String {
    guard let file = fopen(path, "r") else {
        fail("cannot read \(path): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
    guard let text = String(validating: bytes, as: UTF8.self) else { fail("\(path) is no UTF-8") }
    let hasControls = bytes.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\t") }
    guard !hasControls, !text.contains("####") else {
        fail("\(path) has a control character or ####, which no literal can hold as it is")
    }
    return text
}

guard CommandLine.arguments.count > 1, let output = fopen(CommandLine.arguments[1], "w") else {
    fail("name a file to write, and the files of the texts")
}
var all = "enum PackageResources {\n"
for path in CommandLine.arguments.dropFirst(2).sorted() {
    let file = path.split(separator: "/").last ?? ""
    let name = String(file.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    all += "static let \(name) = Array(####\"\"\"\n\(text(of: path))\n\"\"\"####.utf8)\n"
}
guard fputs(all + "}\n", output) >= 0, fclose(output) == 0 else { fail("cannot write the file") }
