import Drawbridge
import HTTPGrammar
import HTTPTypes

// The conditional header fields of a request, `If-None-Match` and the like (RFC 9110, section 13).
extension Request {
    /// The status where a condition does not hold: 304 where the caller has this version, 412 where it wanted another.
    ///
    /// The conditions are evaluated in the order of section 13.2.2; invalid dates are ignored.
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

    /// Whether `If-Range` allows a part: it names this version of the file, or is missing (section 13.1.5).
    func allowsRange(of file: OpenFile) -> Bool {
        guard let field = headers[.ifRange] else { return true }
        if let date = HTTPDate(field) { return date == file.modified }
        guard case .tags(let tags) = EntityTag.List(field), tags.count == 1 else { return false }
        return file.tag.matchesStrongly(tags[0])
    }
}

/// Which bytes of a file a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// The range for a request: the whole file unless it is a GET whose `If-Range` holds.
    static func asked(by request: Request, of file: OpenFile) -> ByteRange {
        guard request.method == .get, let field = request.headers[.range],
            request.allowsRange(of: file)
        else { return .whole }
        return ByteRange(field, size: file.size)
    }

    /// Reads a `Range` field; a malformed one, another unit or several ranges mean the whole file.
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
            // An empty file has no last bytes, and no Content-Range could name them.
            if count == 0 { self = .unsatisfiable }
            if count > 0, size > 0 { self = .part(size - min(count, size)..<size) }
        case (let first?, let last):
            if let last, last < first { return }
            self = first < size ? .part(first..<min(last ?? size, size - 1) + 1) : .unsatisfiable
        }
    }

    /// The number of these digits, `.max` where it is too large; the inner nil for an empty text.
    ///
    /// - Returns: the outer nil for anything but digits, which is malformed.
    private static func number(_ digits: Substring) -> Int?? {
        guard digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return .some(digits.isEmpty ? nil : Int(digits) ?? .max)
    }
}
