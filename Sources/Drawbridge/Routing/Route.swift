import HTTPTypes

/// A registered handler type, and how to make one.
struct Route: Sendable {
    let pattern: RoutePattern
    let handler: any Handler.Type
    let make: @Sendable (Request) throws -> any Handler

    /// The name of the handler's type, for logs and errors.
    let name: String

    init(
        pattern: RoutePattern, handler: any Handler.Type,
        make: @escaping @Sendable (Request) throws -> any Handler
    ) {
        self.pattern = pattern
        self.handler = handler
        self.make = make
        name = String(describing: handler)
    }

    /// Whether the handler asks for this method.
    func takes(_ method: String) -> Bool {
        guard let methods = handler.methods else { return method != "HEAD" && method != "OPTIONS" }
        return methods.contains { $0.rawValue == method }
    }

    /// What an `Allow` header says of it.
    var allow: String {
        (handler.methods?.map(\.rawValue) ?? ["GET", "POST", "PUT", "PATCH", "DELETE"]).joined(
            separator: ", ")
    }
}
