import Drawbridge
import HTTPTypes

/// The page that a person sees while the page's own server is not there; it asks again by itself.
enum RetryPage {
    /// The page, with what is wrong.
    static func response(_ status: HTTPResponse.Status, _ problem: String) -> Response {
        var response = Response(
            text: """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width">
                <meta http-equiv="refresh" content="2">
                <title>Waiting for the page's server</title>
                <style>
                body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem }
                code { overflow-wrap: anywhere }
                </style>
                <h1>The page's server does not answer</h1>
                <p><code>\(escaped(problem))</code>
                <p>Start it: this page asks again every two seconds.
                </html>

                """, contentType: "text/html; charset=utf-8")
        response.status = status
        response.headers[.cacheControl] = "no-store"
        response.headers[.retryAfter] = "2"
        return response
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            default: text.append(character)
            }
        }
    }
}
