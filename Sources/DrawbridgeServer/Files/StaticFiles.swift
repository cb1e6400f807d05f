import EventLoop

/// Serves the files of a folder, and nothing that is not in it.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.staticFiles("public")])
/// ```
///
/// A folder's path serves its `index.html`. Files are not served if their name begins with a dot (except
/// `/.well-known/`), or if a symbolic link leads out of the folder. Other paths are passed to the next responder.
///
/// Responses have `ETag`, `Last-Modified` and `no-cache`, so browsers revalidate and a reload shows the saved file.
/// `Range` with one range is supported, which video players use.
public struct StaticFiles: Responder {
    /// Files up to this size in bytes are read into memory; larger ones are sent from the open descriptor.
    private static let smallSize = 16 << 10

    private let root: RootFolder
    /// Paths of files that are never served, also not through another path: they are compared by inode.
    private let hidden: [String]
    /// The names of these files, compared too, because a file that is being replaced has another inode for a moment.
    private let hiddenNames: Set<String>
    private let hasComplained = Guarded(false)

    /// Serves an existing folder.
    ///
    /// - Parameter root: an absolute path, or one relative to the current working directory.
    /// - Throws: ``RootError``, whose description is one line for the user.
    public init(root: String) throws {
        try self.init(root: root, hiding: [])
    }

    /// Serves a folder except some files, such as settings with secrets.
    ///
    /// - Parameter hidden: paths of these files. They may be created, removed or replaced later.
    package init(root: String, hiding hidden: [String]) throws {
        self.init(unchecked: root, hiding: hidden)
        try self.root.validate()
    }

    init(unchecked root: String, hiding hidden: [String] = []) {
        self.root = RootFolder(root)
        self.hidden = hidden
        hiddenNames = Set(hidden.compactMap { $0.split(separator: "/").last.map(String.init) })
    }

    /// Answers GET and HEAD for a file; nil if the path has no file.
    ///
    /// - Throws: a 405 for another method on a file, a 403 if the process may not read the file.
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
                // 301, because every web view knows it; `no-cache`, because it would be cached forever otherwise.
                let location = path.asFolder(query: Target(request.target).query)
                return Response(
                    .movedPermanently, headers: [.location: location, .cacheControl: "no-cache"])
            case nil:
                return nil
            }
        }
    }

    /// The root's `index.html`, for any path; nil if there is none.
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
    /// Serves the files of a folder.
    ///
    /// If the folder is missing, requests are passed to the next responder, and the log says so once.
    /// ``StaticFiles/init(root:)`` throws instead.
    ///
    /// - Parameter root: an absolute path, or one relative to the current working directory.
    /// - Returns: a responder that passes on requests without a file.
    public static func staticFiles(_ root: String) -> Self { StaticFiles(unchecked: root) }
}

extension StaticFiles {
    /// The response with a file below the folder, for any method; nil if there is no such file.
    ///
    /// - Parameter request: gives `Range`; nil for the whole file.
    func open(_ names: [String], for request: Request?) throws -> Response? {
        var walk = Walk(root: root, way: [try root.open()])
        guard case .file(let file)? = try walk.enter(names) else { return nil }
        let named = names.last ?? ""
        if let request { return try part(of: file, named: named, for: request) }
        let type = MediaType.ofFile(named)
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

    private func part(of file: OpenFile, named name: String, for request: Request) throws -> Response {
        var headers: HTTPFields = [.acceptRanges: "bytes"]
        switch ByteRange.asked(by: request, of: file) {
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(file.size)"
            return Response(.rangeNotSatisfiable, headers: headers)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
            headers[.contentType] = MediaType.ofFile(name)
            return Response(.partialContent, headers: headers, body: try body(file, part))
        case .whole:
            headers[.contentType] = MediaType.ofFile(name)
            return Response(.ok, headers: headers, body: try body(file, 0..<file.size))
        }
    }

    private func body(_ file: OpenFile, _ part: Range<Int>) throws -> Response.Body {
        guard part.count <= Self.smallSize else {
            return .init(.file(.init(handle: file, offset: part.lowerBound, length: part.count)))
        }
        let bytes = try file.read(at: part.lowerBound, count: part.count)
        guard bytes.count == part.count else {
            throw HTTPError(.serviceUnavailable, "the file became shorter while it was read; ask again")
        }
        return .bytes(bytes)
    }

    /// Opens the folder; nil if it is missing, which is logged once.
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
                request.logger.error("\(root.explained(error)); until then its files are not found")
            }
            return nil
        }
    }

    private func refusal(_ error: any Error, of request: Request) -> any Error {
        guard let error = error as? FileError else { return error }
        if error.isForbidden {
            return HTTPError(
                .forbidden,
                "\(request.path) may not be read: \(error); give the gateway's user permission to read it")
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

/// For single-page apps: answers navigations to paths without a file with the root's `index.html`.
///
/// Use it as the last responder. A path that ends like the name of a file, `/app.js`, is a missing file; `/user/ann.lee` is
/// a route.
package struct SinglePage: Responder {
    private let files: StaticFiles

    package init(of files: StaticFiles) { self.files = files }

    package func respond(to request: Request) async throws -> Response? {
        guard DocumentRequest(request) == .page, request.isRead,
            MediaType.of(request.path) == MediaType.unknown
        else { return nil }
        return try files.index(for: request)
    }
}
