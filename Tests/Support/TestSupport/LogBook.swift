package import Logging

/// Keeps what is logged: each message behind its level.
package final class LogBook: Sendable {
    private let notes = Notebook()
    private let level: Logger.Level

    package init(from level: Logger.Level = .info) { self.level = level }

    package var entries: [String] { notes.entries }

    package var logger: Logger {
        Logger(label: "test") { [notes, level] _ in Writer(notes: notes, logLevel: level) }
    }

    private struct Writer: LogHandler {
        let notes: Notebook
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { notes.note("\(event.level): \(event.message)") }
    }
}
