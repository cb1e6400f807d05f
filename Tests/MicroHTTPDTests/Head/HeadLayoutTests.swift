import Glibc
import MicroHTTPD
import Testing

/// How the head is read, and that this is proven before anything is served.
struct HeadLayoutTests {
    @Test func theInstalledLibraryHasExactlyOneOfTheLayouts() {
        #expect(HeadLayout.allCases.count { HeadLayout.fault(of: $0) == nil } == 1)
    }

    /// They are a few milliseconds; of a second slow machines and sanitizers are far.
    @Test func checkingTheLayoutTakesLittleTime() {
        let times = (0..<5).map { _ in
            let start = Self.processorTime
            for layout in HeadLayout.allCases { _ = HeadLayout.fault(of: layout) }
            return Self.processorTime - start
        }
        #expect(times.min().map { $0 < 1 } == true, "\(times)")
    }

    /// Seconds that this thread has worked: other tests run at the same time.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test(arguments: HeadLayout.allCases)
    func theLayoutThatPassesItsCheckIsUsed(_ layout: HeadLayout) throws {
        #expect(try HeadLayout.choose("1.2.3") { $0 == layout ? nil : "it moved" } == layout)
    }

    @Test func aLibraryThatParsesHeadsInAnUnknownWayIsRefusedWithVersionsToInstall() throws {
        let error = #expect(throws: ListenError.self) {
            try HeadLayout.choose("1.2.3") { $0 == .nothing ? "it moved" : "it lets a folded line through" }
        }
        #expect(
            error?.description == """
                cannot serve: this libmicrohttpd (1.2.3) parses requests in a way that is unknown here \
                (it moved; it lets a folded line through); install another version, such as 0.9.75 or 1.0.1
                """)
    }
}
