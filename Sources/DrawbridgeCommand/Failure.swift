import Dispatch
import DrawbridgeServer

/// Why the command cannot do what it is asked: one line that says what and what to do.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Writes an error to standard error and waits until it is out, at most 3 seconds: mostly the process ends next.
func complain(_ message: String) {
    switch LogWriter.standardError.format {
    case .text: LogWriter.standardError.say(["\(Command.program.name): \(message)"], within: .seconds(3))
    case .json:
        LogWriter.standardError.write(message, as: .error)
        LogWriter.standardError.flush(within: .seconds(3))
    }
}
