public import Drawbridge

/// Keeps values for a page, also over restarts.
///
/// A call with a key reads, one with a value too writes, the value `null` removes, and one without a key lists the
/// keys.
///
/// ```
/// curl -d '{"key":"theme","value":"dark"}' http://127.0.0.1:8080/__jsbridge__/storage
/// curl 'http://127.0.0.1:8080/storage?_mobile_bridge=1&key=theme'
/// {"code":200,"data":{"key":"theme","value":"dark"},"message":""}
/// ```
///
/// All requests share one ``Store``: `try gateway.register(at: "/storage") { StorageHandler(store: store) }`.
public struct StorageHandler: JSONHandler {
    /// What is read, written or removed.
    public struct Input: Decodable, Sendable {
        var key: String?
        /// Nil where the page sent no value; `null` is a value.
        var value: JSON?

        enum CodingKeys: CodingKey { case key, value }

        /// Reads the members.
        ///
        /// - Throws: a `DecodingError` for what does not fit.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            key = try members.decodeIfPresent(String.self, forKey: .key)
            value = members.contains(.value) ? try members.decode(JSON.self, forKey: .value) : nil
        }
    }

    /// The value of the key, left out where there is none; or all keys.
    public struct Output: Encodable, Sendable {
        var key: String?
        var value: JSON?
        var keys: [String]?
    }

    /// Writing to a disk blocks.
    public static var execution: Execution { .thread }

    private let store: Store

    /// Keeps the values in this store.
    public init(store: Store) { self.store = store }

    /// Reads, writes, removes or lists.
    ///
    /// - Throws: a 507 when the store is full, a 500 when its file cannot be read or written.
    public func handle(_ input: Input) async throws -> Output {
        guard let key = input.key else { return Output(keys: try store.values().map(\.key)) }
        if let value = input.value { try store.set(key, to: value.isNull ? nil : value) }
        return Output(key: key, value: try store.values()[key])
    }
}
