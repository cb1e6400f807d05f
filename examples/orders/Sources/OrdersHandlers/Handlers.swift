import Drawbridge

/// Lets in who has logged in, and tells handlers who that is.
struct MembersOnly: Middleware {
    let shop: Shop

    func handle(_ request: Request, next: Next) async throws -> Response {
        guard let member = await shop.member(request.bearer) else {
            throw HTTPError(.unauthorized, "log in first")
        }
        var request = request
        request[Member.self] = member
        return await next(request)
    }
}

extension Request {
    fileprivate var bearer: String? {
        headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }
}

struct LoginHandler: JSONHandler {
    struct Input: Decodable { var user: String }

    let shop: Shop

    func handle(_ input: Input) async throws -> [String: String] { ["token": await shop.logIn(input.user)] }
}

struct WhoAmIHandler: JSONHandler {
    let request: Request

    func handle(_ input: Nothing) async throws -> String? { request[Member.self]?.name }
}

struct ListHandler: JSONHandler {
    static let options = HandlerOptions(methods: [.get])

    let shop: Shop

    func handle(_ input: Nothing) async throws -> [Order] { await shop.all }
}

struct PlaceHandler: JSONHandler {
    struct Input: Decodable {
        var title: String
        var price: String
    }

    static let options = HandlerOptions(methods: [.post])

    let shop: Shop

    func handle(_ input: Input) async throws -> Order { await shop.place(input.title, input.price) }

    func message(for order: Order) -> String { "order \(order.id) is placed" }
}

struct OrderInput: Decodable { var id: Int }

struct OrderHandler: JSONHandler {
    static let options = HandlerOptions(methods: [.get])

    let shop: Shop

    func handle(_ input: OrderInput) async throws -> Order { try await shop.order(input.id) }
}

struct CancelHandler: JSONHandler {
    static let options = HandlerOptions(methods: [.delete])

    let shop: Shop

    func handle(_ input: OrderInput) async throws -> Nothing {
        try await shop.cancel(input.id)
        return Nothing()
    }
}

/// Asks the page that pays whether it agrees.
struct PayHandler: JSONHandler {
    let request: Request
    let shop: Shop

    func handle(_ input: OrderInput) async throws -> Order {
        let price = try await shop.order(input.id).price
        guard let page = request.page, try await page.call("agree", price, as: Bool.self) else {
            throw HTTPError(.forbidden, "nobody agreed to pay \(price)")
        }
        return try await shop.pay(input.id)
    }
}

/// Takes a picture of a receipt, of any size, and tells how large it is.
struct ReceiptHandler: Handler {
    static let options = HandlerOptions(body: .streamed)

    let shop: Shop

    func handle(_ request: Request) async throws -> Response {
        let id = try request.parameter("id", as: Int.self)
        _ = try await shop.order(id)
        var count = 0
        for try await chunk in request.body { count += chunk.count }
        return try Response(output: ["id": id, "bytes": count])
    }
}

/// What becomes of orders, as an event stream.
struct ChangesHandler: Handler {
    let shop: Shop

    func handle(_ request: Request) async throws -> Response {
        let changes = await shop.changes()
        let name = request[Member.self]?.name ?? ""
        return Response(contentType: "text/event-stream") { client in
            try await client.didLoad(": \(name)\n\n")
            for await order in changes { try await client.didLoad("data: \(order.id) \(order.isPaid)\n\n") }
        }
    }
}
