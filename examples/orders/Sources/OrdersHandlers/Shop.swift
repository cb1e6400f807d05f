import Drawbridge

struct Order: Codable, Sendable {
    var id: Int
    var title: String
    var price: String
    var isPaid = false
}

/// Who has logged in, by whom an order is placed.
struct Member: Sendable { let name: String }

/// What all requests share: members, orders, and who listens for what becomes of them.
actor Shop {
    private var members: [String: Member] = [:]
    private var orders: [Int: Order] = [:]
    private var lastID = 0
    private var listeners: [Int: AsyncStream<Order>.Continuation] = [:]

    func logIn(_ name: String) -> String {
        let token = "\(name)-\(members.count + 1)"
        members[token] = Member(name: name)
        return token
    }

    func member(_ token: String?) -> Member? { token.flatMap { members[$0] } }

    var all: [Order] { orders.values.sorted { $0.id < $1.id } }

    func place(_ title: String, _ price: String) -> Order {
        lastID += 1
        return keep(Order(id: lastID, title: title, price: price))
    }

    func order(_ id: Int) throws -> Order {
        guard let order = orders[id] else { throw HTTPError(.notFound, "there is no order \(id)") }
        return order
    }

    func pay(_ id: Int) throws -> Order {
        var order = try order(id)
        order.isPaid = true
        return keep(order)
    }

    func cancel(_ id: Int) throws {
        guard try !order(id).isPaid else { throw HTTPError(.conflict, "order \(id) is paid", code: 1001) }
        orders[id] = nil
    }

    /// What becomes of orders from now on.
    func changes() -> AsyncStream<Order> {
        let (stream, continuation) = AsyncStream.makeStream(of: Order.self)
        let number = (listeners.keys.max() ?? 0) + 1
        listeners[number] = continuation
        continuation.onTermination = { _ in Task { await self.leave(number) } }
        return stream
    }

    var listening: Int { listeners.count }

    private func leave(_ number: Int) { listeners[number] = nil }

    private func keep(_ order: Order) -> Order {
        orders[order.id] = order
        for listener in listeners.values { listener.yield(order) }
        return order
    }
}

/// All that the server and the tests use of this library.
public func registerHandlers(on gateway: Gateway) throws {
    let shop = Shop()
    try gateway.register(at: "/login") { LoginHandler(shop: shop) }
    let members = gateway.group(MembersOnly(shop: shop))
    try members.register(WhoAmIHandler.self, at: "/me")
    try members.register(at: "/orders") { ListHandler(shop: shop) }
    try members.register(at: "/orders") { PlaceHandler(shop: shop) }
    try members.register(at: "/orders/:id") { OrderHandler(shop: shop) }
    try members.register(at: "/orders/:id") { CancelHandler(shop: shop) }
    try members.register(at: "/orders/:id/pay") { request in PayHandler(request: request, shop: shop) }
    try members.register(at: "/orders/:id/receipt") { ReceiptHandler(shop: shop) }
    try members.register(at: "/changes") { ChangesHandler(shop: shop) }
}
