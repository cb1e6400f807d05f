public import Logging

/// Writes what swift-log is given as lines among those of the access log: `12:04:31 warning: …  request=abc-1`.
///
/// ```swift
/// LoggingSystem.bootstrap { _ in LineLogHandler(.standardError) }
/// ```
public struct LineLogHandler: LogHandler {
    /// What every line carries.
    public var metadata: Logger.Metadata = [:]
    /// Lines below this level are left out.
    public var logLevel = Logger.Level.info

    private let writer: LogWriter

    /// Hands its lines to a writer, which never makes the caller wait.
    public init(_ writer: LogWriter) { self.writer = writer }

    /// One value of what every line carries.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    public func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let tail = all.sorted { $0.key < $1.key }.map { "  \($0.key)=\($0.value)" }.joined()
        writer.write("\(event.level): \(event.message)\(tail)")
    }
}
