// What is known of the ways in Pages/ways.js and Pages/frames.js.
extension Attack {
    /// Those that every browser goes from every page, whatever becomes of the answer.
    static let certain: Set = [
        "image", "image without referrer", "image with CORS", "image in SVG", "input image", "script",
        "script with CORS", "module", "dynamic import", "JSON import", "stylesheet", "style @import",
        "style background", "preload as script", "preload as image", "preload as fetch", "module preload",
        "poster", "fetch", "fetch with credentials", "fetch of JSON", "fetch with PUT", "fetch blind",
        "fetch blind POST", "fetch kept alive", "XHR", "XHR of a form", "XHR of JSON", "synchronous XHR",
        "synchronous XHR of text", "synchronous XHR of JSON", "beacon", "empty beacon", "event stream",
        "WebSocket", "worker fetch", "worker blind fetch", "worker synchronous XHR", "worker importScripts",
        "frame", "frame moved", "object", "embed", "form GET", "form POST", "form of parts", "form of text",
        "form without referrer", "window", "ping", "frame refreshed", "frame with a document",
        "frame of a blob",
    ]

    /// Those of which no browser says where they come from, at a plain http name.
    static let unsaid: Set = [
        "image without referrer", "form without referrer", "worker fetch", "worker blind fetch",
        "worker synchronous XHR", "worker importScripts", "frame with a document", "frame of a blob",
    ]

    /// Those that let a page of the same origin read the answer.
    static let readable: Set = readableWithCORS.union([
        "fetch with credentials", "frame", "frame moved", "form GET", "form POST", "window",
    ])

    /// Those that let a page of a listed origin read the answer.
    static let readableWithCORS: Set = [
        "JSON import", "fetch", "fetch of JSON", "fetch with PUT", "XHR", "XHR of a form", "XHR of JSON",
        "synchronous XHR", "synchronous XHR of text", "synchronous XHR of JSON", "worker fetch",
        "worker synchronous XHR", "frame with a document",
    ]
}
