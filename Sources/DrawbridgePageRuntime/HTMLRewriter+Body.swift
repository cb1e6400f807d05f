import DrawbridgeDocuments
import Synchronization

extension HTMLRewriter {
    /// The body with the tag inserted, and its first bytes if they are already known; nil if it gets no tag.
    ///
    /// Of a file only the first bytes are read. A stream is changed while it is sent, so its length is unknown.
    ///
    /// - Parameter isHead: whether the request is HEAD, whose body may be empty.
    func rewrite(_ body: Response.Body, isHead: Bool) -> (body: Response.Body, beginning: [UInt8]?)? {
        switch body.content {
        case .output, .upgrade:
            return nil
        case .bytes(let bytes):
            if isHead, bytes.isEmpty { return (body, nil) }
            var rewriter = self
            var result = rewriter.take(bytes)
            result += rewriter.finish()
            return rewriter.isTagged ? (.bytes(result), Array(bytes.prefix(Self.window))) : nil
        case .file(let file):
            return rewrite(file)
        case .stream, .source:
            let stream = Response.Body.stream(length: nil) { [self] client in
                let rewriter = Mutex(self)
                try await body.write(
                    to: Client { chunk in try await client.didLoad(rewriter.withLock { $0.take(chunk) }) })
                try await client.didLoad(rewriter.withLock { $0.finish() })
            }
            return (stream, nil)
        }
    }

    private func rewrite(_ file: Response.File) -> (body: Response.Body, beginning: [UInt8]?)? {
        let count = min(file.length, Self.window)
        // If the file cannot be read or has become shorter, it is left unchanged here, and sending it will fail.
        guard let beginning = try? file.handle.read(at: file.offset, count: count), beginning.count == count
        else { return nil }
        var rewriter = self
        let changed = rewriter.take(beginning) + rewriter.finish()
        guard rewriter.isTagged else { return nil }
        if count == file.length { return (.bytes(changed), beginning) }
        let rest = Response.Body(
            .file(.init(handle: file.handle, offset: file.offset + count, length: file.length - count)))
        let whole = Response.Body.stream(length: changed.count + file.length - count) { client in
            try await client.didLoad(changed)
            try await rest.write(to: client)
        }
        return (whole, beginning)
    }
}

extension Response.Body {
    /// Whether it begins with the byte order mark of UTF-16, as far as that is known before it is sent.
    var isWide: Bool {
        let first =
            switch content {
            case .bytes(let bytes): Array(bytes.prefix(2))
            case .file(let file): (try? file.handle.read(at: file.offset, count: 2)) ?? []
            case .output, .upgrade, .stream, .source: [UInt8]()
            }
        return HTMLEncoding.declared(in: first) != nil
    }
}
