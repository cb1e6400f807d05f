import Drawbridge

/// Logs a user in and answers with a random token for the session.
///
/// The page names the user; if it does not, the person who uses the app is asked.
///
/// ```
/// curl -d '{"action":"login","data":{"user":"ann"}}' http://127.0.0.1:8080/__jsbridge__
/// ```
public struct LoginHandler: JSONHandler {
    /// The user's name; without it, a person is asked.
    public struct Input: Decodable, Sendable {
        var user: String?
    }

    /// The user who is now logged in, and the token.
    public struct Output: Codable, Sendable {
        /// The user's name.
        public var user: String
        /// 128 random bits as hexadecimal digits.
        public var token: String
    }

    /// A person may take their time.
    public static let options = HandlerOptions(deadline: nil)

    private let request: Request

    /// Makes a handler for a request.
    public init(request: Request) { self.request = request }

    /// Asks for the user's name if there is none, and returns a new token.
    ///
    /// - Throws: an `HTTPError` 401 if there is no name, because the question was cancelled or the name is empty.
    public func handle(_ input: Input) async throws -> Output {
        var user = input.user
        if user == nil { user = try await askedUser() }
        guard let user, !user.isEmpty else {
            throw HTTPError(.unauthorized, "nobody logged in: neither the page nor a person gave a user name")
        }
        return Output(user: user, token: Self.randomToken())
    }

    private static func randomToken() -> String {
        (0..<16).map { _ in
            let byte = String(UInt8.random(in: .min ... .max), radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined()
    }

    private func askedUser() async throws -> String? {
        let question = Question("login", title: "Log in", fields: ["user"], overPage: true)
        return try await request.present(question)?["user"]?.stringValue
    }
}
