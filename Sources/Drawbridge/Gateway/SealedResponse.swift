package import HTTPTypes

/// An answer, and the header fields that the gateway adds to it.
///
/// These are apart because an engine can send them as they are, and putting them in among the others costs more than
/// all the rest of a small answer.
///
/// Whoever makes one finishes it before anybody else sees it; from then on it is only read: that makes it Sendable.
package final class SealedResponse: @unchecked Sendable {
    @exclusivity(unchecked) package internal(set) var response: Response

    /// Fields that are the same in every such answer.
    @exclusivity(unchecked) package private(set) var constant: [HTTPField] = []
    /// How long the handler took.
    @exclusivity(unchecked) package internal(set) var timing: HTTPField?
    @exclusivity(unchecked) package internal(set) var requestID: HTTPField?

    package init(_ response: Response) { self.response = response }

    /// Gives the answer fields in place of those that it has under their names.
    func set(_ constant: [HTTPField]) {
        self.constant = constant
        if !response.headers.isEmpty { for field in constant { remove(field.name) } }
    }

    /// Gives the answer the id of its request.
    func set(requestID: String) {
        self.requestID = HTTPField(name: .requestID, value: requestID)
        if !response.headers.isEmpty { remove(.requestID) }
    }

    private func remove(_ name: HTTPField.Name) {
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
