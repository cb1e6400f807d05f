import Drawbridge

/// The pages: they call their app and are called by it, and do not know what it is.
struct ShopPages: Responder {
    func respond(to request: Request) async throws -> Response? {
        let title = ["/": "The shop", "/checkout": "The checkout"]
        return title[request.path].map {
            Response(text: Self.page(titled: $0), contentType: "text/html; charset=utf-8")
        }
    }

    private static func page(titled title: String) -> String {
        """
        <!doctype html>
        <title>\(title)</title>
        <h1>\(title)</h1>
        <p id="answer"></p>
        <script>
        function share() { return { title: document.title, url: location.pathname }; }
        function agree(price) { return price === '6.50'; }
        addEventListener('drawbridge:greeting', function (event) {
            document.querySelector('h1').textContent = event.detail;
        });
        function show(answer) { document.querySelector('#answer').textContent = answer; }
        Shop.price({ of: 'tulips' }, function (price) {
            if (Shop.pay) Shop.pay({ price: price }, show);
            else show(price);
        });
        </script>
        """
    }
}
