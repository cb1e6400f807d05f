import HTTPTypes

extension Request {
    /// Reads the input: query and body together, as JSON or as a form; the body wins (contract, rule 2).
    ///
    /// A body that begins with `{`, `[` or `"`, or says that it is JSON, is JSON, and so is a number, `true`, `false` or
    /// `null` that does not say it is a form; any other is a form. No input and `null` are the same, and fit every type
    /// whose fields are all optional.
    ///
    /// - Throws: a 400 that names what does not fit and where, for instance `items[2].price: expected a number, got
    ///   the string "abc"`; a 415 for a form of several parts.
    public func input<T: Decodable & Sendable>(as type: T.Type = T.self) async throws -> T {
        if T.self == Nothing.self, let nothing = Nothing() as? T { return nothing }
        let bytes = doorInput == nil ? try await collectedBody() : []
        guard bytes.count > Self.largeBody else { return try decodeInput(bytes) }
        // A megabyte of JSON takes some 20 milliseconds, which no other request on this loop should wait for.
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await decodeApart(bytes) }
    }

    /// More bytes than this are decoded away from the loop.
    private static let largeBody = 64 << 10

    private func collectedBody() async throws -> [UInt8] {
        if let bytes = body.bytes { return bytes }
        return try await body.collect(upTo: Gateway.defaultBodyLimit)
    }

    @concurrent
    private func decodeApart<T: Decodable & Sendable>(_ bytes: [UInt8]) async throws -> T {
        try decodeInput(bytes)
    }

    private func decodeInput<T: Decodable>(_ bytes: [UInt8]) throws -> T {
        var input = try doorInput.map { Input(value: $0) } ?? Input(body: bytes, type: headers[.contentType])
        input.add(query)
        do {
            guard let value = input.value, value != .null else { return try Self.decodeNothing() }
            return try value.decode(T.self, textMembers: input.textMembers)
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

/// What a page sent, put together from body and query.
private struct Input {
    var value: JSON?
    /// The members that came as text and so may stand for numbers, dates and booleans.
    var textMembers: Set<String> = []

    init(value: JSON) { self.value = value }

    init(body: [UInt8], type: String?) throws {
        let type = type?.lowercased() ?? ""
        guard let first = body.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
        let isJSON = "{[\"".utf8.contains(first) || first == 0xEF || type.contains("json")
        if isJSON {
            do {
                value = try JSON(parsing: body)
            } catch {
                throw HTTPError(.badRequest, "the body is no JSON: \(error)")
            }
        } else if type.hasPrefix("multipart/") {
            throw HTTPError(
                .unsupportedMediaType, "the body has several parts; send JSON, or a form as name=value&…")
        } else if !type.hasPrefix("application/x-www-form-urlencoded"), let scalar = try? JSON(parsing: body)
        {
            value = scalar
        } else {
            guard let text = String(validating: body, as: UTF8.self) else {
                throw HTTPError(.badRequest, "the body is no UTF-8; send JSON, or a form as name=value&…")
            }
            add(Query(text))
        }
    }

    /// Adds items under names that are not taken yet; a repeated item is an array.
    mutating func add(_ query: Query) {
        guard !query.isEmpty else { return }
        var object = JSON.Object()
        switch value {
        case .object(let members): object = members
        case nil, .null: break
        default: return
        }
        var added: [String: [String]] = [:]
        var order: [String] = []
        for item in query where object[item.name] == nil {
            if added[item.name] == nil { order.append(item.name) }
            added[item.name, default: []].append(item.value)
        }
        for name in order {
            let values = added[name] ?? []
            object[name] = values.count == 1 ? .string(values[0]) : .array(values.map { .string($0) })
            textMembers.insert(name)
        }
        value = .object(object)
    }
}
