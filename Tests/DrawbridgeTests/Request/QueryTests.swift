import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("Queries and forms")
struct QueryTests {
    @Test(arguments: [
        ("", []), ("a", [["a", ""]]), ("a=", [["a", ""]]), ("=a", [["", "a"]]), ("a=b=c", [["a", "b=c"]]),
        ("a=1&b=2&a=3", [["a", "1"], ["b", "2"], ["a", "3"]]), ("&&a&", [["a", ""]]),
        ("a+b=c+d", [["a b", "c d"]]), ("%61=%26%3D%2B", [["a", "&=+"]]), ("a=%", [["a", "%"]]),
        ("a=%4", [["a", "%4"]]), ("a=%FF", [["a", "%FF"]]), ("a=%C3%A9é", [["a", "éé"]]),
        ("a=;b", [["a", ";b"]]),
        ("a?b=c#d", [["a?b", "c#d"]]),
    ])
    func queriesAreReadAsPagesWriteThem(text: String, items: [[String]]) {
        #expect(Query(text).map { [$0.name, $0.value] } == items)
        #expect(Query(text).isEmpty == items.isEmpty)
    }

    @Test func theFirstOfSeveralQueryItemsGivesTheValue() {
        let query = Query("a=1&b=2&a=3")
        #expect(query["a"] == "1")
        #expect(query["A"] == nil)
        #expect(query.values("a") == ["1", "3"])
        #expect(query.values("c").isEmpty)
    }

    @Test func settingAValueReplacesEveryItemOfTheNameInPlace() {
        var query = Query("x=0&a=1&b=2&a=3")
        query["a"] = "n e&w"
        #expect(query.text == "x=0&a=n%20e%26w&b=2")
        query["c"] = "+é"
        query["x"] = nil
        #expect(query.text == "a=n%20e%26w&b=2&c=%2B%C3%A9")
        query["none"] = nil
        #expect(Query(query.text) == query)
    }

    @Test func changingThePathKeepsTheQueryByteForByte() {
        var request = Request("/a?x=%31+&y")
        request.path = "/b"
        #expect(request.head.path == "/b?x=%31+&y")
        request.query["y"] = nil
        #expect(request.head.path == "/b?x=1%20")
        request.query["x"] = nil
        #expect(request.head.path == "/b")
        #expect(request.path == "/b")
    }

    @Test(arguments: [
        ("/", []), ("", []), ("/a", ["a"]), ("/a/", ["a"]), ("/a//", ["a", ""]), ("//a", ["", "a"]),
        ("/a%2Fb/c%20", ["a/b", "c "]), ("/%FF", nil), ("/%", ["%"]), ("/a+b", ["a+b"]),
        ("/\u{301}a/b", ["\u{301}a", "b"]),
    ])
    func aPathIsSplitBeforeItIsDecoded(path: String, segments: [String]?) {
        #expect(Target.segments(of: path) == segments)
    }
}
