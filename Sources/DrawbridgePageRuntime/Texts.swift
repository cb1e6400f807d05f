import CTexts

package struct Texts: Sendable {
    package static let core = Texts(core_texts())

    package let files: [String: [UInt8]]

    package init(_ list: UnsafePointer<Text>) {
        var files: [String: [UInt8]] = [:]
        var next = list
        while let name = next.pointee.name, let text = next.pointee.text {
            files[String(cString: name)] = Array(String(cString: text).utf8)
            next += 1
        }
        self.files = files
    }

    package subscript(name: String) -> [UInt8] {
        guard let text = files[name] else { fatalError("Sources/CTexts has no \(name)") }
        return text
    }
}
