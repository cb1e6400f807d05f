/// A swift-log handler that writes to the same output as the access log: `12:04:31 warning: …  request=abc-1`.
///
/// ```swift
/// LoggingSystem.bootstrap { _ in LineLogHandler() }
/// ```
///
/// In text, an error follows the message as `error=…`; in JSON it is the member `error`. In JSON, metadata with the
/// name of a member is prefixed: `metadata.message`.
public struct LineLogHandler: LogHandler {
    /// Metadata that is added to every line.
    public var metadata: Logger.Metadata = [:]
    /// Messages below this level are dropped.
    public var logLevel: Logger.Level

    private let writer: LogWriter
    private let secrets: Redaction

    /// The format of all lines on standard error, those of the access log too; text by default.
    public static var format: LogFormat {
        get { LogWriter.standardError.format }
        set { LogWriter.standardError.format = newValue }
    }

    /// Logs to standard error, and never blocks the caller.
    public init(level: Logger.Level = .info) { self.init(.standardError, level: level) }

    package init(_ writer: LogWriter, level: Logger.Level = .info, without secrets: Redaction = .usual) {
        self.writer = writer
        self.secrets = secrets
        logLevel = level
    }

    /// One entry of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message as one line.
    public func log(event: LogEvent) {
        let message = secrets.removed(fromText: "\(event.message)")
        let failure = event.error.map { secrets.removed(fromText: "\($0)") }
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        switch writer.format {
        case .text:
            let error = failure.map { "  error=\($0)" } ?? ""
            let tail = all.map { "  \($0.key)=\($0.value)" }.joined()
            let kind: LineKind =
                event.level < .warning ? .plain : event.level == .warning ? .warning : .error
            writer.write("\(event.level): \(message)\(error)\(tail)", as: kind)
        case .json:
            var members: JSON.Object = [
                "level": .string(event.level.rawValue), "message": .string(message),
            ]
            members["error"] = failure.map(JSON.string)
            for (name, value) in all {
                let isTaken = name == "time" || members[name] != nil
                members[isTaken ? "metadata.\(name)" : name] = .string("\(value)")
            }
            writer.write(members)
        }
    }
}
