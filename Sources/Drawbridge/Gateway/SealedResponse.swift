package import HTTPTypes

/// An answer, and the header fields that the gateway adds to it.
///
/// These are apart because an engine can send them as they are, and putting them in among the others costs more than
/// all the rest of a small answer.
package struct SealedResponse: Sendable {
    package var response: Response

    /// Fields that are the same in every such answer.
    package private(set) var constant: [HTTPField] = []
    /// How long the handler took.
    package var timing: HTTPField?
    package var requestID: HTTPField?

    package init(_ response: Response) { self.response = response }

    /// Gives the answer fields in place of those that it has under their names.
    mutating func set(_ constant: [HTTPField]) {
        self.constant = constant
        if !response.headers.isEmpty { for field in constant { remove(field.name) } }
    }

    /// Gives the answer the id of its request.
    mutating func set(requestID: String) {
        self.requestID = HTTPField(name: .requestID, value: requestID)
        if !response.headers.isEmpty { remove(.requestID) }
    }

    private mutating func remove(_ name: HTTPField.Name) {
        if response.headers.contains(name) { response.headers[name] = nil }
    }

    /// The answer with all its fields.
    package var whole: Response {
        var whole = response
        for field in constant { whole.headers.append(field) }
        if let requestID { whole.headers.append(requestID) }
        if let timing { whole.headers.append(timing) }
        return whole
    }
}
