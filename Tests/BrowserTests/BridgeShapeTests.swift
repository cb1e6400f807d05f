import TestSupport
import Testing

/// The same pages in every shape that pages come in.
@Suite("Bridges in pages of every shape", .serialized, .timeLimit(.minutes(5))) struct BridgeShapeTests {
    private static let shapes = Shape.allCases.flatMap { shape in
        shape.pages.prefix(Browser.isThorough ? .max : 2).map { (shape, $0) }
    }

    @Test(arguments: Browser.installed, shapes)
    func bridgesWorkInPagesOfEveryShape(_ browser: Browser, _ page: (shape: Shape, name: String)) async throws
    {
        try await BridgeSite.expectNoFailure("\(page.shape.rawValue)/\(page.name).html", in: browser)
    }
}
