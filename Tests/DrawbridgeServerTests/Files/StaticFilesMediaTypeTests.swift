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

    /// One in the header would override what the page declares.
    @Test func theMediaTypeOfAPageHasNoEncoding() async throws {
        let site = try StaticFilesSite(["a.html": "<!doctype html><meta charset=gbk>"])
        #expect(await site.get("/a.html").headers[.contentType] == "text/html")
    }
}
