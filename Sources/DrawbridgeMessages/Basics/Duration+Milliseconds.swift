extension Duration {
    /// Milliseconds for people and for `Server-Timing`: `0.3`, `9.7`, `12`.
    package var milliseconds: String {
        String(unsafeUninitializedCapacity: 24) { buffer in
            var writer = ByteWriter(buffer)
            writer.write(milliseconds: self)
            return writer.count
        }
    }
}
