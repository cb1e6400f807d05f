import Drawbridge

/// Stores values for pages, also across restarts.
///
/// With a key, the value is read; with a value too, it is written, or removed if it is `null`. Without a key, all keys
/// are listed.
///
/// ```
/// curl -d '{"key":"theme","value":"dark"}' http://127.0.0.1:8080/__jsbridge__/storage
/// curl 'http://127.0.0.1:8080/storage?_mobile_bridge=1&key=theme'
/// {"code":200,"data":{"key":"theme","value":"dark"},"message":""}
/// ```
///
/// All handlers must share one ``Store``: `try gateway.register(at: "/storage") { StorageHandler(store: store) }`.
public struct StorageHandler: JSONHandler {
    /// The key, and the value to write; both are optional.
    public struct Input: Decodable, Sendable {
        var key: String?
        /// Nil if the page sent no value, so that nothing is written; `null` removes the value.
        var value: JSON?

        enum CodingKeys: CodingKey { case key, value }

        /// Decodes the input; a `null` is kept as a value.
        ///
        /// - Throws: a `DecodingError` if the key is not a string.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            key = try members.decodeIfPresent(String.self, forKey: .key)
            value = members.contains(.value) ? try members.decode(JSON.self, forKey: .value) : nil
        }
    }

    /// The key with its value, which is left out if there is none; or all keys.
    public struct Output: Encodable, Sendable {
        var key: String?
        var value: JSON?
        var keys: [String]?
    }

    /// Runs on a thread of its own, because writing to a disk blocks.
    public static let options = HandlerOptions(execution: .thread)

    private let store: Store

    /// Makes a handler that uses this store.
    public init(store: Store) { self.store = store }

    /// Reads, writes or removes a value, or lists all keys.
    ///
    /// - Throws: an `HTTPError` 507 if the store is full; a ``Store/StoreError`` if its file cannot be read or written.
    public func handle(_ input: Input) async throws -> Output {
        guard let key = input.key else { return Output(keys: try store.values().map(\.key)) }
        if let value = input.value { try store.set(key, to: value.isNull ? nil : value) }
        return Output(key: key, value: try store.values()[key])
    }
}
