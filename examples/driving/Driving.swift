// swift run driving, and open http://127.0.0.1:8080/ and http://127.0.0.1:8080/checkout
import DrawbridgeServer
import Glibc

/// For every page.
struct PriceHandler: JSONHandler {
    struct Input: Decodable { var of: String }

    func handle(_ input: Input) async throws -> String { "\(input.of.count).50" }
}

/// For the checkout alone.
struct PayHandler: JSONHandler {
    struct Input: Decodable { var price: String }

    let request: Request

    func handle(_ input: Input) async throws -> String {
        // The page that pays is asked before.
        guard let page = request.page, try await page.call("agree", input.price, as: Bool.self) else {
            return "nothing was paid"
        }
        return "paid \(input.price)"
    }
}

/// Calls every page that comes, and prints what it answers.
func drive(_ pages: Pages) async {
    await withDiscardingTaskGroup { group in
        for await change in pages {
            switch change {
            case .came(let page):
                group.addTask {
                    do {
                        try await greet(page)
                    } catch {
                        say("the page did not answer: \(error)")
                    }
                }
            case .went(_, let error): say("the page went: \(error)")
            }
        }
    }
}

func greet(_ page: Page) async throws {
    say("a page came, \(try await page.evaluate("document.title"))")
    say("it can call \(try await page.evaluate("Object.keys(Shop)"))")
    say("it shares \(try await page.call("share"))")
    try page.emit("greeting", "Good day!")
    say("it shows \(try await page.evaluate("document.querySelector('h1').textContent"))")
}

func say(_ text: String) {
    print(text)
    fflush(nil)
}

@main
struct Driving {
    static func main() async throws {
        let gateway = Gateway(passThrough: [ShopPages()], pageRuntime: PageRuntime(shortcuts: ["Shop"]))
        try gateway.register(PriceHandler.self, at: "/price")
        try gateway.pages(matching: "/checkout") { try $0.register(PayHandler.self, at: "/pay") }
        // Ends with the gateway.
        async let _: Void = drive(gateway.pages)
        // A port as the first argument, for tests; 0 is any.
        let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 8080
        try await gateway.run(.init(port: port))
    }
}
