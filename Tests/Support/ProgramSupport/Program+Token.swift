import TestSupport

extension Program {
    /// What opens the list of pages, as the banner has it.
    package func testerToken() async throws -> String {
        let line = try await line(with: "/__drawbridge__/pages")
        guard let token = line.firstMatch(of: /[0-9a-f]{32}/) else { throw Ended(output: output) }
        return String(token.output)
    }
}
