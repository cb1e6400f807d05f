import Dispatch

/// An error for the user: one line with the reason and what to do.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Writes an error to standard error and waits at most 3 seconds for that, because usually the process exits.
func complain(_ message: String) {
    switch LogWriter.standardError.format {
    case .text: LogWriter.standardError.say(["\(Command.program.name): \(message)"], within: .seconds(3))
    case .json:
        LogWriter.standardError.write(message, as: .error)
        LogWriter.standardError.flush(within: .seconds(3))
    }
}
