import Drawbridge
import HTTPTypes

/// The page that a browser shows while the upstream cannot be reached; it reloads by itself.
enum RetryPage {
    /// A response with this page and the error in it.
    static func response(_ status: HTTPResponse.Status, _ problem: String) -> Response {
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
                :root { color-scheme: light dark; --ground: #f3f0ea; --paper: #fffdf9; --ink: #22282b; --line: #d8d2c7 }
                @media (prefers-color-scheme: dark) {
                  :root { --ground: #14191c; --paper: #1c2327; --ink: #e7e3da; --line: #333d42 }
                }
                body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
                main { max-width: 36rem; margin: 0 auto; padding: 20vh 1.5rem 2rem }
                h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; text-wrap: balance }
                pre {
                  margin: 1rem 0; padding: .75rem 1rem; background: var(--paper); border: 1px solid var(--line);
                  border-radius: 6px; font-size: .875rem; white-space: pre-wrap; overflow-wrap: anywhere
                }
                </style>
                <main>
                <h1>The page's server does not answer</h1>
                <pre>\(escaped(problem))</pre>
                <p>Start it: this page asks again every two seconds.
                </main>
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
