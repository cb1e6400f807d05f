import Drawbridge
import HTTPTypes

/// The conditional header fields of a request, `If-None-Match` and the like (RFC 9110, section 13).
struct Conditions {
    enum Verdict {
        case holds
        /// 304: the caller has this version.
        case notModified
        /// 412: the caller wanted another version.
        case failed
    }

    private let headers: HTTPFields

    init(_ request: Request) { headers = request.headers }

    /// Evaluates the conditions in the order of section 13.2.2; invalid dates are ignored.
    func verdict(on file: OpenFile) -> Verdict {
        if let field = headers[.ifMatch] {
            guard EntityTag.List(field).contains(where: file.tag.matchesStrongly) else { return .failed }
        } else if let date = headers[.ifUnmodifiedSince].flatMap(HTTPDate.init), file.modified > date {
            return .failed
        }
        if let field = headers[.ifNoneMatch] {
            return EntityTag.List(field).contains(where: file.tag.matchesWeakly) ? .notModified : .holds
        }
        if let date = headers[.ifModifiedSince].flatMap(HTTPDate.init), file.modified <= date {
            return .notModified
        }
        return .holds
    }

    /// Whether `If-Range` allows a part: it names this version of the file, or is missing (section 13.1.5).
    func allowsRange(of file: OpenFile) -> Bool {
        guard let field = headers[.ifRange] else { return true }
        if let date = HTTPDate(field) { return date == file.modified }
        guard case .tags(let tags) = EntityTag.List(field), tags.count == 1 else { return false }
        return file.tag.matchesStrongly(tags[0])
    }
}
