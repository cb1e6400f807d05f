import ArgumentParser

/// The sources of mocks, in order of precedence: `--reply`, the files of `--replies`, the configuration file.
struct ReplySources {
    struct Source {
        enum Kind: Equatable {
            case replies
            case settings
            /// A configuration file that was found and not given by -c; fewer settings are allowed in it.
            case found
            /// The mocks of the example pages, which are served if no folder is given, and the paths of these pages.
            case welcome(pages: String)
        }

        let text: FileText
        let kind: Kind
        let file: ReplyFile

        /// Whether it is a file of the user, and not the welcome page's mocks.
        var isWritten: Bool { if case .welcome = kind { false } else { true } }

        init(_ text: FileText, kind: Kind) throws {
            self.text = text
            self.kind = kind
            let isNamed = kind == .replies || kind == .settings
            do {
                var file = try ReplyFile(
                    LocatedJSON(parsing: text.bytes), isAlone: kind == .replies,
                    trust: isNamed ? .named(folder: Descriptor.folder(of: text.path)) : .little)
                if case .welcome(let pages) = kind {
                    // Named by README, and no handler has it.
                    file.restrict(toPagesAt: pages, except: "getUser", source: "the shop")
                } else {
                    file.name(by: text.path)
                }
                self.file = file
            } catch {
                throw Failure("\(text.path), \(error)")
            }
        }
    }

    let given: ReplyNames
    private(set) var files: [Source]
    /// The scenarios of `--scenario`; they are switched on after those that the files switch on.
    let scenario: [String]

    /// Reads `--reply` (`given`; the last for a name applies), `--replies` (a later file has precedence), and the
    /// configuration; without any file the welcome page's own mocks are used.
    init(_ given: [String], files: [String], config: ConfigFile?, scenario: [String], isWelcoming: Bool)
        throws
    {
        self.scenario = scenario
        var names = ReplyNames()
        for text in given { try Self.add(text, to: &names) }
        names.source = "--reply"
        self.given = names
        self.files = try files.reversed().map { path in
            do {
                return try Source(FileText(path), kind: .replies)
            } catch  where path.contains("=") {
                throw Failure("\(error); did you mean --reply '\(path)'?")
            }
        }
        if let config { self.files.append(config.source) }
        if isWelcoming, self.files.isEmpty {
            self.files += try WelcomePage.mocks.map { name, bytes, pages in
                try Source(FileText(name, bytes, isRegular: false), kind: .welcome(pages: pages))
            }
        }
        let known = layers.scenarioNames
        for name in scenario where !known.contains(name) {
            throw ValidationError("--scenario: \(NoScenario(name: name, names: known))")
        }
    }

    /// The file, in `files`, that mocks are saved in unless they are in another: the first that was named.
    var saved: Int? {
        files.lastIndex { $0.kind == .replies && $0.text.isRegular }
            ?? files.firstIndex(where: \.text.isRegular)
    }

    var written: [ReplyFile] { files.filter(\.isWritten).map(\.file) }

    func replacing(at place: Int, by source: Source) -> Self {
        var sources = self
        sources.files[place] = source
        return sources
    }

    mutating func add(_ source: Source) {
        files.insert(source, at: files.firstIndex { !$0.isWritten } ?? files.count)
    }

    /// Checks that calls may be forwarded to every program that the mocks name by `$forward`.
    func check(by supplier: OutsideReplies) throws {
        let ofFiles = files.map { file in
            (file.text.path, ReplyLayers(ReplyNames(), files: [file.file], scenario: []).forwards)
        }
        for (source, targets) in [("--reply", given.forwards)] + ofFiles {
            guard let refusal = targets.lazy.compactMap(supplier.refusal).first else { continue }
            throw Failure("\(source): \(refusal)")
        }
    }

    var layers: ReplyLayers {
        var layers = ReplyLayers(given, files: files.map(\.file), scenario: scenario)
        layers.file = saved.map { files[$0].text.path }
        return layers
    }

    /// Parses `getUser={"nick":"Ann"}`: a name, and a mock as JSON.
    static func add(_ text: String, to names: inout ReplyNames) throws {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            if text.hasSuffix(".json") {
                let file = text.hasPrefix("@") ? text.dropFirst() : text[...]
                throw ValidationError("mock \(text): to use a file of mocks, write --replies \(file)")
            }
            throw ValidationError(
                "mock \(text): write name=value, for instance 'getUser={\"nick\":\"Ann\"}'")
        }
        let name = String(text[..<equals])
        let value = Array(text[text.index(after: equals)...].utf8)
        do {
            try names.set(try LocatedJSON(parsing: value), for: name)
        } catch  where (try? JSON(parsing: value)) == nil {
            throw ValidationError(
                "mock \(text): the value must be JSON (\(error.message)); \(remedy(for: value, name))")
        } catch {
            throw ValidationError("mock \(name): \(error.unplaced)")
        }
    }

    private static func remedy(for value: [UInt8], _ name: String) -> String {
        guard value.first != UInt8(ascii: "{"), value.first != UInt8(ascii: "[") else {
            return
                "put names and texts in double quotes, and all of it in single ones: '\(name)={\"nick\":\"Ann\"}'"
        }
        let text = String(decoding: value, as: UTF8.self).trimmingPrefix("'")
        let plain = text.hasSuffix("'") ? text.dropLast() : text
        return "put a text in double quotes: '\(name)=\(JSON.string(String(plain)))'"
    }
}
