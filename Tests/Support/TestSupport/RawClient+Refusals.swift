extension RawClient {
    /// Reads all replies until the peer closes, but those that tell to continue.
    ///
    /// libmicrohttpd's own refusals repeat their head where the body should be: those are counted once, and only those.
    package func refusalsToEnd(toHead isHead: Bool = false) throws -> [RawAnswer] {
        var replies: [RawAnswer] = []
        var bytes = try readToEnd()
        while !bytes.isEmpty {
            let reader = RawClient(reading: bytes)
            let reply = try reader.head()
            let head = bytes.count - reader.unread
            let isOwn = bytes[head...].starts(with: bytes[..<head]) && reply.status >= 400
            if isOwn { bytes.removeFirst(head) }
            let rest = RawClient(reading: bytes)
            let whole = try rest.reply(toHead: isHead)
            if whole.status != 100 { replies.append(whole) }
            bytes.removeFirst(bytes.count - rest.unread)
        }
        return replies
    }
}
