import Drawbridge
import TestSupport
import Testing

/// What a link to the inspector lets in, and how its page asks.
struct InspectorVisit {
    let origin: String
    let secret: String

    /// - Parameter line: a line with a link, that of the banner for instance.
    init(_ line: String) async throws {
        let link = try #require(line.split(separator: " ").first { $0.hasPrefix("http://i-") })
        let parts = link.split(separator: "#")
        origin = String(parts[0].dropLast())
        let answer = try await curl("-d", #"{"ticket":"\#(parts[1])"}"#, "\(origin)/ticket")
        secret = try #require(JSON(parsing: Array(answer.utf8))["secret"]?.stringValue, "\(answer)")
    }

    func save(_ name: String, _ reply: String) async throws -> String {
        try await post("replies/save", #"{"name":"\#(name)","reply":\#(reply)}"#)
    }

    /// Posts something below `/__drawbridge__/`, from the inspector's own origin.
    func post(_ path: String, _ body: String) async throws -> String {
        try await curl(
            "-H", "Authorization: Bearer \(secret)", "-H", "Origin: \(origin)",
            "-H", "Content-Type: application/json", "-d", body, "\(origin)/__drawbridge__/\(path)")
    }

    /// Follows what the inspector's page follows.
    func follow() throws -> Program {
        try Program(
            "curl",
            [
                "-sSN", "--max-time", "290", "-H", "Authorization: Bearer \(secret)",
                "\(origin)/__drawbridge__/calls/events?session=*&kind=call,push,page,request,notice&secrets=1",
            ])
    }
}
