import CMicroHTTPD
import Glibc

/// A response of the library's that is sent again, with other bytes of the same length.
///
/// Making one with its header fields costs the library more than all else that it does for a small answer. One exchange
/// at a time has it, on its loop's thread.
final class ReusableResponse {
    /// More bytes of a body than this are none of its business.
    static let longest = 1024

    /// The header fields that stay, as C strings: a name, its value, the next name.
    let fixed: [UInt8]
    /// The length of the body.
    let length: Int
    /// The library's object.
    let handle: OpaquePointer

    /// The library's memory, as long as it has the response.
    private let body: UnsafeMutableRawPointer
    /// The header fields of this time, written as the fixed ones are.
    @exclusivity(unchecked) private var added: [UInt8] = []

    init?(_ fixed: [UInt8], length: Int) {
        guard let body = malloc(max(1, length)) else { return nil }
        guard let handle = MHD_create_response_from_buffer(length, body, .RESPMEM_MUST_FREE) else {
            free(body)
            return nil
        }
        self.fixed = fixed
        self.length = length
        self.handle = handle
        self.body = body
        fixed.withUnsafeBytes { dbr_add_fields(handle, $0.baseAddress, $0.count) }
    }

    deinit { MHD_destroy_response(handle) }

    /// Takes an answer, in place of the last one.
    func hold(_ bytes: [UInt8], adding fields: UnsafeRawBufferPointer) {
        added.withUnsafeBytes { dbr_remove_fields(handle, $0.baseAddress, $0.count) }
        added.removeAll(keepingCapacity: true)
        added += fields
        dbr_add_fields(handle, fields.baseAddress, fields.count)
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(body, start, $0.count) } }
    }
}
