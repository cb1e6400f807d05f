#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An error whose `localizedDescription` is the sentence that describes it.
///
/// Errors of modules that import no Foundation conform here, and those of the engine in DrawbridgeServer.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The error as a sentence, which is its `localizedDescription`.
    public var errorDescription: String? { description }
}

extension HTTPError: DescribedError {
    /// The message, without the code.
    public var errorDescription: String? { message }
}

extension AnswerError: DescribedError {}
extension BridgeScript.ScriptError: DescribedError {}
extension JSON.ParseError: DescribedError {}
extension Journal.CallError: DescribedError {}
extension PageError: DescribedError {}
extension RegistrationError: DescribedError {}
extension ReplyFault: DescribedError {}
