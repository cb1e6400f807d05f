import Drawbridge
import HTTPTypes
import Testing

@testable import DrawbridgeServer

@Suite("Static files: media types")
struct StaticFilesMediaTypeTests {
    @Test(arguments: [
        ("a.css", "text/css; charset=utf-8"), ("a.js", "text/javascript; charset=utf-8"),
        ("a.mjs", "text/javascript; charset=utf-8"), ("a.txt", "text/plain; charset=utf-8"),
        ("a.md", "text/markdown; charset=utf-8"), ("a.csv", "text/csv; charset=utf-8"),
        ("a.html", "text/html"),
        ("a.htm", "text/html"), ("a.json", "application/json"), ("a.js.map", "application/json"),
        ("a.xml", "application/xml"), ("a.svg", "image/svg+xml"), ("a.png", "image/png"),
        ("a.PNG", "image/png"),
        ("a.jpg", "image/jpeg"), ("a.jpeg", "image/jpeg"), ("a.gif", "image/gif"), ("a.webp", "image/webp"),
        ("a.avif", "image/avif"), ("a.ico", "image/vnd.microsoft.icon"), ("a.woff", "font/woff"),
        ("a.woff2", "font/woff2"), ("a.ttf", "font/ttf"), ("a.otf", "font/otf"),
        ("a.wasm", "application/wasm"),
        ("a.mp4", "video/mp4"), ("a.webm", "video/webm"), ("a.mp3", "audio/mpeg"), ("a.wav", "audio/wav"),
        ("a.ogg", "audio/ogg"), ("a.pdf", "application/pdf"), ("a.webmanifest", "application/manifest+json"),
        ("a.zip", "application/zip"), ("a.tar.gz", "application/gzip"), ("a", "application/octet-stream"),
        ("a.", "application/octet-stream"), ("a.unheard-of", "application/octet-stream"),
        ("html", "application/octet-stream"),
    ])
    func theMediaTypeComesFromTheExtension(name: String, type: String) async throws {
        let site = try StaticFilesSite()
        try site.file(name, "x")
        #expect(await site.get("/\(name)").headers[.contentType] == type)
    }

    @Test(arguments: [
        ("<!doctype html><meta charset=gbk><title>x</title>", "gbk"),
        ("<!DOCTYPE html>\n<html>\n<head>\n<META CHARSET=\"UTF-8\" />", "utf-8"),
        ("<meta charset = ' Shift_JIS ' >", "shift_jis"), ("<meta/charset=big5>", "big5"),
        ("<meta name=viewport content='width=1'><meta name=a charset='euc-kr'>", "euc-kr"),
        ("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=GB2312\">", "gb2312"),
        ("<meta content='text/html;charset=\"windows-1252\"' http-equiv=content-type>", "windows-1252"),
        ("<meta content='text/html; charset = gb18030; x' http-equiv=content-type>", "gb18030"),
        ("<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"), ("<!--><meta charset=gbk>-->", "gbk"),
        ("<p title='<meta charset=big5>'></p><meta charset=gbk>", "gbk"), ("a < b <meta charset=gbk>", "gbk"),
        ("<meta charset=utf-16le>", "utf-8"), ("\u{FEFF}<meta charset=gbk>", "utf-8"),
        ("<meta charset=gbk charset=big5>", "gbk"), ("</script><meta charset=gbk>", "gbk"),
        ("<script>'<meta charset=big5>'</script><meta charset=gbk>", "gbk"),
        ("<TITLE><</title><meta charset=big5></Title\n><meta charset=gbk>", "big5"),
        // Pages that declare it late: behind kilobytes of script, and where a search of the first bytes ends.
        ("<script>\(String(repeating: "if (a < b) c();", count: 400))</script><meta charset=gbk>", "gbk"),
        (String(repeating: " ", count: 4080) + "<meta charset=gbk>", "gbk"),
        (String(repeating: " ", count: 4085) + "<script>x</script><meta charset=gbk>", "gbk"),
        (String(repeating: " ", count: (64 << 10) - 18) + "<meta charset=gbk>", "gbk"),
    ])
    func theMediaTypeOfAPageHasItsDeclaredEncoding(page: String, label: String) async throws {
        let site = try StaticFilesSite(["a.html": page, "index.html": page])
        #expect(await site.get("/a.html").headers[.contentType] == "text/html; charset=\(label)")
        #expect(
            await site.get("/", [.range: "bytes=1-2"]).headers[.contentType] == "text/html; charset=\(label)")
    }

    @Test(arguments: [
        "", "<", "<!", "<!--", "<meta", "<meta ", "<meta charset", "<meta charset=", "<meta charset=>",
        "<meta charset=''>",
        "<meta charset='g\r\nX: y'", "<meta charset=\"{{charset}}\">", "<meta charset='日本'>",
        "<metacharset=gbk>",
        "<meta content='text/html; charset=gbk'>", "<meta http-equiv=refresh content='charset=gbk'>",
        "<meta http-equiv=content-type content='text/html'>", "<!-- <meta charset=gbk> ",
        "<p title='<meta charset=gbk>",
        "<title>über</title>", "<meta charset=\(String(repeating: "a", count: 50))>", "<p charset=gbk>",
        String(repeating: " ", count: 64 << 10) + "<meta charset=gbk>", "<meta charset=gb",
        "</meta charset=gbk>",
        "<meta charset=gbk x='", "<script><meta charset=gbk></script>", "<title><meta charset=gbk>",
        "<style></styles><meta charset=gbk>",
        String(repeating: " ", count: (64 << 10) - 17) + "<meta charset=gbk>",
    ])
    func theMediaTypeOfAPageWithoutADeclaredEncodingIsBare(page: String) async throws {
        let site = try StaticFilesSite(["a.html": page])
        #expect(await site.get("/a.html").headers[.contentType] == "text/html")
    }

    @Test func theEncodingOfAPageIsFoundInItsBytes() async throws {
        let site = try StaticFilesSite()
        try site.file(
            "a.htm",
            bytes: Array("<title>".utf8) + [0xC4, 0xE3, 0xBA, 0xC3] + Array("</title><meta charset=gbk>".utf8)
        )
        #expect(await site.get("/a.htm").headers[.contentType] == "text/html; charset=gbk")
        try site.file("b.htm", bytes: [0xFF, 0xFE, 0x3C, 0x00])
        #expect(await site.get("/b.htm").headers[.contentType] == "text/html; charset=utf-16le")
        try site.file("c.htm", bytes: [0xFE, 0xFF, 0x00, 0x3C])
        #expect(await site.get("/c.htm").headers[.contentType] == "text/html; charset=utf-16be")
    }

}
