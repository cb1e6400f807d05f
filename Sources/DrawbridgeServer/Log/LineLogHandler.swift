import Drawbridge
public import Logging

/// Writes what swift-log is given among the lines of the access log: `12:04:31 warning: …  request=abc-1`.
///
/// ```swift
/// LoggingSystem.bootstrap { _ in LineLogHandler() }
/// ```
///
/// An error that is logged is behind the message, as `error=…`, or is the member `error` of a line of JSON. There,
/// metadata with the name of one of the line's own members is called `metadata.message`.
public struct LineLogHandler: LogHandler {
    /// What every line carries.
    public var metadata: Logger.Metadata = [:]
    /// Lines below this level are left out.
    public var logLevel: Logger.Level

    private let writer: LogWriter

    /// Hands its lines to a writer, which never makes the caller wait.
    public init(_ writer: LogWriter = .standardError, level: Logger.Level = .info) {
        self.writer = writer
        logLevel = level
    }

    /// One value of what every line carries.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    public func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        switch writer.format {
        case .text:
            let error = event.error.map { "  error=\($0)" } ?? ""
            let tail = all.map { "  \($0.key)=\($0.value)" }.joined()
            let kind: LineKind =
                event.level < .warning ? .plain : event.level == .warning ? .warning : .error
            writer.write("\(event.level): \(event.message)\(error)\(tail)", as: kind)
        case .json:
            var members: JSON.Object = [
                "level": .string(event.level.rawValue), "message": .string("\(event.message)"),
            ]
            if let error = event.error { members["error"] = .string("\(error)") }
            for (name, value) in all {
                let isTaken = name == "time" || members[name] != nil
                members[isTaken ? "metadata.\(name)" : name] = .string("\(value)")
            }
            writer.write(members)
        }
    }
}
