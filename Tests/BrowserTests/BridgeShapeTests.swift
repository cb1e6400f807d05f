import TestSupport
import Testing

/// The same pages in every shape that pages come in.
@Suite("Bridges in pages of every shape", .serialized, .timeLimit(.minutes(8))) struct BridgeShapeTests {
    private static let shapes = Shape.allCases.flatMap { shape in
        shape.pages.prefix(Browser.isThorough ? .max : 1).map { "\(shape.rawValue)/\($0).html" }
    }

    @Test(arguments: Browser.tried) func bridgesWorkHoweverAPageIsLoadedAndRestricted(_ browser: Browser)
        async throws
    {
        try await BridgeSite.expectNoFailure(Self.shapes, in: browser)
    }
}
