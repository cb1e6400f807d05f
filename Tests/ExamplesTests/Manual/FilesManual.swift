import DrawbridgeServer
import Testing

struct Settings: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard request.path == "/settings.js" else { return nil }
        return Response(text: "window.theme = 'dark'", contentType: "text/javascript; charset=utf-8")
    }
}

@Suite struct FilesManual {
    @Test func theFirstResponderThatAnswersWins() async throws {
        let gateway = Gateway(passThrough: [Settings(), .staticFiles("examples/shop")])

        let settings = await gateway.respond(to: Request("/settings.js"))
        #expect(try await settings.body.collect() == Array("window.theme = 'dark'".utf8))
        let page = await gateway.respond(to: Request("/"))
        #expect(page.headers[.contentType]?.hasPrefix("text/html") == true)
        #expect(await gateway.respond(to: Request("/nothing")).status == .notFound)
    }

    @Test func aMissingFolderIsAnErrorAtTheStart() {
        let error = #expect(throws: StaticFiles.RootError.self) {
            let files = try StaticFiles(root: "pubic")
            _ = Gateway(passThrough: [files])
        }
        #expect(error?.description.hasPrefix("cannot serve files from pubic: No such file") == true)
    }
}
