import Drawbridge

/// Draws a number, waits a moment, and answers with it.
struct Turn: JSONHandler {
    private actor Numbers {
        private var last = 0

        func next() -> Int {
            last += 1
            return last
        }
    }

    private static let numbers = Numbers()

    func handle(_ input: Nothing) async throws -> Int {
        let number = await Self.numbers.next()
        try await Task.sleep(for: .milliseconds(1))
        return number
    }
}
