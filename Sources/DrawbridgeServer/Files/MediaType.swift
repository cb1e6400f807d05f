package enum MediaType {
    /// The media type of a file, with a charset for a text that cannot declare its own, as pages do.
    static func ofFile(_ name: String) -> String {
        let type = of(name)
        return type.hasPrefix("text/") && type != "text/html" ? "\(type); charset=utf-8" : type
    }

    package static func ofText(_ name: String) -> String { "\(of(name)); charset=utf-8" }

    /// The media type without parameters; `application/octet-stream` for an unknown extension.
    static func of(_ name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
        return byExtension[name[name.utf8.index(after: dot)...].lowercased()] ?? unknown
    }

    static let unknown = "application/octet-stream"

    private static let byExtension = [
        // XML has its own encoding declaration, so its type is not `text/…`, which would get a charset.
        "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "css": "text/css",
        "js": "text/javascript", "mjs": "text/javascript", "cjs": "text/javascript",
        "json": "application/json", "map": "application/json", "jsonld": "application/ld+json",
        "geojson": "application/geo+json", "webmanifest": "application/manifest+json",
        "wasm": "application/wasm", "xml": "application/xml", "xsl": "application/xml",
        "rss": "application/rss+xml", "atom": "application/atom+xml", "vtt": "text/vtt",

        // Texts.
        "txt": "text/plain", "text": "text/plain", "log": "text/plain", "md": "text/markdown",
        "markdown": "text/markdown", "csv": "text/csv", "tsv": "text/tab-separated-values",
        "ics": "text/calendar", "vcf": "text/vcard", "yaml": "application/yaml", "yml": "application/yaml",
        "pdf": "application/pdf", "rtf": "application/rtf", "epub": "application/epub+zip",

        // Pictures.
        "svg": "image/svg+xml", "png": "image/png", "apng": "image/apng", "jpg": "image/jpeg",
        "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif": "image/avif",
        "heic": "image/heic", "jxl": "image/jxl", "ico": "image/vnd.microsoft.icon", "bmp": "image/bmp",
        "tif": "image/tiff", "tiff": "image/tiff",

        // Fonts.
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "ttc": "font/collection", "eot": "application/vnd.ms-fontobject",

        // Sound and moving pictures.
        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg",
        "mov": "video/quicktime", "mkv": "video/matroska", "ts": "video/mp2t",
        "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml", "mp3": "audio/mpeg",
        "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "ogg": "audio/ogg", "oga": "audio/ogg",
        "opus": "audio/ogg", "flac": "audio/flac", "weba": "audio/webm",

        // Archives.
        "zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip",
        "bz2": "application/x-bzip2", "xz": "application/x-xz", "zst": "application/zstd",
        "br": "application/x-brotli", "tar": "application/x-tar", "7z": "application/x-7z-compressed",
        "rar": "application/vnd.rar", "jar": "application/java-archive",
        "apk": "application/vnd.android.package-archive",
    ]
}
