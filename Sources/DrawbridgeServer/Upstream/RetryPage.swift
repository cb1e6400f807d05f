/// The page shown for a navigation if the upstream cannot be reached; it reloads every two seconds.
enum RetryPage {
    static func response(_ status: HTTPResponse.Status, _ problem: String) -> Response {
        let escaped = problem.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        var response = Response(
            text: """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta http-equiv="refresh" content="2">
                <title>Waiting for the page's server</title>
                <link rel="icon" href="data:,">
                <style>
                :root { color-scheme: light dark }
                body { max-width: 36rem; margin: 20vh auto; padding: 0 1.5rem; font: 1rem/1.5 system-ui, sans-serif }
                pre { white-space: pre-wrap; overflow-wrap: anywhere }
                </style>
                <h1>The page's server does not answer</h1>
                <pre>\(escaped)</pre>
                <p>Start it: this page asks again every two seconds.
                </html>

                """, contentType: "text/html; charset=utf-8")
        response.status = status
        response.headers[.cacheControl] = "no-store"
        response.headers[.retryAfter] = "2"
        return response
    }
}
