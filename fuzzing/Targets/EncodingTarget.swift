@testable import Drawbridge
@testable import DrawbridgeDocuments

/// Pages that declare their encoding.
enum EncodingTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let label = HTMLEncoding.declared(in: bytes) else { return }
        check((1...40).contains(label.utf8.count), label)
        check(label.wholeMatch(of: /[a-z0-9._+\-]+/) != nil, "\(label) cannot stand in a header")
        check(HTMLEncoding.declared(in: Array(bytes.prefix(HTMLEncoding.searched))) == label, label)
        let page = Array("<!doctype html><meta charset=\"\(label)\">".utf8)
        let again = HTMLEncoding.declared(in: page)
        check(
            again == (label.hasPrefix("utf-16") ? "utf-8" : label), "\(label) is declared as \(again ?? "")")
    }
}
