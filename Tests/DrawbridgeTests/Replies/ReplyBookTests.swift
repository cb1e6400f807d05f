import Testing

@testable import Drawbridge

/// Which reply answers: layers, names, cases, sequences.
@Suite("Which mock answers") struct ReplyBookTests {
    private static func book(_ layers: String...) throws -> ReplyBook {
        let book = ReplyBook(in: Registry())
        book.set(ReplyLayers(try layers.enumerated().map { try names($1, of: "\($0)") }))
        return book
    }

    private static func names(_ text: String, of source: String = "0") throws -> ReplyNames {
        var names = try ReplyNames(LocatedJSON(parsing: Array(text.utf8)))
        names.source = source
        return names
    }

    /// What answers, as `title: value`; the reasons where none does.
    private static func asked(_ book: ReplyBook, _ path: String, _ input: JSON? = nil) -> String {
        var lookup = book.lookup(path)
        guard let found = book.next(in: &lookup, ReplyInput(input), Redaction()) else {
            return "beneath (\(lookup.why.joined(separator: "; ")))"
        }
        guard case .value(let bytes) = found.reply.outcome else { return found.title }
        return "\(found.title): \(String(decoding: bytes, as: UTF8.self))"
    }

    @Test func namesOfMocksHaveThePrecedenceOfRoutes() throws {
        let book = try Self.book(#"{"*": 1, "/user/*": 2, "user/:id": 3, "user/ann": 4, "用户": 5}"#)
        #expect(Self.asked(book, "/user/ann") == "user/ann: 4")
        #expect(Self.asked(book, "/user/bob") == "user/:id: 3")
        #expect(Self.asked(book, "/user/bob/x") == "/user/*: 2")
        #expect(Self.asked(book, "/other") == "*: 1")
        #expect(Self.asked(book, "/%E7%94%A8%E6%88%B7") == "用户: 5")
    }

    @Test func anEarlierLayerBeatsAMoreSpecificName() throws {
        let book = try Self.book(#"{"*": 1}"#, #"{"a": 2}"#)
        #expect(Self.asked(book, "/a") == "*: 1")
    }

    @Test func aMockThatPassesOrDoesNotFitLeavesTheCallToTheNextLayer() throws {
        let book = try Self.book(
            #"{"a": {"$pass": true}, "b": {"$cases": [{"$when": {"x": 1}, "$pass": true}, {"$when": {"x": 2}, "$reply": 0}]}}"#,
            #"{"a": 1, "*": 2}"#)
        #expect(Self.asked(book, "/a") == "a: 1")
        #expect(Self.asked(book, "/b", ["x": 1]) == "*: 2")
        #expect(Self.asked(book, "/b", ["x": 3]) == "*: 2")
        #expect(Self.asked(book, "/b", ["x": 2]) == "b, case 2")
        let alone = try Self.book(#"{"b": {"$cases": [{"$when": {"x": 1}, "$reply": 0}]}}"#)
        #expect(Self.asked(alone, "/b", ["x": 3]) == "beneath (b, case 1: x is 3, wanted 1)")
        #expect(Self.asked(alone, "/c") == "beneath ()")
    }

    @Test func aSequenceGivesItsAnswersInOrderAndRepeatsTheLast() throws {
        let text =
            #"{"a": {"$sequence": [1, {"$cases": [{"$when": {"x": 1}, "$sequence": ["p", "q"]}]}, 3]}}"#
        let book = try Self.book(text)
        #expect(Self.asked(book, "/a") == "a, step 1: 1")
        #expect(Self.asked(book, "/a", ["x": 1]) == #"a, step 2, case 1, step 1: "p""#)
        #expect(Self.asked(book, "/a") == "a, step 3: 3")
        #expect(Self.asked(book, "/a") == "a, step 3: 3")
    }

    @Test func aSaveKeepsTheProgressOfAnUnchangedSequence() throws {
        let book = try Self.book(#"{"a": {"$sequence": [1, 2, 3]}, "b": {"$sequence": [1, 2]}}"#)
        for path in ["/a", "/b"] { #expect(Self.asked(book, path).hasSuffix("step 1: 1")) }
        book.set(
            ReplyLayers([
                try Self.names(#"{"new": 0, "b": {"$sequence": [1, 9]}, "a": {"$sequence": [1,2, 3]}}"#)
            ]))
        #expect(Self.asked(book, "/a") == "a, step 2: 2")
        #expect(Self.asked(book, "/b") == "b, step 1: 1")
        book.set(ReplyLayers([]))
        book.set(ReplyLayers([try Self.names(#"{"a": {"$sequence": [1, 2, 3]}}"#)]))
        #expect(Self.asked(book, "/a") == "a, step 1: 1")
    }

    @Test func eachNameAndEachSourceHasItsOwnSequences() throws {
        let book = try Self.book(
            #"{"a": {"$sequence": [1, {"$pass": true}]}, "b": {"$sequence": [1, {"$pass": true}]}}"#,
            #"{"a": {"$sequence": [1, {"$pass": true}]}, "*": "end"}"#)
        #expect(Self.asked(book, "/a") == "a, step 1: 1")
        #expect(Self.asked(book, "/b") == "b, step 1: 1")
        #expect(Self.asked(book, "/a") == "a, step 1: 1")
        #expect(Self.asked(book, "/a") == #"*: "end""#)
        let twice = #"{"a": {"$cases": [{"$when": {"x": 1}, "$sequence": [1, 2]}, {"$sequence": [1, 2]}]}}"#
        let two = try Self.book(twice)
        #expect(Self.asked(two, "/a", ["x": 1]).hasSuffix("step 1: 1"))
        #expect(Self.asked(two, "/a").hasSuffix("step 1: 1"))
    }

    @Test func aSequenceThatMovesWithinItsMockKeepsItsPlace() throws {
        let book = try Self.book(#"{"a": {"$cases": [{"$sequence": [1, 2, 3]}]}}"#)
        #expect(Self.asked(book, "/a").hasSuffix("step 1: 1"))
        let moved = try Self.names(
            #"{"a": {"$cases": [{"$when": {"z": 1}, "$reply": 0}, {"$sequence": [1, 2, 3]}]}}"#)
        book.set(ReplyLayers([moved]))
        #expect(Self.asked(book, "/a") == "a, case 2, step 2: 2")
    }

    @Test func concurrentCallsGetEachStepOfASequenceOnce() async throws {
        let steps = (0..<1000).map(String.init).joined(separator: ",")
        let book = try Self.book(#"{"a": {"$sequence": [\#(steps)]}}"#)
        let given = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<50 { group.addTask { (0..<20).map { _ in Self.asked(book, "/a") } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(given).count == 1000)
    }

    @Test func mocksInCodeComeAfterFlagsAndFiles() throws {
        let book = try Self.book(#"{"a": "flag"}"#)
        book.set(inCode: [try Self.names(#"{"a": "code", "b": "code"}"#)])
        #expect(Self.asked(book, "/a") == #"a: "flag""#)
        #expect(Self.asked(book, "/b") == #"b: "code""#)
        book.set(ReplyLayers([]))
        #expect(Self.asked(book, "/a") == #"a: "code""#)
        book.set(inCode: [])
        #expect(Self.asked(book, "/a") == "beneath ()")
    }

    @Test func namesMockedAsMissingAreNotListed() throws {
        let book = try Self.book(
            #"{"a": {"$pass": true}, "b": {"$missing": true}, "c": 1}"#, #"{"a": {"$missing": true}, "b": 1}"#
        )
        #expect(book.named(besides: ["a", "b", "d"]) == ["c", "d"])
    }

    @Test func aLookupKnowsWhetherTheInputMatters() throws {
        let book = try Self.book(
            #"{"a": 1, "b": {"$cases": [{"$when": {}, "$reply": 1}]}, "c": {"$reply": "{{input}}"}, "d": {"$silence": true}}"#
        )
        #expect(book.lookup("/a").lookAtInput == false)
        #expect(book.lookup("/b").lookAtInput)
        #expect(book.lookup("/c").lookAtInput)
        #expect(book.lookup("/d").lookAtInput == false)
        #expect(book.lookup("/e").isEmpty)
        #expect(try Self.book().lookup("/a").isEmpty)
    }
}
