import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

@Suite("The nearest path")
struct NearestTests {
    @Test(arguments: [
        ("/login", "/login"), ("/logn", "/login"), ("/LOGIN", "/login"), ("/login/", "/login"),
        ("/lgoin", "/login"),
        ("/share", "/shared"), ("/shareds", "/shared"), ("/completely/other", nil),
        ("/user/7", "/user/:id"), ("/xxxxxx", nil),
    ])
    func theNearestNameIsTheOneWithTheFewestChanges(path: String, nearest: String?) {
        #expect(Nearest.of(path, among: ["/login", "/logout/all", "/shared", "/user/:id"]) == nearest)
    }

    @Test func anEmptyListHasNoNearestName() {
        #expect(Nearest.of("/login", among: []) == nil)
    }

    @Test func aVeryLongPathIsComparedQuickly() {
        let long = "/" + String(repeating: "a", count: 1_000_000)
        #expect(Nearest.of(long, among: ["/a", "/login"]) == nil)
    }

    /// As many changes as the table of the textbook says.
    @Test func theEditDistanceAgreesWithTheTextbookAlgorithm() {
        var random = SeededRandom(seed: 5)
        func text() -> String {
            String(
                (0..<Int.random(in: 0...70, using: &random)).map { _ in
                    "abcé".randomElement(using: &random) ?? "a"
                })
        }
        for _ in 0..<3000 {
            let (path, other) = (text(), Bool.random(using: &random) ? text() : "")
            var near = Array(path.utf8)
            for _ in 0..<Int.random(in: 0...30, using: &random) where near.count > 1 {
                let place = Int.random(in: 0..<near.count - 1, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: near.swapAt(place, place + 1)
                case 1: near.remove(at: place)
                case 2: near.insert(0x62, at: place)
                default: near[place] = 0x63
                }
            }
            let candidate = other.isEmpty ? String(decoding: near, as: UTF8.self) : other
            let (a, b) = (Array(path.utf8.prefix(64)), Array(candidate.utf8.prefix(64)))
            let isNear = Self.distance(a, b) <= max(2, b.count / 3)
            #expect((Nearest.of(path, among: [candidate]) != nil) == isNear, "\(path) \(candidate)")
        }
    }

    /// Optimal string alignment, row by row.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }

    /// A page may call any name, as often as it likes.
    @Test func thePatternsToCompareAreReadOnlyOnce() {
        let near = Nearest.Patterns()
        let long = "/" + String(repeating: "getUser", count: 1000)
        var asked = 0
        func nearest(_ path: String) -> String? {
            near.nearest(to: path) {
                asked += 1
                return ["/user/:id/name", "/login", "/:any", "/files/*"] + (0..<3000).map { "/getUser\($0)" }
            }?.name
        }
        for _ in 0..<2 {
            #expect(nearest("/logn") == "/login")
            #expect(nearest("/usr/7/nme") == "/user/:id/name")
            #expect(nearest("/trackEvent") == nil)
            #expect(nearest(long) == nil)
        }
        for number in 0..<1500 { #expect(nearest("/nothing/of/the/kind/\(number)") == nil) }
        #expect(asked == 1)
    }

    @Test func newlyRegisteredNamesAreSuggestedToo() async throws {
        let gateway = Gateway(unhandled: .fail)
        PageHandlers.register(on: gateway)
        func hint(_ path: String) async -> String? {
            await gateway.respond(to: Request("\(path)?_mobile_bridge=1")).headers[.hint]
        }
        #expect(await hint("/ecko")?.hasSuffix("the nearest registered path is /echo") == true)
        #expect(await hint("/payee") == "no handler at /payee")
        try gateway.mock(["pay": 1, "user/:id/name": 2])
        #expect(await hint("/payee")?.hasSuffix("the nearest registered path is /pay") == true)
        #expect(await hint("/usr/7/name")?.hasSuffix("the nearest registered path is /user/:id/name") == true)
        #expect(await hint("/ecko")?.hasSuffix("the nearest registered path is /echo") == true)
        try gateway.mock()
        #expect(await hint("/payee") == "no handler at /payee")
    }
}
