import Drawbridge

/// A page that asks the same handler by XHR.
struct GreetingPage: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard request.path == "/" else { return nil }
        return Response(text: Self.html, contentType: "text/html; charset=utf-8")
    }

    private static let html = """
        <!doctype html>
        <title>One handler</title>
        <h1></h1>
        <script>
        var xhr = new XMLHttpRequest();
        xhr.open('GET', '/greet?_mobile_bridge=1&name=Cleo');
        xhr.onload = function () {
            document.querySelector('h1').textContent = JSON.parse(xhr.responseText).data.greeting;
        };
        xhr.send();
        </script>
        """
}
