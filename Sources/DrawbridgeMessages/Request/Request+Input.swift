extension Request {
    /// Reads the input: query and body together, as JSON or as a form; the body wins (contract, rule 2).
    ///
    /// A body that begins with `{`, `[` or `"`, or says that it is JSON, is JSON, and so is a number, `true`, `false`
    /// or `null` that does not say it is a form. A form says so, or is plain text with a `=`; any other body is a string.
    /// No input and `null` are the same, and fit every type whose fields are all optional. ``parameters`` are members of
    /// it too, as text that may be a number.
    ///
    /// - Throws: a 400 that names the wrong value and its place, for instance `items[2].price: expected a number, got
    ///   the string "abc"`; a 400 if query or body contradict the path, or for a body that is not UTF-8; a 415 for a
    ///   compressed body and for a form of several parts.
    public func input<T: Decodable & Sendable>(as type: T.Type = T.self) async throws -> T {
        if let bytes = promptBody(for: type) { return try decodeInput(bytes) }
        let bytes =
            if let bytes = body.bytes { bytes } else { try await body.collect(upTo: Body.usualLimit) }
        return try await Apart.perform(where: bytes.count > Self.largeBody) { try decodeInput(bytes) }
    }

    /// The path parameter of this name, for a handler that streams its body.
    ///
    /// - Throws: a 400 if the text is not such a value.
    public func parameter<Value: LosslessStringConvertible>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        let text = parameters[name] ?? ""
        if let value = Value(text) { return value }
        throw HTTPError(.badRequest, "\(name): \(JSON.string(text)) is not of the type \(type)")
    }

    /// The body, if it is collected and small enough to be decoded at once; else nil.
    package func promptBody(for type: any Any.Type) -> [UInt8]? {
        if bridgeInput != nil || type == Nothing.self { return [] }
        guard let bytes = body.bytes, bytes.count <= Self.largeBody else { return nil }
        return bytes
    }

    /// Whether the body is so large that it is decoded off the loop; the input of a channel call was parsed already.
    package var hasLargeInput: Bool { (body.count ?? 0) > Self.largeBody }

    private static let largeBody = 64 << 10

    package func tape(of bytes: [UInt8]) throws -> JSONTape {
        let tape = try bridgeInput.map { try JSONTape($0) } ?? sent(bytes)
        if target.withBytes({ $0.contains(UInt8(ascii: "?")) }) { tape.add(query) }
        return tape
    }

    /// Decodes the input of a body, ``promptBody(for:)`` or a larger one.
    package func decodeInput<T: Decodable>(_ bytes: [UInt8]) throws -> T {
        if T.self == Nothing.self { return identity(Nothing(), as: T.self) }
        var tape = try tape(of: bytes)
        defer { JSONTape.giveBack(&tape) }
        if !parameters.isEmpty { try tape.add(parameters) }
        do {
            if tape[0].kind == .null { return try Self.decodeNothing() }
            return try tape.decode(T.self)
        } catch let error as DecodingError {
            throw HTTPError(.badRequest, error.explanation)
        }
    }

    private static func decodeNothing<T: Decodable>() throws -> T {
        if let value = try? JSON.null.decode(T.self) { return value }
        do {
            return try JSON.object([:]).decode(T.self)
        } catch let error as DecodingError {
            throw HTTPError(.badRequest, "no input was sent, and it is needed: \(error.explanation)")
        }
    }
}

// The one reading of what a page sends in a body.
extension Request {
    /// Reads the body that a page sent; `null` for an empty one.
    private func sent(_ body: [UInt8]) throws -> JSONTape {
        guard let first = body.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }) else {
            return JSONTape()
        }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): return try json(body)
        // A byte order mark.
        case 0xEF where body.starts(with: [0xEF, 0xBB, 0xBF]): return try sent(Array(body.dropFirst(3)))
        default: return try scalarOrText(body)
        }
    }

    private func json(_ body: [UInt8]) throws -> JSONTape {
        do {
            return try .reused(parsing: body)
        } catch {
            throw unreadable("the body is not JSON: \(error)")
        }
    }

    private func scalarOrText(_ body: [UInt8]) throws -> JSONTape {
        let type = headers[.contentType]?.lowercased() ?? ""
        if type.contains("json") { return try json(body) }
        guard !type.hasPrefix("multipart/") else {
            throw HTTPError(
                .unsupportedMediaType, "the body has several parts; send JSON, or a form as name=value&…")
        }
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        if !isForm, let scalar = try? JSONTape(parsing: body) { return scalar }
        guard let text = String(validating: body, as: UTF8.self) else {
            throw unreadable("the body is not UTF-8, whatever its Content-Type says")
        }
        let mayBeForm = type.isEmpty || type.hasPrefix("text/plain")
        guard isForm || mayBeForm && body.contains(UInt8(ascii: "=")) else {
            return try JSONTape(.string(text))
        }
        let tape = JSONTape()
        tape.add(Query(text))
        return tape
    }

    /// The 415 of a compressed body, or the 400 that says why another cannot be read.
    private func unreadable(_ why: String) -> HTTPError {
        let coding = headers.value(.contentEncoding)?.cut(to: 40) ?? "identity"
        guard coding.lowercased() != "identity" else { return HTTPError(.badRequest, why) }
        let message = "the body is compressed (Content-Encoding: \(coding)); send it uncompressed"
        return HTTPError(.unsupportedMediaType, message, headers: [.acceptEncoding: "identity"])
    }
}

extension JSONTape {
    /// Adds items to an object under names that are not taken yet; a repeated item is an array.
    fileprivate func add(_ query: Query) {
        guard self[0].kind == .object || self[0].kind == .null else { return }
        var added: [(name: String, values: [String])] = []
        var positions: [JSON.Bytewise: Int] = [:]
        for item in query where member(item.name, of: 0) == nil {
            if let position = positions[JSON.Bytewise(item.name)] {
                added[position].values.append(item.value)
            } else {
                positions[JSON.Bytewise(item.name)] = added.count
                added.append((item.name, [item.value]))
            }
        }
        for (name, values) in added { add(values, named: name) }
    }
    /// Adds path parameters to an object, except those that it has with the same value.
    ///
    /// - Throws: a 400 where it has another value: access was granted for what the path says.
    fileprivate func add(_ parameters: [String: String]) throws {
        guard self[0].kind == .object || self[0].kind == .null else { return }
        for (name, value) in parameters where name != "*" {
            guard let place = member(name, of: 0) else {
                add([value], named: name)
                continue
            }
            let entry = self[place]
            guard entry.kind == .string || entry.kind == .number, string(entry) == value else {
                throw HTTPError(
                    .badRequest, "\(name): the path says \(JSON.string(value)), and the input something else")
            }
        }
    }
}
