import TestSupport
import Testing

/// The same pages in every shape that pages come in.
@Suite("Doors in pages of every shape", .serialized, .timeLimit(.minutes(3))) struct DoorShapeTests {
    private static let shapes = Shape.allCases.flatMap { shape in
        shape.doors.prefix(Browser.isThorough ? .max : 2).map { (shape, $0) }
    }

    @Test(arguments: Browser.installed, shapes)
    func doorsWorkInPagesOfEveryShape(_ browser: Browser, _ page: (shape: Shape, door: String)) async throws {
        try await DoorSite.expectNoFailure("\(page.shape.rawValue)/\(page.door).html", in: browser)
    }
}
