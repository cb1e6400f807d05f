extension String {
    /// Calls `body` with the bytes of the text, which walk by far faster than its characters.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var text = self
        return text.withUTF8(body)
    }

    /// A text as it stands in the log, where longer ones are cut (contract, section 4).
    package init(shown bytes: [UInt8]) {
        let limit = 500
        self = String(decoding: bytes.prefix(limit), as: UTF8.self) + (bytes.count > limit ? " [...]" : "")
    }
}
