// The interface for tests in Swift.

extension Journal {
    /// A snapshot of one call that a page or a program made to native.
    public struct Call: Sendable {
        /// Its number in the journal; numbers grow in the order of the records, and have gaps.
        public let number: Int
        /// The name that was called, such as `pay` or `user/login`.
        public let name: String
        /// The bridge of the call: `flag`, `__jsbridge__`, `wvjb`, `shortcut` and so on.
        public let bridge: String
        /// The input; `null` if there was none; beyond 64 KB only its beginning, as a string.
        public let input: JSON
        /// The answer, also that of an error; `null` if there is none, or none yet.
        public let output: JSON
        /// Whether it is waiting, was answered, failed, or was abandoned by its caller.
        public let state: CallState
        /// The code of the answer, as in the envelope; nil until the call has ended.
        public let code: Int?
        /// What answered: `reply pay, case 2`, `handler PayHandler`, `nobody` or `gateway`; nil while it is waiting.
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

    /// Thrown if the call that a test waits for did not come.
    public struct CallError: Error, CustomStringConvertible {
        /// Which calls came instead.
        public let description: String
    }

    /// The calls of a name, or all of them, in the order in which they began.
    ///
    /// - Parameter name: with or without its first slash; nil for every name.
    public func calls(named name: String? = nil) -> [Call] {
        read(Self.filter(name)).records.map(Call.init)
    }

    /// The last call of a name; if none was answered yet, waits for one.
    ///
    /// ```swift
    /// let pay = try await gateway.journal.call("pay", within: .seconds(5))
    /// #expect(pay.input == ["orderNo": 17])
    /// ```
    ///
    /// - Parameters:
    ///   - name: with or without its first slash.
    ///   - time: how long to wait; needed because a click returns before its call arrives.
    /// - Throws: a ``CallError`` that names the calls that came instead.
    public func call(_ name: String, within time: Duration = .seconds(5)) async throws -> Call {
        let filter = Self.filter(name)
        var watch = Watch(filter) { filter.fits($0) && $0.state != .waiting ? 0 : nil }
        _ = try await wait(for: filter, until: .now + time) {
            watch.look(in: self)
            return !watch.found.isEmpty
        }
        if let last = watch.found.last, let record = record(last.number) { return Call(record) }
        let names = Set(calls().map(\.name)).sorted().joined(separator: ", ")
        throw CallError(
            description: isOn
                ? "no call of \(name) was answered within \(time); called: \(names.isEmpty ? "none" : names)"
                : "this gateway keeps no journal; make it with keepsJournal: true")
    }

    private static func filter(_ name: String?) -> RecordFilter {
        RecordFilter(name: name.map(CallName.plain))
    }
}
