// A `__jsbridge__` request without a path: the body names the handler.
extension Gateway {
    /// Reads `{"action": …, "data": …}` and gives the request of the handler at `/<action>`, with `data` as its input.
    ///
    /// The same may be in the query, as the iframe form of the bridge sends it.
    func named(_ plain: Request) async throws -> Request {
        guard plain.isNamedByAction else { return plain }
        var request = plain
        request.isNamedByAction = false
        let call = try await request.input(as: Call.self)
        guard let action = call.action, !action.isEmpty else {
            throw HTTPError(
                .badRequest,
                #"the call names no action: send {"action":"login","data":…}, or post to /__jsbridge__/login"#
            )
        }
        // In a query or a form, every item other than `action` and `data` is a member of the input.
        let isJSON = request.body.bytes?.first { 0x21..<0x80 ~= $0 } == UInt8(ascii: "{")
        var query = request.query
        var form = Query(isJSON ? "" : String(decoding: request.body.bytes ?? [], as: UTF8.self))
        form["action"] = nil
        form["data"] = nil
        request.body = Request.Body(form.text)
        if let data = call.data {
            // In a query or a form it is text, which is read as JSON if it is JSON.
            let text = isJSON && query["data"] == nil ? nil : data.stringValue
            request.bridgeInput = text.flatMap { try? JSON(parsing: Array($0.utf8)) } ?? data
        } else if form.isEmpty {
            request.bridgeInput = JSON.null
        }
        query["action"] = nil
        query["data"] = nil
        request.query = query
        // An action is a plain name, so it is percent-encoded before it becomes a path.
        let name = action.hasPrefix("/") ? String(action.dropFirst()) : action
        request.path = "/" + Percent.encode(name, keeping: "/")
        return request
    }

    private struct Call: Decodable, Sendable {
        var action: String?
        var data: JSON?
    }
}
