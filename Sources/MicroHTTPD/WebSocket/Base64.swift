/// The two uses of base64 in a handshake (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(bytes[start + $1]) : 0) }
            for place in 0..<4 {
                let digit = alphabet[bits >> (18 - 6 * place) & 63]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func isSixteenBytes(_ text: String) -> Bool {
        let text = Array(text.utf8)
        return text.count == 24 && text[22...].elementsEqual("==".utf8)
            && text[..<22].allSatisfy(alphabet.contains)
    }
}
