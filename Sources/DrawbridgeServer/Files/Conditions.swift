// Conditional header fields of a request, such as `If-None-Match` (RFC 9110, section 13).
extension Request {
    /// The status if a condition is false: 304 if the client has this version, 412 if it expects another; else nil.
    ///
    /// Conditions are evaluated in the order of section 13.2.2. Invalid dates are ignored.
    func failedCondition(on file: OpenFile) -> HTTPResponse.Status? {
        if let field = headers[.ifMatch] {
            guard EntityTag.List(field).contains(where: file.tag.matchesStrongly) else {
                return .preconditionFailed
            }
        } else if let date = headers[.ifUnmodifiedSince].flatMap(HTTPDate.init), file.modified > date {
            return .preconditionFailed
        }
        if let field = headers[.ifNoneMatch] {
            return EntityTag.List(field).contains(where: file.tag.matchesWeakly) ? .notModified : nil
        }
        guard let date = headers[.ifModifiedSince].flatMap(HTTPDate.init) else { return nil }
        return file.modified <= date ? .notModified : nil
    }

    /// Whether a range may be sent: `If-Range` is missing, or names this version of the file (section 13.1.5).
    func allowsRange(of file: OpenFile) -> Bool {
        guard let field = headers[.ifRange] else { return true }
        if let date = HTTPDate(field) { return date == file.modified }
        guard case .tags(let tags) = EntityTag.List(field), tags.count == 1 else { return false }
        return file.tag.matchesStrongly(tags[0])
    }
}

/// The bytes of a file that a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// The range for a request; the whole file, unless it is a GET whose `If-Range` allows a range.
    static func asked(by request: Request, of file: OpenFile) -> ByteRange {
        guard request.method == .get, let field = request.headers[.range],
            request.allowsRange(of: file)
        else { return .whole }
        return ByteRange(field, size: file.size)
    }

    /// Parses `Range`; a malformed value, another unit, or several ranges select the whole file.
    init(_ field: String, size: Int) {
        self = .whole
        let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0].lowercased() == "bytes" else { return }
        let bounds = Substring(sides[1].utf8.trimmed).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]) else {
            return
        }
        switch (first, last) {
        case (nil, nil):
            return
        case (nil, let count?):
            // A suffix of an empty file selects the whole file: Content-Range cannot express an empty range.
            if count == 0 { self = .unsatisfiable }
            if count > 0, size > 0 { self = .part(size - min(count, size)..<size) }
        case (let first?, let last):
            if let last, last < first { return }
            self = first < size ? .part(first..<min(last ?? size, size - 1) + 1) : .unsatisfiable
        }
    }

    /// Parses decimal digits; `.max` if they are too large; an inner nil for an empty text.
    ///
    /// - Returns: an outer nil for anything else, which is malformed.
    private static func number(_ digits: Substring) -> Int?? {
        guard digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return .some(digits.isEmpty ? nil : Int(digits) ?? .max)
    }
}
