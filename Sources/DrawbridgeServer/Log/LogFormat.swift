/// How the log is written.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LogFormat: String, Sendable, CaseIterable {
    /// Lines for people: `12:04:31 GET /echo  handler EchoHandler  200  3 ms  184 B  request=abc-1`.
    case text
    /// One JSON object in each line, for programs.
    case json
}
