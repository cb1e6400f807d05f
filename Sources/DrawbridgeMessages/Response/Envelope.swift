/// The object in which a page reads an output or an error.
///
/// The gateway has one, `{"code":200,"data":{…},"message":""}`. An app whose pages expect another writes it:
///
/// ```swift
/// struct Errno: Envelope {
///     func success(_ output: JSON?, code: Int, message: String) -> JSON {
///         ["errno": 0, "result": output ?? .null]
///     }
///
///     func failure(_ error: HTTPError) -> JSON {
///         ["errno": .number(.init(error.code)), "errmsg": .string(error.message)]
///     }
/// }
///
/// let gateway = Gateway(answers: .envelope(Errno()))
/// ```
public protocol Envelope: Sendable {
    /// The object for an output.
    ///
    /// - Parameters:
    ///   - output: what the handler answered; nil if that is nothing.
    ///   - code: the status that the handler chose, 200 as a rule.
    ///   - message: a text for the person at the page, usually `""`.
    func success(_ output: JSON?, code: Int, message: String) -> JSON

    /// The object for an error of a handler, and for a name that nothing answers.
    func failure(_ error: HTTPError) -> JSON
}

/// The form of the answers to requests with `_mobile_bridge=1` and to `__jsbridge__`.
public struct AnswerForm: Sendable {
    /// An envelope with HTTP 200 whatever its code, and `text/json`, as pages that were written for an app expect it.
    public static let envelope = AnswerForm(object: .usual, hasStatus: false)
    /// An envelope with the true HTTP status, and `application/json`.
    public static let http = AnswerForm(object: .usual, hasStatus: true)
    /// The output without an envelope, for apps whose outputs contain their own; errors as with ``http``.
    public static let bare = AnswerForm(object: .none, hasStatus: true)

    /// An envelope that the app defines.
    ///
    /// - Parameters:
    ///   - envelope: makes the JSON objects.
    ///   - hasStatus: whether an answer has its true HTTP status and `application/json`, as with ``http``.
    public static func envelope(_ envelope: any Envelope, hasStatus: Bool = false) -> AnswerForm {
        AnswerForm(object: .own(envelope), hasStatus: hasStatus)
    }

    private enum Object {
        case usual, none
        case own(any Envelope)
    }

    private let object: Object
    package let hasStatus: Bool

    /// The body for an output; `null` counts as no output.
    package func success(_ output: [UInt8], code: Int, message: String = "") -> [UInt8] {
        switch object {
        case .usual: UsualEnvelope.success(output, code: code, message: message)
        case .none: output.isEmpty ? JSON.null.bytes : output
        case .own(let envelope):
            envelope.success(
                (try? JSON(parsing: output)).flatMap { $0.isNull ? nil : $0 }, code: code, message: message
            ).bytes
        }
    }

    package func failure(_ error: HTTPError) -> [UInt8] {
        if case .own(let envelope) = object {
            envelope.failure(error).bytes
        } else {
            UsualEnvelope.failure(error)
        }
    }
}

/// The gateway's own envelope, written by hand: a general encoder would cost more than all the rest of a small request.
package enum UsualEnvelope {
    private static let null = Array("null".utf8)
    private static let noMessage = Array("\"\"".utf8)

    /// The object for an output; `null` is not an output and leaves `data` out.
    package static func success(_ output: [UInt8], code: Int = 200, message: String = "") -> [UInt8] {
        let message = message.isEmpty ? noMessage : JSON.string(message).bytes
        return Array(unsafeUninitializedCapacity: output.count + message.count + 60) { buffer, count in
            var writer = ByteWriter(buffer)
            writer.write(#"{"code":"#)
            if code < 0 { writer.write("-") }
            writer.write(UInt64(code.magnitude))
            if !output.isEmpty, output != Self.null {
                writer.write(#","data":"#)
                output.withUnsafeBufferPointer { writer.write($0) }
            }
            writer.write(#","message":"#)
            message.withUnsafeBufferPointer { writer.write($0) }
            writer.write("}")
            count = writer.count
        }
    }

    package static func failure(_ error: HTTPError) -> [UInt8] {
        var object: JSON.Object = ["code": .number(error.code), "message": .string(error.message)]
        object["data"] = error.data
        return JSON.object(object).bytes
    }
}
