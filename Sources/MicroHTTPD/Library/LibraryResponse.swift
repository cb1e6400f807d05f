import CMicroHTTPD

/// libmicrohttpd's object for a response, until ``release()``; for its loop's thread only.
struct LibraryResponse {
    let pointer: OpaquePointer

    init?(copying bytes: UnsafeRawBufferPointer) {
        // The cast is safe: the library copies the bytes and does not write to them.
        self.init(
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY))
    }

    /// The body is memory from `malloc`, which the library frees; if this returns nil, the caller must free it.
    init?(owning memory: UnsafeMutableRawPointer, length: Int) {
        self.init(MHD_create_response_from_buffer(length, memory, .RESPMEM_MUST_FREE))
    }

    /// The body is a part of a file, which the library closes; if this returns nil, the caller must close it.
    init?(file descriptor: Int32, offset: Int, length: Int) {
        self.init(MHD_create_response_from_fd_at_offset64(UInt64(length), descriptor, UInt64(offset)))
    }

    /// The body is read from an exchange, which is retained until the library frees the response.
    init?(from exchange: Exchange, length: Int?) {
        let box = Unmanaged.passRetained(exchange)
        let pointer = MHD_create_response_from_callback(
            length.map(UInt64.init) ?? UInt64.max, length == nil ? 4 << 10 : 64 << 10,
            { box, _, buffer, size in
                guard let box, let buffer else { return -2 }
                return Unmanaged<Exchange>.fromOpaque(box).takeUnretainedValue()
                    .fill(UnsafeMutableRawBufferPointer(start: buffer, count: size))
            }, box.toOpaque(), { box in if let box { Unmanaged<Exchange>.fromOpaque(box).release() } })
        if pointer == nil { box.release() }
        self.init(pointer)
    }

    /// A 101; after it the library passes the connection to ``Exchange/handOver(_:extra:closing:)``.
    static var upgrade: LibraryResponse? {
        let handOver: MHD_UpgradeHandler = { _, _, context, extra, size, socket, handle in
            guard let context, let handle else { return }
            let bytes = Array(UnsafeRawBufferPointer(start: extra, count: extra == nil ? 0 : size))
            Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
                .handOver(socket, extra: bytes) { dbr_end_upgrade(handle) }
        }
        return Self(MHD_create_response_for_upgrade(handOver, nil))
    }

    private init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    /// Drops this reference; the library frees the response after sending it.
    func release() { MHD_destroy_response(pointer) }

    /// Adds a header field; returns false if the library refuses it.
    func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        dbr_add_field(pointer, name.baseAddress, name.count, value.baseAddress, value.count) != 0
    }

    /// Adds header fields given as C strings: name, value, next name.
    func add(_ fields: UnsafeRawBufferPointer) { dbr_add_fields(pointer, fields.baseAddress, fields.count) }

    func remove(_ fields: UnsafeRawBufferPointer) {
        dbr_remove_fields(pointer, fields.baseAddress, fields.count)
    }

    func closeAfterwards() { MHD_add_response_header(pointer, "Connection", "close") }

    /// Sends a body of unknown length without chunks; closing the connection ends it.
    func endByClosing() { dbr_end_by_closing(pointer) }

    static func reason(for status: Int) -> String {
        MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? ""
    }
}
