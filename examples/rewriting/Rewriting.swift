// swift run rewriting
// curl -i 'http://127.0.0.1:8080/picture?_mobile_bridge=1&name=cat'
import Drawbridge
import DrawbridgeCommand

/// Changes the request and lets it continue to the files, then changes the answer on its way back.
///
/// It is not intercepted a second time, though it still asks for a path that a handler has.
struct PictureHandler: Handler {
    func handle(_ request: Request) async throws -> Response {
        var request = request
        // A caller chooses it: what goes into a path is looked at first.
        guard let name = request.query["name"], !name.isEmpty, name.allSatisfy({ $0.isASCII && $0.isLetter })
        else {
            throw HTTPError(.badRequest, "name: write letters, for instance cat")
        }
        request.path = "/pictures/\(name).svg"
        request.query["name"] = nil
        var response = try await request.passThrough()
        response.headers[.cacheControl] = "max-age=60"
        return response
    }
}

/// Plays what is behind a gateway: files, or the page's server.
struct Pictures: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard request.path == "/pictures/cat.svg" else { return nil }
        return Response(text: "<svg xmlns='http://www.w3.org/2000/svg'/>", contentType: "image/svg+xml")
    }
}

@main
struct Rewriting {
    static func main() async throws {
        try await GatewayCommand.run(passThrough: [Pictures()]) { gateway in
            try gateway.register(PictureHandler.self, at: "/picture")
        }
    }
}
