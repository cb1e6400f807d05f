import CMicroHTTPD

/// The library's object for an answer, until ``release()``; used on its loop's thread.
struct LibraryResponse {
    /// For ``LibraryConnection`` alone.
    let pointer: OpaquePointer

    init?(copying bytes: UnsafeRawBufferPointer) {
        // The library copies, and does not write through the pointer.
        self.init(
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY))
    }

    /// Its body is memory of `malloc`, which it frees in the end; where this returns nil, the caller has to free it.
    init?(owning memory: UnsafeMutableRawPointer, length: Int) {
        self.init(MHD_create_response_from_buffer(length, memory, .RESPMEM_MUST_FREE))
    }

    /// Its body is a part of a file, which it closes in the end; where this returns nil, the file stays open.
    init?(file descriptor: Int32, offset: Int, length: Int) {
        self.init(MHD_create_response_from_fd_at_offset64(UInt64(length), descriptor, UInt64(offset)))
    }

    /// Its body is fetched from an exchange, which it holds until the library destroys it.
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

    /// A 101, behind which the connection is handed to its exchange (``Exchange/handOver(_:extra:closing:)``).
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

    /// Releases it: the library destroys it once it is sent.
    func release() { MHD_destroy_response(pointer) }

    /// Adds a header field; false where the library does not take it.
    func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        dbr_add_field(pointer, name.baseAddress, name.count, value.baseAddress, value.count) != 0
    }

    /// Adds header fields that are C strings: a name, its value, the next name.
    func add(_ fields: UnsafeRawBufferPointer) { dbr_add_fields(pointer, fields.baseAddress, fields.count) }

    func remove(_ fields: UnsafeRawBufferPointer) {
        dbr_remove_fields(pointer, fields.baseAddress, fields.count)
    }

    /// Ends its body of unknown length by closing the connection, instead of by chunks.
    func endByClosing() { dbr_end_by_closing(pointer) }

    static func reason(for status: Int) -> String {
        MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? ""
    }
}
