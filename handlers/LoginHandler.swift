public import Drawbridge

/// Logs a user in and answers with a token for the session.
///
/// The page names the user, or the person at the app is asked.
///
/// ```
/// curl -d '{"action":"login","data":{"user":"ann"}}' http://127.0.0.1:8080/__jsbridge__
/// ```
public struct LoginHandler: JSONHandler {
    /// Who logs in.
    public struct Input: Decodable, Sendable {
        var user: String?
    }

    /// Who is logged in.
    public struct Output: Codable, Sendable {
        /// The user's name.
        public var user: String
        /// 128 random bits in hexadecimal digits.
        public var token: String
    }

    /// A person may take their time.
    public static var deadline: Duration? { nil }

    private let request: Request

    /// Made for each request.
    public init(request: Request) { self.request = request }

    /// Issues the token.
    ///
    /// - Throws: a 401 when there is no user.
    public func handle(_ input: Input) async throws -> Output {
        var user = input.user
        if user == nil { user = try await askedUser() }
        guard let user, !user.isEmpty else {
            throw HTTPError(.unauthorized, "nobody logged in: the page named no user, and no person did")
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
        let question = Question("login", title: "Log in", fields: ["user"])
        return try await request.present(question)?["user"]?.stringValue
    }
}
