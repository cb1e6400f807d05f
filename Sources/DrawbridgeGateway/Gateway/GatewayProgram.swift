import Synchronization

/// Settings from the program that runs a gateway; they may change while it serves.
package struct GatewayProgram: Sendable {
    /// What is put into the documents that are loaded from now on; nil leaves documents unchanged.
    package var pageRuntime: PageRuntime?
    /// The file whose settings pages are given, and those that flags have instead; nil if there is none.
    package var pageFile: (name: String, flags: Set<String>)?
    package var secrets = Redaction()
    /// The URL by which programs on this machine reach the gateway, without a final slash; nil if no server listens.
    package var ownAddress: String?
    /// Asks other programs and opens files for replies; nil if replies may use neither.
    package var replySupplier: (any ReplySupplier)?
    /// Saves replies to a file; nil if they cannot be saved.
    package var replyKeeper: (any ReplyKeeper)?
    /// What messages propose for a name that is not answered.
    package var suggestions: Set<Suggestion> = [.handler]
    /// Documents for paths of the gateway: the program's manual, and a JSON Schema with its settings.
    package var documents: [OwnPath: @Sendable () -> [UInt8]] = [:]
    /// Makes the links that admit another device with this ticket, for the tester's API; nil if none can be admitted.
    package var links: (@Sendable (_ ticket: String) -> JSON)?
    /// The names that the command's built-in handlers answer now.
    package var builtIns: Set<String> = []
    /// Names whose built-in handlers are off because there is a file of mocks; `--built-ins` turns them on.
    package var switchedOff: Set<String> = []
    /// Whether health is a 503, because the gateway is about to stop.
    package var isDraining = false

    package enum Suggestion: Sendable {
        case handler
        /// Add a mock, by a flag of the command or in a file.
        case mock
        /// Answer in the inspector; proposed once in a run.
        case inspector
    }

    /// The settings at one moment, in an object, so that reading one of them does not copy all.
    @dynamicMemberLookup
    package final class Snapshot: Sendable {
        let program: GatewayProgram
        // Each request reads it, without the key path.
        package let pageRuntime: PageRuntime?

        init(_ program: GatewayProgram) { (self.program, pageRuntime) = (program, program.pageRuntime) }

        package subscript<Value>(dynamicMember path: KeyPath<GatewayProgram, Value>) -> Value {
            program[keyPath: path]
        }
    }
    final class Live: Sendable {
        private let snapshot: Mutex<Snapshot>

        init(_ program: GatewayProgram) { snapshot = Mutex(Snapshot(program)) }

        var now: Snapshot { snapshot.withLock { $0 } }

        func change<Result>(_ change: (inout GatewayProgram) -> Result) -> Result {
            snapshot.withLock { snapshot in
                var program = snapshot.program
                defer { snapshot = Snapshot(program) }
                return change(&program)
            }
        }
    }
}
