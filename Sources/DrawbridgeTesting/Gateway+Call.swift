public import Drawbridge
public import HTTPTypes

/// A bridge by which a request calls native.
public struct RequestBridge: Sendable {
    /// `POST /notes?_mobile_bridge=1`, with the input as its body.
    public static let flag = RequestBridge { name, input in
        (.post, "/\(name)?_mobile_bridge=1", input.isNull ? [] : input.bytes)
    }

    /// `GET /notes?_mobile_bridge=1&text=x`: what the input has, as texts.
    public static let query = RequestBridge { name, input in
        var query = "_mobile_bridge=1"
        for (name, value) in input.objectValue ?? [:] {
            for value in value.arrayValue ?? [value] {
                query += "&\(Percent.encode(name))=\(Percent.encode(value.stringValue ?? "\(value)"))"
            }
        }
        return (.get, "/\(name)?\(query)", [])
    }

    /// `POST /__jsbridge__` with `{"action": "notes", "data": {…}}`.
    public static let jsBridge = RequestBridge { name, input in
        (.post, "/__jsbridge__", (["action": .string(name), "data": input] as JSON).bytes)
    }

    let request: @Sendable (_ name: String, _ input: JSON) -> (HTTPRequest.Method, String, [UInt8])
}

extension Gateway {
    /// Calls native in process, as a page or curl does by a request.
    ///
    /// ```swift
    /// let answer = try await gateway.call("/notes", ["text": "milk"]).output()
    /// ```
    ///
    /// - Parameters:
    ///   - name: the path of a handler, or the name of a mock; with or without its first slash.
    ///   - input: what is sent; `null` for nothing.
    ///   - bridge: by which bridge. A page calls by others: ``PlayedPage``.
    ///   - method: another method than the bridge's own.
    ///   - headers: header fields besides.
    public func call(
        _ name: String, _ input: JSON = .null, by bridge: RequestBridge = .flag,
        method: HTTPRequest.Method? = nil, headers: HTTPFields = [:]
    ) async -> Response {
        let name = name.hasPrefix("/") ? String(name.dropFirst()) : name
        let (usual, target, body) = bridge.request(name, input)
        return await respond(to: Request(method ?? usual, target, headers: headers, body: .init(body)))
    }

    /// Checks what was called, with the words of `POST calls/verify`; waits as long as `seconds` says.
    ///
    /// ```swift
    /// try await gateway.verify(["name": "pay", "when": ["orderNo": 17], "count": 1])
    /// ```
    ///
    /// - Throws: an `HTTPError` that says what was called instead, or what is wrong with the check.
    public func verify(_ check: JSON) async throws {
        let request = Request(
            .post, "/__drawbridge__/calls/verify", headers: [.authorization: "Bearer \(testerToken.text)"],
            body: .init(check.bytes))
        _ = try await respond(to: request).output()
    }
}

extension Response {
    /// The whole answer as JSON: with the envelope, where it has one.
    ///
    /// - Throws: where it is none, or its stream breaks off.
    public func json() async throws -> JSON { try JSON(parsing: await body.collect()) }

    /// The whole answer as text.
    ///
    /// - Throws: where its stream breaks off.
    public func text() async throws -> String { String(decoding: try await body.collect(), as: UTF8.self) }

    /// The output of a success, without the gateway's envelope.
    ///
    /// - Throws: an `HTTPError` with the code and the message of a failure.
    public func output() async throws -> JSON {
        let json = try await json()
        guard let code = json["code"]?.numberValue?.intValue, let message = json["message"]?.stringValue
        else {
            return json
        }
        guard (200...299).contains(code) else {
            throw HTTPError(
                status.kind == .successful ? .badRequest : status, message, code: code, data: json["data"])
        }
        return json["data"] ?? .null
    }

    /// The chunks of a stream as they are written; leaving the loop cancels the stream, as a caller who leaves does.
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
