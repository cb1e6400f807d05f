// For tests in Swift.
public import DrawbridgeJSON

extension Journal {
    /// One call of native's, as it is when it is looked at.
    public struct Call: Sendable {
        /// Its place among all records; numbers grow, and have gaps.
        public let number: Int
        /// The name that was called, such as `pay` or `user/login`.
        public let name: String
        /// By which bridge: `flag`, `__jsbridge__`, `wvjb`, `shortcut` and so on.
        public let bridge: String
        /// What was sent; `null` for nothing, and the beginning as a text where it has more than 64 KB.
        public let input: JSON
        /// What was answered, as far as it is there; `null` for nothing.
        public let output: JSON
        /// Whether it waits, was answered, failed, or was left by its caller.
        public let state: CallState
        /// The code of its answer, as it is in the envelope; nil where there is none yet.
        public let code: Int?
        /// Who answered: `reply pay, case 2`, `handler PayHandler`, `nobody` or `gateway`; nil where nobody has yet.
        public let answeredBy: String?

        init(_ record: JournalRecord) {
            number = record.number
            name = record.name
            bridge = record.head.bridge
            input = record.shownInput(nil)
            output = record.shownOutput(nil)
            state = record.state ?? .silent
            code = record.code
            answeredBy = record.by.map { by in "\(by.shown.word)\(by.shown.title.map { " \($0)" } ?? "")" }
        }
    }

    /// What was called is not what a test expects.
    public struct CallError: Error, CustomStringConvertible {
        /// What came in its place.
        public let description: String
    }

    /// The calls of a name, or all of them, in the order in which they began.
    ///
    /// - Parameter name: with or without its first slash; nil for every name.
    /// - Throws: nothing today; a journal that several processes share may be out of reach one day.
    public func calls(named name: String? = nil) async throws -> [Call] {
        read(Self.filter(name)).records.map(Call.init)
    }

    /// The last call of a name; waits until one has come and was answered.
    ///
    /// ```swift
    /// let pay = try await gateway.journal.call("pay", within: .seconds(5))
    /// #expect(pay.input == ["orderNo": 17])
    /// ```
    ///
    /// - Parameters:
    ///   - name: with or without its first slash.
    ///   - time: how long to wait: a click returns before its call is there.
    /// - Throws: a ``CallError`` that says what was called in its place.
    public func call(_ name: String, within time: Duration = .seconds(5)) async throws -> Call {
        let filter = Self.filter(name)
        var watch = Watch(filter) { filter.fits($0) && $0.state != .waiting ? 0 : nil }
        _ = try await wait(for: filter, until: .now + time) {
            watch.look(in: self)
            return !watch.found.isEmpty
        }
        if let last = watch.found.last, let record = record(last.number) { return Call(record) }
        let names = Set(try await calls().map(\.name)).sorted().joined(separator: ", ")
        throw CallError(
            description: isOn
                ? "no call of \(name) was answered within \(time); called were \(names.isEmpty ? "none" : names)"
                : "this gateway keeps no journal; make it with keepsJournal: true")
    }

    private static func filter(_ name: String?) -> RecordFilter {
        RecordFilter(name: name.map(CallName.plain))
    }
}
