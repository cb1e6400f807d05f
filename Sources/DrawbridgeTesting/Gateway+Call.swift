/// How `Gateway.call` calls native: by a flag, a query, or `__jsbridge__`.
public struct RequestBridge: Sendable {
    /// `POST /notes?_mobile_bridge=1`, with the input as its body.
    public static let flag = RequestBridge { name, input in
        (.post, flagged(name), input.isNull ? [] : input.bytes)
    }

    /// `GET /notes?_mobile_bridge=1&text=x`, with the members of the input as query items.
    public static let query = RequestBridge { name, input in
        var target = flagged(name)
        for (name, value) in input.objectValue ?? [:] {
            for value in value.arrayValue ?? [value] {
                target += "&\(Percent.encode(name))=\(Percent.encode(value.stringValue ?? "\(value)"))"
            }
        }
        return (.get, target, [])
    }

    /// `POST /__jsbridge__` with `{"action": "notes", "data": {…}}`.
    public static let jsBridge = RequestBridge { name, input in
        (.post, "/__jsbridge__", (["action": .string(name), "data": input] as JSON).bytes)
    }

    let request: @Sendable (_ name: String, _ input: JSON) -> (HTTPRequest.Method, String, [UInt8])

    /// A name may have a query of its own: `/tasks/7?priority=low`.
    private static func flagged(_ name: String) -> String {
        "/\(name)\(name.contains("?") ? "&" : "?")_mobile_bridge=1"
    }
}

extension Gateway {
    /// Calls native in process, with a request like that of a page or of curl.
    ///
    /// ```swift
    /// let answer = try await gateway.call("/notes", ["text": "milk"]).output()
    /// ```
    ///
    /// - Parameters:
    ///   - name: the path of a handler or the name of a mock, with or without its first slash.
    ///   - input: the input; `null` for none.
    ///   - bridge: the form of the request. For bridges with a channel, use ``PlayedPage``.
    ///   - method: the HTTP method, if not the bridge's usual one.
    ///   - headers: additional header fields.
    public func call(
        _ name: String, _ input: JSON = .null, by bridge: RequestBridge = .flag,
        method: HTTPRequest.Method? = nil, headers: HTTPFields = [:]
    ) async -> Response {
        let name = name.hasPrefix("/") ? String(name.dropFirst()) : name
        let (usual, target, body) = bridge.request(name, input)
        return await respond(to: Request(method ?? usual, target, headers: headers, body: .init(body)))
    }

    /// Checks how often a name was called, by the calls that were made until now.
    ///
    /// ```swift
    /// try await gateway.verify("pay", when: ["orderNo": 17], count: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the path of a handler or the name of a mock, with or without its first slash.
    ///   - input: what the input must contain; nil for any input.
    ///   - count: the number of calls; nil for at least one.
    /// - Throws: an `HTTPError` that names the calls that were made instead.
    public func verify(_ name: String, when input: JSON? = nil, count: Int? = nil) async throws {
        var check: JSON.Object = ["name": .string(name)]
        check["when"] = input
        check["count"] = count.map { .number($0) }
        try await verify(.object(check))
    }

    /// Checks which calls were made; takes the JSON of `POST calls/verify`, and waits up to its `seconds`.
    ///
    /// ```swift
    /// try await gateway.verify(["order": ["login", "pay"], "seconds": 5])
    /// ```
    ///
    /// - Throws: an `HTTPError` that names the calls that were made instead, or the mistake in `check`.
    public func verify(_ check: JSON) async throws {
        let request = Request(
            .post, "/__drawbridge__/calls/verify", headers: [.authorization: "Bearer \(testerToken.text)"],
            body: .init(check.bytes))
        _ = try await respond(to: request).output()
    }
}

extension Response {
    /// The whole body as JSON, including the gateway's envelope if there is one.
    ///
    /// - Throws: if the body is not JSON, or its stream fails.
    public func json() async throws -> JSON { try JSON(parsing: await body.collect()) }

    /// The whole body as text.
    ///
    /// - Throws: if the body's stream fails.
    public func text() async throws -> String { String(decoding: try await body.collect(), as: UTF8.self) }

    /// The output of a successful call, without the gateway's envelope.
    ///
    /// - Throws: an `HTTPError` with the code and message of a failed call.
    public func output() async throws -> JSON {
        let json = try await json()
        guard let code = json["code"]?.numberValue?.intValue, let message = json["message"]?.stringValue
        else { return json }
        guard (200...299).contains(code) else {
            throw HTTPError(
                status.kind == .successful ? .badRequest : status, message, code: code, data: json["data"])
        }
        return json["data"] ?? .null
    }

    /// The chunks of the body as they are written; ending the loop cancels the stream, as a disconnect does.
    public var chunks: AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { [body] chunks in
            let writing = Task {
                do {
                    try await body.write(to: Client { chunks.yield($0) })
                    chunks.finish()
                } catch {
                    chunks.finish(throwing: error)
                }
            }
            chunks.onTermination = { _ in writing.cancel() }
        }
    }
}
