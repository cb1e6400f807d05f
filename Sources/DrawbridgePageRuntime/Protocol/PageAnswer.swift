#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The result of a page's call to native: a value or an error.
package struct PageAnswer: Sendable {
    /// The value as JSON text; `null` if there is none.
    package private(set) var value = Self.null
    package private(set) var error: HTTPError?
    /// Whether the call is never answered (`$silence`).
    package private(set) var isSilent = false
    package private(set) var afterwards: (@Sendable () -> Void)?
    /// What to do about a name that has no handler; nil if the name has one.
    package var hint: String?
    package private(set) var isRefusedInput = false

    package var isMissing: Bool { hint != nil }

    package static let null = Array("null".utf8)

    package init(value: [UInt8] = Self.null, error: HTTPError? = nil) {
        (self.value, self.error) = (value, error)
    }

    package static func message(_ id: Int, _ answer: PageAnswer, isLast: Bool = true) -> [UInt8] {
        var text = Array(#"{"reply":\#(id),"#.utf8)
        text += answer.member
        if !isLast { text += #","more":true"#.utf8 }
        text.append(UInt8(ascii: "}"))
        return text
    }

    package var member: [UInt8] {
        if let error {
            // Some bridges treat a missing handler differently from a handler that fails with 400.
            let missing = isMissing ? #","missing":true"# : ""
            return Array(#""error":"#.utf8) + UsualEnvelope.failure(error) + Array(missing.utf8)
        }
        return Array(#""value":"#.utf8) + (value.isEmpty ? Self.null : value)
    }

    /// Converts a response for a script that did not use HTTP (contract, the first rule): the bare output, text as a
    /// string, bytes as base64, an empty body as `null`.
    ///
    /// - Parameter asText: whether the page wants the body as text, of whatever type it is.
    package init(_ response: Response, asText: Bool = false) async {
        isSilent = response.isSilent
        afterwards = response.afterwards
        isRefusedInput = response.refusal != nil && response.answeredBy?.hasPrefix("handler") == true
        let header = response.answeredBy == Response.noHandler ? response.headers[.hint] : nil
        hint = header.map { Percent.decode($0[...].utf8) ?? $0 }
        do {
            if case .output(let output) = response.body.content {
                value = output
                return
            }
            let bytes = try await response.body.collect()
            if asText {
                value = JSON.string(String(decoding: bytes, as: UTF8.self)).bytes
            } else if response.code != nil || response.status.kind == .clientError
                || response.status.kind == .serverError
            {
                error = Self.error(response, bytes)
            } else if !bytes.isEmpty {
                value = JSON.string(Self.text(bytes, response.headers[.contentType] ?? "")).bytes
            }
        } catch {
            self.error =
                error as? HTTPError ?? HTTPError(.internalServerError, "the answer ended too early")
        }
    }

    private static func error(_ response: Response, _ body: [UInt8]) -> HTTPError {
        let envelope = try? JSON(parsing: body)
        return HTTPError(
            response.status,
            envelope?["message"]?.stringValue ?? String(decoding: body, as: UTF8.self).cut(to: 200),
            code: response.code ?? envelope?["code"]?.numberValue?.intValue, data: envelope?["data"])
    }

    package static func text(_ bytes: [UInt8], _ type: String) -> String {
        let isText = type.isEmpty || type.hasPrefix("text/") || type.contains("json") || type.contains("xml")
        if isText, let text = String(validating: bytes, as: UTF8.self) { return text }
        return Data(bytes).base64EncodedString()
    }
}
