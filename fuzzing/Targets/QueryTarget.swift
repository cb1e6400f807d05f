import Foundation

@testable import Drawbridge
@testable import DrawbridgeMessages

/// Queries, forms, percent-encoding, and the flag in them.
enum QueryTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        checkPercent(text)

        let query = Query(text)
        check(Query(query.text) == query, "\(query.text) is not read as it was written")
        if let first = query.first(where: { _ in true }) {
            check(query[first.name] == first.value, "\(first)")
            var without = query
            without[first.name] = nil
            check(without.elementsEqual(query.filter { $0.name != first.name }), "\(first) is not removed")
            without[first.name] = first.value
            check(without.values(first.name) == [first.value], "\(first) is not set")
        }

        // A head takes no control characters.
        let request = Request("/a?" + text)
        let sent = request.query
        let isFlag: (Query.Item) -> Bool = { $0 == Query.Item(name: "_mobile_bridge", value: "1") }
        if let plain = FlagRule.flag().canonicalRequest(for: request) {
            check(sent.contains(where: isFlag), "\(text) has no flag")
            check(plain.query.elementsEqual(sent.filter { !isFlag($0) }), "\(text) is not \(plain.query)")
            check(plain.path == "/a", plain.path)
        } else {
            check(!sent.contains(where: isFlag), "the flag in \(text) is not seen")
        }
    }

    private static func checkPercent(_ text: String) {
        let encoded = Percent.encode(text)
        check(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, encoded)
        check(Percent.decode(encoded[...].utf8) == text, "\(encoded) is not decoded")
        // Foundation mends what is no UTF-8.
        if let reference = text.removingPercentEncoding, !reference.unicodeScalars.contains("\u{FFFD}") {
            check(Percent.decode(text[...].utf8) == reference, "\(text) is decoded to \(reference) by others")
        }
    }
}
