@testable import Drawbridge
@testable import DrawbridgeMessages

/// `Cookie` headers, one on a line.
enum CookiesTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let fields = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        let cookies = Cookies.parse(fields)
        for (name, value) in cookies {
            check(!name.isEmpty && !name.utf8.contains(UInt8(ascii: "=")), "the name \(name)")
            for text in [name, value] {
                check(!text.utf8.contains(UInt8(ascii: ";")), text)
                check(
                    ![0x20, 0x09].contains(text.utf8.first) && ![0x20, 0x09].contains(text.utf8.last), text)
            }
            check(fields.contains { field in field.utf8.firstRange(of: name.utf8) != nil }, "\(name) came up")
        }
        let written = cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
        check(Cookies.parse([written]) == cookies, "\(written) is not read as it was written")
        // Of two with one name the first counts.
        check(
            Cookies.parse(fields + fields.reversed()) == cookies, "\(fields) is read otherwise when repeated")
    }
}
