extension String {
    /// Calls `body` with the UTF-8 bytes of the text, which are far faster to iterate than its characters.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var text = self
        return text.withUTF8(body)
    }

    /// Makes a text for the log, where longer ones are cut (contract, section 4).
    package init(shown bytes: [UInt8]) {
        let limit = 500
        self = String(decoding: bytes.prefix(limit), as: UTF8.self) + (bytes.count > limit ? " [...]" : "")
    }
}
