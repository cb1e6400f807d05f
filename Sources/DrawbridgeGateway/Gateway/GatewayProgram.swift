package import DrawbridgeJSON
package import DrawbridgeMessages
package import DrawbridgeMocks

/// What the program around a gateway tells it, before it serves and while it does.
package struct GatewayProgram: Sendable {
    package var secrets = Redaction()
    /// The URL by which programs on this machine reach it, without a slash at the end; nil where it does not listen.
    package var ownAddress: String?
    /// Supplies replies with the answers of programs and with files; nil where nothing does.
    package var replySupplier: (any ReplySupplier)?
    /// Writes replies into a file; nil where nothing does.
    package var replyKeeper: (any ReplyKeeper)?
    /// The ways to have a name answered that messages propose.
    package var suggestions: Set<Suggestion> = [.handler]
    /// What the program has for paths of the gateway: its manual, and a JSON Schema with its settings.
    package var documents: [OwnPath: @Sendable () -> [UInt8]] = [:]
    /// Knows how other devices come in: the links with a ticket, as the tester's API has them; nil where none can.
    package var links: (@Sendable (_ ticket: String) -> JSON)?
    /// The names that the command's own handlers answer now.
    package var builtIns: Set<String> = []
    /// The names that `--built-ins` would answer, which a file of mocks has switched off.
    package var switchedOff: Set<String> = []

    package enum Suggestion: Sendable {
        /// In code.
        case handler
        /// By a flag of the command's, or a file.
        case mock
        /// By a person, to whom it is said once.
        case inspector
    }

    /// All of it at one time.
    @dynamicMemberLookup
    package final class Snapshot: Sendable {
        let program: GatewayProgram

        init(_ program: GatewayProgram) { self.program = program }

        package subscript<Value>(dynamicMember path: KeyPath<GatewayProgram, Value>) -> Value {
            program[keyPath: path]
        }
    }
}
