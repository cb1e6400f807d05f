// swift run service
// curl http://127.0.0.1:8080/books/1
import DrawbridgeServer

/// The books, which all requests share.
actor Shelf {
    private var titles = [1: "Walden"]

    func title(_ id: Int) -> String? { titles[id] }

    func add(_ title: String) -> Int {
        let id = titles.count + 1
        titles[id] = title
        return id
    }
}

struct Book: Encodable {
    var id: Int
    var title: String
}

struct BookHandler: JSONHandler {
    struct Input: Decodable { var id: Int }

    static let options = HandlerOptions(methods: [.get])

    let shelf: Shelf

    func handle(_ input: Input) async throws -> Book {
        guard let title = await shelf.title(input.id) else {
            throw HTTPError(.notFound, "there is no book \(input.id)")
        }
        return Book(id: input.id, title: title)
    }
}

struct AddHandler: JSONHandler {
    struct Input: Decodable { var title: String }

    static let options = HandlerOptions(methods: [.post])

    let shelf: Shelf

    func handle(_ input: Input) async throws -> Book {
        Book(id: await shelf.add(input.title), title: input.title)
    }
}

@main
struct Service {
    static func main() async throws {
        let shelf = Shelf()
        let gateway = Gateway(rules: [.everything], answers: .bare, unhandled: .fail, pageRuntime: nil)
        try gateway.register(at: "/books/:id") { BookHandler(shelf: shelf) }
        try gateway.register(at: "/books") { AddHandler(shelf: shelf) }

        // A port as the last argument, for tests; 0 is any.
        try await gateway.run(.init(port: CommandLine.arguments.last.flatMap(Int.init) ?? 8080))
    }
}
