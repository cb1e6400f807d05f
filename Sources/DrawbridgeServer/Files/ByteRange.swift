import Drawbridge
import HTTPGrammar
import HTTPTypes

/// Which bytes of a file a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// The range for a request: the whole file unless it is a GET whose `If-Range` holds.
    static func asked(by request: Request, of file: OpenFile) -> ByteRange {
        guard request.method == .get, let field = request.headers[.range],
            Conditions(request).allowsRange(of: file)
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
            guard count > 0 else {
                self = .unsatisfiable
                return
            }
            // An empty file has no last bytes, and no Content-Range could name them.
            if size > 0 { self = .part(size - min(count, size)..<size) }
        case (let first?, let last):
            if let last, last < first { return }
            self = first < size ? .part(first..<min(last ?? size, size - 1) + 1) : .unsatisfiable
        }
    }

    /// The number of these digits, `.max` where it is too large; the inner nil for an empty text.
    ///
    /// - Returns: the outer nil for anything but digits, which is malformed.
    private static func number(_ digits: Substring) -> Int?? {
        guard digits.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        return .some(digits.isEmpty ? nil : Int(digits) ?? .max)
    }
}
