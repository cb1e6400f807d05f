import HTTPTypes

extension Request {
    /// Whether a browser sent it: such header fields are written by browsers, and a page cannot take them away.
    ///
    /// A request with none of them is a program's, whatever its `User-Agent` says.
    package var hasBrowserMark: Bool {
        let marks: [HTTPField.Name] = [.origin, .secFetchSite, .secFetchDest, .referer]
        if marks.contains(where: headers.contains) { return true }
        guard let languages = headers.value(.acceptLanguage), languages != "*" else { return false }
        return headers.value(.userAgent)?.contains("Mozilla") == true
    }
}
