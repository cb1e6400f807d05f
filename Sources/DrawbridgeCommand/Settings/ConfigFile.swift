import ArgumentParser

/// A JSON configuration file whose keys are the flags: `{"port": 8081, "choose": {"alert": "ok"}}`.
///
/// Each member is parsed like the flag, so that both accept the same values.
struct ConfigFile {
    /// The settings; relative paths in them are resolved against the file's folder.
    private(set) var options: Command
    let source: ReplySources.Source
    /// The flags that are equivalent to each setting, by key.
    let settings: [String: [String]]

    /// - Parameter isFound: whether the file was found and not given, so that fewer settings are allowed in it.
    /// - Throws: ``Failure``, which names the file, line and key.
    init(_ text: FileText, isFound: Bool) throws {
        let path = text.path
        let file: LocatedJSON
        do {
            file = try LocatedJSON(parsing: text.bytes)
        } catch {
            throw Failure("\(path), \(error)")
        }
        guard let members = file.members else {
            throw Failure("\(path): settings are an object, for instance {\"port\": 8081}")
        }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        source = try ReplySources.Source(text, kind: isFound ? .found : .settings)
        var all: [(place: String, arguments: [String])] = []
        var said: [String: [String]] = [:]
        for (key, value) in members where !ReplyFile.keys.contains(key) {
            let place = Self.place(path, key, value)
            guard let setting = Setting.all[key] else { throw Self.unknown(key, place, isFound: isFound) }
            guard !isFound || setting.mayBeFound else {
                throw Failure(
                    "\(place): only allowed in a file given by -c: \(Command.program.called) -c \(path)")
            }
            let arguments = try Self.arguments(setting, value.json, place, folder)
            all.append((place, arguments))
            said[key] = arguments.isEmpty ? nil : arguments
        }
        settings = said
        options = try Self.options(all, path)
        // Bridge scripts run in every page, and a found file and its scripts may be from an untrusted source.
        if isFound, let file = options.pages.bridge.lazy.compactMap(\.file).first,
            let (_, value) = members.last(where: { $0.name == "bridge" })
        {
            throw Failure(
                "\(Self.place(path, "bridge", value)): only a file given by -c may name a script of a bridge, such "
                    + "as \(file): \(Command.program.called) -c \(path)")
        }
        for index in options.pages.bridge.indices { options.pages.bridge[index].resolve(folder) }
    }

    /// The keys whose settings are others than in another version of the file, sorted.
    func changes(since other: ConfigFile?) -> [String] {
        let before = other?.settings ?? [:]
        return Set(settings.keys).union(before.keys).filter { settings[$0] != before[$0] }.sorted()
    }

    /// A setting as a line of the log: `bridge: android, dsbridge`.
    func shown(_ key: String) -> String {
        guard let arguments = settings[key] else { return "\(key): none" }
        let values = arguments.compactMap { text in text.firstIndex(of: "=").map { text[$0...].dropFirst() } }
        return values.isEmpty
            ? String(arguments.joined(separator: " ").dropFirst(2))
            : "\(key): \(values.joined(separator: ", "))".cut(to: 300)
    }

    private static func place(_ path: String, _ key: String, _ value: LocatedJSON) -> String {
        "\(path), line \(value.beginning.line), \(key)"
    }

    /// Parses all settings together; if that fails, each is parsed alone, to name the one that is wrong.
    private static func options(
        _ all: [(place: String, arguments: [String])], _ path: String
    ) throws -> Command {
        if let options = try? Command.parse(all.flatMap(\.arguments)) { return options }
        for (place, arguments) in all {
            do {
                _ = try Command.parse(arguments)
            } catch {
                throw Failure("\(place): \(Command.message(for: error))")
            }
        }
        // Each is valid alone, so only these two flags, which exclude each other, can be the reason.
        throw Failure("\(path): quiet and verbose cannot both be true")
    }

    private static func unknown(_ key: String, _ place: String, isFound: Bool) -> Failure {
        let keys = Setting.keys(isFound: isFound) + ReplyFile.keys.subtracting(["$schema"])
        let nearest = Nearest.of(key == "reply" ? "replies" : key, among: keys).map { "did you mean \($0)?" }
        let all =
            "a mock of this name belongs in {\"replies\": {\"\(key)\": …}}; settings are \(keys.sorted().joined(separator: ", "))"
        return Failure("\(place): no such setting; \(nearest ?? all)")
    }

    /// The command-line arguments that are equivalent to a member.
    private static func arguments(
        _ setting: Setting, _ value: JSON, _ place: String, _ folder: String
    ) throws -> [String] {
        let key = setting.key
        let takesAnswers = key == "choose"
        switch value {
        case .null: return []
        case .bool(let isSaid):
            guard setting.kind == .flag else {
                throw Failure("\(place): must not be true or false; see --help")
            }
            if isSaid { return ["--\(key)"] }
            // If there is no `--no-…` flag, as for `--quiet`, false means that the flag is not given.
            return setting.hasOpposite ? ["--no-\(key)"] : []
        case .string, .number:
            let text = value.stringValue ?? "\(value)"
            if setting.kind == .path, !text.isEmpty { return ["--\(key)=\(resolved(text, folder))"] }
            let isFile = takesAnswers && text.hasPrefix("@")
            return ["--\(key)=\(isFile ? "@\(resolved(text.dropFirst(), folder))" : text)"]
        case .array(let values):
            guard setting.isList else { throw Failure("\(place): must be one value, not a list") }
            return try values.flatMap { try arguments(setting, $0, place, folder) }
        case .object(let members) where key == "bridge":
            return [try bridge(members, place)]
        case .object(let members):
            guard takesAnswers else { throw Failure("\(place): must not be an object; see --help") }
            return try members.map { name, answer in
                // `--choose` cannot express such a name: a leading `@` means a file, and `=` ends the name.
                guard !name.hasPrefix("@"), !name.contains("=") else {
                    throw Failure("\(place): \(name) is not the name of a question")
                }
                return "--choose=\(name)=\(written(answer))"
            }
        }
    }

    private static func bridge(_ members: JSON.Object, _ place: String) throws -> String {
        let script = members["name"]?.stringValue ?? members["file"]?.stringValue
        let others = members.map(\.key).filter { !["name", "file", "options"].contains($0) }
        guard let script, others.isEmpty, members["name"] == nil || members["file"] == nil else {
            throw Failure(
                "\(place): a bridge is a name, or an object with name or file, and options, for instance "
                    + #"{"name": "object", "options": {"object": "WeixinJSBridge"}}"#)
        }
        return "--bridge=\(script)\(members["options"].map { "=\($0)" } ?? "")"
    }

    /// An answer in the form of the flag: an object unchanged, any other value as a JSON string.
    private static func written(_ answer: JSON) -> JSON {
        switch answer {
        case .object, .string: answer
        case .null: "cancel"
        default: .string("\(answer)")
        }
    }

    private static func resolved(_ path: some StringProtocol, _ folder: String) -> String {
        path.hasPrefix("/") ? String(path) : "\(folder)/\(path)"
    }
}
