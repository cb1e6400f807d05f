public import Drawbridge
import EventLoop
import HTTPTypes
import Logging

/// Serves the files of a folder, and nothing that is not in it.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.staticFiles("public")])
/// ```
///
/// A folder is its `index.html`. Files whose name begins with a dot are not served (but `/.well-known/` is), nor
/// is anything to which a symbolic link leads out of the folder. What is not a file is left to the next responder.
///
/// Caches keep files but ask each time whether they still hold (`ETag`, `Last-Modified`): a page that was just saved
/// is what the next reload shows. One part of a file can be asked for (`Range`), as video players do.
public struct StaticFiles: Responder {
    /// A file of at most this many bytes is read at once; of a larger one the engine sends the open file.
    private static let smallSize = 16 << 10

    private let root: RootFolder
    /// Files that are never served, by whatever path: they are compared by inode.
    private let hidden: [String]
    /// Their names, since a file that is just being replaced has another inode.
    private let hiddenNames: Set<String>
    private let hasComplained = Guarded(false)

    /// Serves a folder that is there.
    ///
    /// - Parameter root: absolute, or relative to the folder that the process is in now.
    /// - Throws: a ``RootError`` whose description is one line for the person who starts the program.
    public init(root: String) throws {
        try self.init(root: root, hiding: [])
    }

    /// Serves a folder without some files: settings, which may have what no page should know.
    ///
    /// - Parameter hidden: paths of these files, which may be created, removed and replaced at any time.
    package init(root: String, hiding hidden: [String]) throws {
        self.init(unchecked: root, hiding: hidden)
        try validate()
    }

    init(unchecked root: String, hiding hidden: [String] = []) {
        self.root = RootFolder(root)
        self.hidden = hidden
        hiddenNames = Set(hidden.compactMap { $0.split(separator: "/").last.map(String.init) })
    }

    /// Checks that the folder is there and can be searched.
    ///
    /// ```swift
    /// let files = StaticFiles.staticFiles(root)
    /// try files.validate()  // "cannot serve files from pubic: No such file or directory; create the folder, …"
    /// ```
    ///
    /// - Throws: a ``RootError`` whose description is one line for the person who starts the program.
    public func validate() throws { try root.validate() }

    /// Answers GET and HEAD of a file; returns nil where there is no file.
    ///
    /// - Throws: a 405 for another method on a file, a 403 for a file that this process may not read.
    public func respond(to request: Request) async throws -> Response? {
        guard let path = RequestedPath(request.path) else { return nil }
        return try answer(request) { walk in
            switch try walk.enter(path.names) {
            case .file(let file)?:
                return path.isFolder
                    || hiddenNames.contains(path.names.last ?? "") && walk.isIn(foldersOf: hidden)
                    || file.isOne(of: hidden)
                    ? nil : try serve(request, with: file, named: path.names.last ?? "")
            case .folder?:
                guard case .file(let index)? = try walk.enter(["index.html"]) else { return nil }
                if path.isFolder { return try serve(request, with: index, named: "index.html") }
                guard request.isRead else { return nil }
                // 301 is known to every web view; without `no-cache` they would keep it for ever.
                let location = path.asFolder(query: Target(request.target).query)
                return Response(
                    .movedPermanently, headers: [.location: location, .cacheControl: "no-cache"])
            case nil:
                return nil
            }
        }
    }

    /// The folder's `index.html`, whatever path the request has; nil where there is none.
    func index(for request: Request) throws -> Response? {
        try answer(request) { walk in
            guard case .file(let index)? = try walk.enter(["index.html"]) else { return nil }
            return try serve(request, with: index, named: "index.html")
        }
    }

    private func answer(
        _ request: Request, _ find: (inout Walk) throws -> Response?
    ) throws -> Response? {
        do {
            guard let folder = try openRoot(for: request) else { return nil }
            var walk = Walk(root: root, way: [folder])
            var response = try find(&walk)
            response?.answeredBy = Response.files
            return response
        } catch {
            throw refusal(error, of: request)
        }
    }
}

extension Responder where Self == StaticFiles {
    /// Files of a folder.
    ///
    /// While the folder is missing, every request goes to the next in line, and the log says why, once.
    /// ``StaticFiles/validate()`` finds out at the start.
    ///
    /// - Parameter root: absolute, or relative to the folder that the process is in now.
    /// - Returns: a responder that declines what is not a file.
    public static func staticFiles(_ root: String) -> Self { StaticFiles(unchecked: root) }
}

