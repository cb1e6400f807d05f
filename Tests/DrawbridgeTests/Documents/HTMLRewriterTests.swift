import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeDocuments

@Suite("The place of the script tag in a document")
struct HTMLRewriterTests {
    /// Puts `|` into a document; policies in it become upper case.
    private func rewrite(_ chunks: [[UInt8]], isPage: Bool = true) -> [UInt8] {
        var rewriter = HTMLRewriter(tag: Array("|".utf8), isPage: isPage) { policy in
            policy.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
        }
        return chunks.flatMap { rewriter.take($0) } + rewriter.finish()
    }

    private func rewrite(_ text: String, isPage: Bool = true) -> String {
        String(decoding: rewrite([Array(text.utf8)], isPage: isPage), as: UTF8.self)
    }

    /// `|` marks the place.
    private static let written = [
        "<!doctype html><html><head>|<title>x</title></head><body></body></html>", "<head>|",
        "<html><head>|</head>", "<head>|<head>", "<head lang=en>|x", "<head\n>|x", "<head/>|x",
        "<HTML><HEAD>|<SCRIPT></SCRIPT>", "<html lang=\"en\"><head prefix='og: x'>|",
        "\n\t <html> \r\n <head>|",
        "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\"><head>|",
        "<html><html lang=en><head>|", "</p></x><html></p><head>|", "<html><!doctype html><head>|",
        "\u{FEFF}<!doctype html><head>|", "\u{FEFF} <head>|",
    ]

    private static let missing = [
        "<!doctype html><html lang=en>|<body>x", "<html>|", "<html>|<title>x</title><head>", "<html>|x",
        "<!doctype html>|<title>x</title>", "<!doctype html>|<p>x</p><head>", "<!doctype html>|",
        "<!doctype html>|\n<meta charset=gbk>", "|<p>x", "|x", "|  x", "|\n<body>",
        "|<script></script><head>",
        "|hello<head>", "|<br>", "|</body><head>", "|</br>", "|<html", "|<", "|<!doctype",
        "|<!doctype html",
        "\u{FEFF}|<p>", "\u{FEFF}| x", "|<!-- c --><p>", "<html>|</html>",
        "<html>|<frameset><frame></frameset>",
        "|</p><!doctype html>", "|<svg><head>", "<!doctype html>|<noscript><head></noscript>",
        "|<plaintext><head>",
    ]

    /// What looks like a head and is not, and what hides one.
    private static let misleading = [
        "<!doctype html>|<header>x</header>", "<html>|<header><head>", "<html>|<headline>", "|< head>",
        "|<h\0ead><head>", "<html data-x='<head>'><head>|", "<html data-x=\"a>b\"><head data-y='>'>|",
        "<html a=>|<p>", "<html a='\"' b=\"'\" c=<head>|>", "<html =\"><head>|\">",
        "<html a = '>' ><head>|",
        "<html a=/>|", "<html a/b/><head>|", "<html a='x'b><head>|", "<html/ ><head>|",
        "<html a=x\"><head>|",
        "|<html a='<head>", "<!-- <head> --><head>|", "<!--><head>|-->", "<!---><head>|-->",
        "<!-- --!><head>|",
        "<!----!><head>|", "|<!--!><head>-->x", "|<!---!><head>-->x", "<!-- -- > <head> --><html>|",
        "<!-- <!-- --><head>|", "<!--[if IE]><html><head><![endif]--><html><head>|",
        "<!--[if !IE]><!--><html><!--<![endif]--><head>|", "<!-- a -- b --><!doctype html><!-- c --> <head>|",
        "<!-- x ---><head>|", "<!-- x --!-><head>--><head>|", "|<!--->--!><head>",
        "|<!-- never ended <head>",
        "<!-- x ->--><head>|", "<?xml version=\"1.0\"?><head>|", "|<!x <head>>", "|<![CDATA[<head>]]>",
        "|</ <head>",
        "<!><head>|", "</><head>|", "<!-x><head>|", "<!doctyp><head>|", "<!doctype <head>|>",
        "|<title><head></title>", "|<script>'<head>'</script>",
    ]

    @Test(arguments: written + missing + misleading)
    func theScriptTagIsTheFirstInTheHead(document: String) {
        #expect(rewrite(document.replacing("|", with: "")) == document)
    }

