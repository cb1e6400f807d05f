import Drawbridge

/// Calls back the page that asks, one time after the other, and answers the milliseconds of each.
struct Trips: JSONHandler {
    struct Input: Decodable {
        var name: String
        var count: Int
    }

    let request: Request

    func handle(_ input: Input) async throws -> [Double] {
        guard let page = request.page else { throw HTTPError(.badRequest, "this is for pages") }
        var times: [Double] = []
        for _ in 0..<input.count {
            let began = ContinuousClock.now
            _ = try await page.call(input.name)
            times.append(began.duration(to: .now) / .milliseconds(1))
        }
        return times
    }
}

/// Answers the number that it got.
struct Same: JSONHandler {
    func handle(_ input: Int) async throws -> Int { input }
}

/// Says how many pages there are.
struct PageCount: Handler {
    let pages: Pages

    func handle(_ request: Request) async throws -> Response {
        Response(text: "\(pages.all.count)")
    }
}
