import Drawbridge
import HTTPTypes

/// What a caller knows already, and under which circumstances it wants an answer (RFC 9110, section 13).
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

    /// Looks at the conditions in the order of section 13.2.2; dates that are none count as not sent.
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

    /// Whether a part of this version fits to the parts that the caller has (section 13.1.5).
    func allowsRange(of file: OpenFile) -> Bool {
        guard let field = headers[.ifRange] else { return true }
        if let date = HTTPDate(field) { return date == file.modified }
        guard case .tags(let tags) = EntityTag.List(field), tags.count == 1 else { return false }
        return file.tag.matchesStrongly(tags[0])
    }
}