    @Test(arguments: [
        "", " ", " \r\n\t", "{\"a\":\"<head>\"}", " [1,\"<head>\"]", "\u{FEFF}{}", "\u{FEFF}", "\u{FEFF} \n[",
        "{", "<\0h\0e\0a\0d\0>\0", "\0<\0h\0e\0a\0d\0>",
    ])
    func textsThatAreNotDocumentsGetNoScriptTag(text: String) { #expect(rewrite(text) == text) }

    @Test(arguments: [[0xFF, 0xFE, 0x3C, 0x00], [0xFE, 0xFF, 0x00, 0x3C], [0xFF, 0xFE], [0xFE, 0xFF]])
    func textsInUTF16GetNoScriptTag(start: [UInt8]) {
        let bytes = start + Array("<head>".utf8)
        #expect(rewrite([bytes]) == bytes)
        #expect(rewrite(bytes.map { [$0] }) == bytes)
    }

    @Test(arguments: [
        ("<p>x", "<p>x"), ("x", "x"), ("<div><head>", "<div><head>"), ("<script>", "<script>"),
        ("<!-- c --><li>", "<!-- c --><li>"), ("<tr></tr><html>", "<tr></tr><html>"),
        ("<!doctype html><p>x", "<!doctype html>|<p>x"), ("<html>x", "<html>|x"), ("<head>", "<head>|"),
        ("<title>x", "|<title>x"), ("<body>x", "|<body>x"), (" <meta charset=gbk>", "| <meta charset=gbk>"),
    ])
    func possibleFragmentsGetTheScriptTagOnlyIfTheyBeginAsDocuments(text: String, result: String) {
        #expect(rewrite(text, isPage: false) == result)
    }

    /// `P` marks a policy that applies, `p` one that does not.
    @Test(arguments: [
        "<head>|P", "|P", "<head>|</head> P", "<head>|<title><body></title>P", "<head>|PP<b>p",
        "<head>|<script>'p'</script>P", "<head>|<style>a>b{}</style><link><base>P",
        "<head>|<template><b>x</b>p</template>P",
        "<head>|<template><template></template>p</template>P",
        "<head>|<body>p", "<head>|x p", "|<b>p", "<head>|</body>p", "<head>|<!-- p -->P",
        "<head>|</title></i>P",
        "<head>|<noscript>p</noscript>P", "<head>|<svg>p", "<head>|<html><head>P",
        // Scripts end where they end.
        "<head>|<script>'p'", "<head>|<script></scripty>p</script >P", "<head>|<STYLE></styLE/>P",
        "<head>|<script><!-- <script> </script>p --></script>P",
        "<head>|<script><!-- <script> </script></script>P",
        "<head>|<script><!--><script></script>P", "<head>|<script><!-- x </script>P",
        "<head>|<script><!-- <script> --> </script>P", "<head>|<script><!-- <scripty> </script>P",
        "<head>|<script><!-<script></script>P", "<head>|<script><</script>P",
        "<head>|<script></ script>p</script>P",
        "<head>|<script><!-- <script> </scripty> </script>p", "<head>|<script><!-- -- > <script></script>p",
        "<head>|<title><!--</title>P", "<head>|<style><!-- <style> </style>P",
        "<head>|<style></style x='>'>P",
    ])
    func onlyPoliciesInTheHeadAreChanged(document: String) {
        func filled(_ text: String, _ changed: String) -> String {
            text.replacing(/\bp\b/, with: Self.meta("a")).replacing(/P/, with: Self.meta(changed))
        }
        let input = filled(document.replacing("|", with: ""), "a")
        #expect(rewrite(input) == filled(document, "A"))
        #expect(rewrite(input.utf8.map { [$0] }) == Array(filled(document, "A").utf8))
    }

    private static func meta(_ policy: String) -> String {
        "<meta http-equiv=content-security-policy content='\(policy)'>"
    }

    @Test(arguments: [
        ("content=\"a\"", "content=\"A\""), ("content='a'", "content='A'"), ("content=a", "content=\"A\""),
        ("CONTENT = \"a\" /", "CONTENT = \"A\" /"), ("content=a/", "content=\"A/\""),
        ("content=''", "content=''"), ("content", "content"), ("name=x", "name=x"),
        ("content='&#39;a&apos;'", "content='&#39;A&#39;'"),
        ("content=\"&quot;'a'\"", "content=\"&quot;'A'\""),
        ("content='&#x27;a&amp;b&lt;'", "content='&#39;A&amp;B<'"),
        ("content=a content=b", "content=\"A\" content=b"),
        ("content='a' http-equiv=x", "content='A' http-equiv=x"), ("content='é'", "content='é'"),
    ])
    func policiesKeepTheirQuotes(attributes: String, result: String) {
        let start = "<head>", meta = "<meta http-equiv='content-security-policy' "
        #expect(rewrite("\(start)\(meta)\(attributes)>x") == "\(start)|\(meta)\(result)>x")
    }

    @Test(arguments: [
        "<meta name=content-security-policy content=a>", "<meta http-equiv=refresh content=a>",
        "<meta content=a http-equiv=x http-equiv=content-security-policy>",
        "<metas http-equiv=content-security-policy content=a>",
        "</meta http-equiv=content-security-policy content=a>",
        "<link http-equiv=content-security-policy content=a>",
        "<meta http-equiv=content-security-policy content=a",
        "<meta http-equiv=content-security-policy content='a",
    ])
    func otherElementsAreNotTakenForPolicies(element: String) {
        #expect(rewrite("<head>\(element)") == "<head>|\(element)")
    }

    // MARK: Pieces

    private static let long =
        "\u{FEFF}<!-- <head> --><!doctype html>\n<html a='>'><HEAD b=c><title>&lt;</title>"
        + "<meta charset=\"utf-8\"><meta http-equiv=Content-Security-Policy content=x><script><!-- <script> </script> --></script>\(meta("y&amp;z"))"
        + "</head><body>\(meta("p"))"

    @Test(arguments: written + missing + misleading + [long, " {\"a\": 1}", "", "\u{FEFF}", "\u{FEFF} ["])
    func theResultDoesNotDependOnHowTheDocumentIsSplit(document: String) {
        let bytes = Array(document.replacing("|", with: "").utf8)
        let whole = rewrite([bytes])
        for cut in 0...bytes.count {
            #expect(rewrite([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
        #expect(rewrite(bytes.map { [$0] }) == whole)
        let certain = rewrite([bytes], isPage: false)
        #expect(rewrite(bytes.map { [$0] }, isPage: false) == certain)
    }

    @Test func theRewriterBuffersNoMoreTextThanNeeded() {
        var rewriter = HTMLRewriter(tag: Array("|".utf8), isPage: true) { _ in nil }
        func take(_ text: String) -> String {
            String(decoding: rewriter.take(Array(text.utf8)), as: UTF8.self)
        }
        #expect(take("<!doctype html>\n") == "<!doctype html>")
        #expect(take("<html") == "")
        #expect(take(">") == "\n<html>")
        #expect(take(" <head>") == " <head>|")
        #expect(take("<link rel=x") == "<link rel=x")
        #expect(take("><m") == ">")
        #expect(take("et") == "")
        #expect(take("a http-equiv=content-security-policy content=''") == "")
        #expect(take("><script>a<b") == "<meta http-equiv=content-security-policy content=''><script>a<b")
        #expect(take("</script><body>") == "</script><body>")
        #expect(take("<meta") == "<meta")
        #expect(rewriter.finish().isEmpty)
    }

    @Test(arguments: [
        "", "<!doctype html>", "<!-- ", "<script>", "<html a='", "<head>", "<head><script>",
        "<head><meta x='", " ",
        "<head><meta http-equiv=content-security-policy content='",
    ])
    func textAfterTheFirst64KilobytesIsNotChanged(start: String) {
        let filler = String(repeating: start.hasPrefix(" ") ? " " : "x", count: HTMLRewriter.window)
        let bytes = Array((start + filler + "'>--></script><head>\(Self.meta("a"))").utf8)
        let whole = rewrite([bytes])
        let pieces = stride(from: 0, to: bytes.count, by: 1000).map {
            Array(bytes[$0..<min($0 + 1000, bytes.count)])
        }
        #expect(rewrite(pieces) == whole)
        #expect(whole.filter { $0 != UInt8(ascii: "|") } == bytes)
        let text = String(decoding: whole, as: UTF8.self)
        switch start {
        case " ": #expect(!text.contains("|"))
        case "<!doctype html>": #expect(text.hasPrefix("<!doctype html>|"))
        case _ where start.hasPrefix("<head>"): #expect(text.hasPrefix("<head>|"))
        default: #expect(text.hasPrefix("|"))
        }
    }

    /// Brings `http://h` home to `/`.
    private struct Home: AddressRewriter {
        var links: (origin: [UInt8], found: @Sendable () -> Void)?

        func url(_ text: String) -> String? { text == "http://h/" ? "/" : nil }
        func refresh(_ text: String) -> String? { text.replacing("http://h/", with: "/") }
        func urls(in text: [UInt8]) -> [UInt8]? {
            Array(String(decoding: text, as: UTF8.self).replacing("http://h/", with: "/").utf8)
        }
        func policy(_ text: [UInt8]) -> [UInt8]? { text + Array(" home".utf8) }
    }

    @Test(arguments: [
        ("<base href=http://h/>", "<base href=\"/\">"),
        ("<base href='http://e/'>", "<base href='http://e/'>"),
        (
            "<meta http-equiv=Refresh content='0; url=http://h/a'>",
            "<meta http-equiv=Refresh content='0; url=/a'>"
        ),
        ("<meta name=socket content=\"http://h/s\">", "<meta name=socket content=\"/s\">"),
        (
            "<meta http-equiv=content-security-policy content='img-src a'>",
            "<meta http-equiv=content-security-policy content='IMG-SRC A HOME'>"
        ),
        ("<p><base href=http://h/>", "<p><base href=http://h/>"),
    ])
    func addressesOfTheServerInTheHeadAreRewritten(head: String, expected: String) {
        var rewriter = HTMLRewriter(tag: Array("|".utf8), isPage: true, addresses: Home()) { policy in
            policy.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
        }
        let result = rewriter.take(Array("<head>\(head)".utf8)) + rewriter.finish()
        #expect(String(decoding: result, as: UTF8.self) == "<head>|\(expected)")
    }

    @Test(arguments: [
        ("<a href=\"http://h/x\">", 1), ("<a class=b href='http://h'>", 1), ("<A\nhref=http://h>", 0),
        ("<form method=post action=\"http://h/f?a\">", 1), ("<p><iframe id=i src='http://h/'>", 1),
        ("<button formaction='http://h/x'>", 1), ("<area href=\"http://h/#a\">", 1),
        ("<a href=\"http://h/x\"><a href=\"http://h/y\">", 1), ("<a href=\"http://h.example/\">", 0),
        ("<a href=\"http://h:81/\">", 0), ("<a href=\"/?to=http://h/\">", 0), ("<a>at http://h/x</a>", 0),
        ("<link rel=canonical href=\"http://h/x\">", 0), ("<img src=\"http://h/x\">", 0),
        ("<a href=/>\"http://h/\"", 0), ("<script>u = \"http://h/\"</script>", 0),
        (String(repeating: "x", count: 70_000) + "<a href=\"http://h/x\">", 0),
    ])
    func aLinkToTheServerItselfIsFoundOnce(body: String, expected: Int) {
        let found = Observed(0)
        let home = Home(links: (Array("http://h".utf8), { found.change { $0 += 1 } }))
        for (start, isPage) in [("<head>", true), ("<head><title>t</title></head><body>", true), ("", false)]
        {
            found.change { $0 = 0 }
            var rewriter = HTMLRewriter(tag: Array("|".utf8), isPage: isPage, addresses: home) { _ in nil }
            var result = rewriter.take(Array(start.utf8))
            result += rewriter.take(Array(body.utf8)) + rewriter.finish()
            #expect(found.value == (isPage ? expected : 0))
            #expect(result.count == start.utf8.count + body.utf8.count + (isPage ? 1 : 0))
        }
    }

    @Test func aPieceOfFiveMegabytesPassesUnchanged() {
        let rest = [UInt8](repeating: UInt8(ascii: "<"), count: 5 << 20)
        let result = rewrite([Array("<head><p>".utf8), rest])
        #expect(result.count == rest.count + 10)
        #expect(result.starts(with: "<head>|<p>".utf8))
        #expect(result.dropFirst(10).elementsEqual(rest))
    }

    @Test func bytesOfOtherEncodingsAreKept() {
        // 你好 in GBK, 表 in Shift_JIS (whose second byte is a backslash), and GB18030 with digits.
        let text: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3, 0x95, 0x5C, 0x81, 0x30, 0x89, 0x37, 0xFF, 0x80]
        let start =
            Array("<!-- ".utf8) + text + Array(" --><html lang='".utf8) + text + Array("'><head>".utf8)
        let rest = Array("<title>".utf8) + text + Array("</title><body>".utf8) + text
        #expect(rewrite([start + rest]) == start + Array("|".utf8) + rest)
    }
}