extension StaticFiles {
    /// The response with a file below the folder, whatever the method; nil where there is none.
    ///
    /// - Parameter request: the request whose `Range` is answered; nil for the whole file.
    func open(_ names: [String], for request: Request?) throws -> Response? {
        var walk = Walk(root: root, way: [try root.open()])
        guard case .file(let file)? = try walk.enter(names) else { return nil }
        let named = names.last ?? ""
        if let request { return try part(of: file, named: named, for: request) }
        let type = try MediaType.of(file, named: named)
        return Response(.ok, headers: [.contentType: type], body: try body(file, 0..<file.size))
    }

    private func serve(_ request: Request, with file: OpenFile, named name: String) throws -> Response {
        guard request.isRead else {
            throw HTTPError(
                .methodNotAllowed, "\(request.path) is a file: it takes GET and HEAD, not \(request.method)",
                headers: [.allow: "GET, HEAD"])
        }
        var headers: HTTPFields = [
            .eTag: file.tag.text, .lastModified: file.modified.text, .cacheControl: "no-cache",
            .xContentTypeOptions: "nosniff",
        ]
        if let status = request.failedCondition(on: file) { return Response(status, headers: headers) }
        let answer = try part(of: file, named: name, for: request)
        for field in answer.headers { headers.append(field) }
        return Response(answer.status, headers: headers, body: answer.body)
    }

    /// The response with the file, or with the part that `Range` asks for.
    private func part(of file: OpenFile, named name: String, for request: Request) throws -> Response {
        var headers: HTTPFields = [.acceptRanges: "bytes"]
        switch ByteRange.asked(by: request, of: file) {
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(file.size)"
            return Response(.rangeNotSatisfiable, headers: headers)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
            headers[.contentType] = try MediaType.of(file, named: name)
            return Response(.partialContent, headers: headers, body: try body(file, part))
        case .whole:
            headers[.contentType] = try MediaType.of(file, named: name)
            return Response(.ok, headers: headers, body: try body(file, 0..<file.size))
        }
    }

    private func body(_ file: OpenFile, _ part: Range<Int>) throws -> Response.Body {
        guard part.count <= Self.smallSize else {
            return .file(Response.File(handle: file, offset: part.lowerBound, length: part.count))
        }
        let bytes = try file.read(at: part.lowerBound, count: part.count)
        guard bytes.count == part.count else {
            throw HTTPError(.serviceUnavailable, "the file became shorter while it was read; ask again")
        }
        return .bytes(bytes)
    }

    /// Opens the folder; returns nil while it is missing, which is logged once.
    private func openRoot(for request: Request) throws(FileError) -> Descriptor? {
        do {
            return try root.open()
        } catch {
            if error.isShortage { throw error }
            let isFirst = hasComplained.withLock { hasComplained in
                defer { hasComplained = true }
                return !hasComplained
            }
            if isFirst {
                request.logger.error("\(root.explained(error)); until then its files are answered as missing")
            }
            return nil
        }
    }

    private func refusal(_ error: any Error, of request: Request) -> any Error {
        guard let error = error as? FileError else { return error }
        if error.isForbidden {
            return HTTPError(
                .forbidden,
                "\(request.path) may not be read: \(error); let the user that runs the gateway read it")
        }
        if error.isShortage {
            return HTTPError(
                .serviceUnavailable, "\(request.path) cannot be opened now: \(error); ask again in a moment",
                headers: [.retryAfter: "1"])
        }
        return HTTPError(.internalServerError, "\(request.path) cannot be read: \(error)")
    }
}

extension Request {
    fileprivate var isRead: Bool { method == .get || method == .head }
}

/// Answers with the folder's `index.html` where a browser requests a page that is not a file: a route of an app.
///
/// It is the last responder. A path whose last part has a dot, such as `/app.js`, is taken for a missing file.
package struct SinglePage: Responder {
    private let files: StaticFiles

    package init(of files: StaticFiles) { self.files = files }

    package func respond(to request: Request) async throws -> Response? {
        guard DocumentRequest(request) == .page, request.isRead,
            request.path.split(separator: "/").last?.contains(".") != true
        else { return nil }
        return try files.index(for: request)
    }
}
