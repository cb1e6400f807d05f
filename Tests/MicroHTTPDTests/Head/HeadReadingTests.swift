import Glibc
import MicroHTTPD
import Testing

/// How the head is read, and that this is proven before anything is served.
struct HeadReadingTests {
    @Test func theInstalledLibraryIsReadByItsMemory() { #expect(HeadReading.fault(of: .block) == nil) }

    /// They are a few milliseconds; of a second slow machines and sanitizers are far.
    @Test func theProofTakesLittle() {
        let times = (0..<5).map { _ in
            let start = Self.processorTime
            _ = HeadReading.fault(of: .block)
            return Self.processorTime - start
        }
        #expect(times.min().map { $0 < 1 } == true, "\(times)")
    }

    /// Seconds that this thread has worked: other tests run beside it.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Which is why 0.9.75 is never left to itself.
    @Test func theInstalledLibraryAloneLetsRequestsThroughThatNoReaderMayTake() {
        #expect(HeadReading.fault(of: .fields) == "it lets a NUL in a value through")
    }

    @Test func aKnownVersionThatProvesItselfIsReadByItsMemory() throws {
        let (reading, problem) = try HeadReading.choose("0.9.75") { _ in nil }
        #expect(reading == .block)
        #expect(problem == nil)
    }

    @Test func anUnknownVersionIsReadByItsFieldsAndTheLogSaysWhatToDo() throws {
        let (reading, problem) = try HeadReading.choose("1.0.1") { _ in nil }
        #expect(reading == .fields)
        #expect(
            problem == """
                this libmicrohttpd (1.0.1) is not a version whose memory is known: it checks the heads of requests \
                itself, as strictly as it can; for the whole audit install libmicrohttpd 0.9.75
                """)
    }

    @Test func aKnownVersionWithAnotherMemoryIsReadByItsFields() throws {
        let (reading, problem) = try HeadReading.choose("0.9.75") { $0 == .block ? "it moved" : nil }
        #expect(reading == .fields)
        #expect(problem?.contains("has not the memory of that version (it moved)") == true)
    }

    @Test(arguments: ["0.9.75", "0.9.77"])
    func whereNoWayIsSafeNothingIsServedAndOneLineSaysWhatToInstall(_ version: String) throws {
        let error = #expect(throws: ListenError.self) {
            try HeadReading.choose(version) { _ in "it lets a folded line through" }
        }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("cannot serve: this libmicrohttpd (\(version)) "))
        #expect(text.hasSuffix("install libmicrohttpd 0.9.75, which Debian 12 and Drawbridge's release have"))
        #expect(!text.contains("\n"))
    }
}
