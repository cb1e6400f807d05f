import CTexts
import DrawbridgeMocks

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A bridge that is not built in: a script that defines in a page what it would find in an app, and calls native for it
/// (<doc:TeachingABridge>).
///
/// ```swift
/// let runtime = PageRuntime(bridges: [try .named("dsbridge"), try .file("bridges/mine.js")])
/// ```
public struct BridgeScript: Sendable, Equatable {
    /// The name in logs and in the request field `bridge`: the file's name without `.js`, or the option `as`, with
    /// which one script can be used several times.
    package let name: String
    /// The name of the script's file, without `.js`.
    package let script: String
    /// The options, an object, which the script reads as `native.options`.
    package let options: JSON

    private let source: Source

    private enum Source: Sendable, Equatable {
        case shipped([UInt8])
        /// The file is read for each page load, so that a change applies from the next load.
        case file(String)
    }

    /// Thrown if a bridge cannot be used, or its script cannot be read.
    public struct ScriptError: Error, Equatable, CustomStringConvertible {
        /// What is wrong and how to correct it, in one line.
        public let description: String

        fileprivate init(_ description: String) { self.description = description }
    }

    static let mostBytes = 1 << 20

    /// A bridge whose script comes with Drawbridge.
    ///
    /// - Parameters:
    ///   - name: one of ``shipped``.
    ///   - options: an object; the manual lists its members (<doc:Bridges>).
    /// - Throws: a ``ScriptError`` if there is no such bridge, or an option is wrong.
    public static func named(_ name: String, options: JSON = [:]) throws(ScriptError) -> BridgeScript {
        guard let script = scripts[name].map(RuntimeScript.withoutComments) else {
            let nearest = Nearest.of(name, among: shipped).map { "; is it \($0)?" } ?? "."
            throw ScriptError(
                "no bridge \(name)\(nearest) There are \(shipped.joined(separator: ", ")); to use a script of yours, give its path: ./\(name).js"
            )
        }
        return try BridgeScript(name, .shipped(script), options)
    }

    /// A bridge whose script is a file of yours.
    ///
    /// The script must be trusted: it runs in every page, like the page's own scripts.
    ///
    /// - Parameters:
    ///   - path: the file; its name becomes that of the bridge: `mine` for `bridges/mine.js`.
    ///   - options: an object, for the script to read.
    /// - Throws: a ``ScriptError`` if the file cannot be read, or its name is not valid for a bridge.
    public static func file(_ path: String, options: JSON = [:]) throws(ScriptError) -> BridgeScript {
        let bridge = try unread(path, options: options)
        _ = try bridge.text()
        return bridge
    }

    /// A bridge whose script file need not exist yet; it is read when a page asks for it.
    package static func unread(_ path: String, options: JSON = [:]) throws(ScriptError) -> BridgeScript {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        guard file.hasSuffix(".js") else {
            throw ScriptError("\(path): a bridge is a script; its name ends in .js")
        }
        return try BridgeScript(String(file.dropLast(3)), .file(path), options)
    }

    private init(_ script: String, _ source: Source, _ options: JSON) throws(ScriptError) {
        guard options.objectValue != nil else {
            throw ScriptError("the options of the bridge \(script) must be an object")
        }
        let handlers = options["handlers"] ?? [:]
        guard handlers.objectValue?.allSatisfy({ $0.value.objectValue != nil }) == true else {
            throw ScriptError(
                #"the option handlers of the bridge \#(script) must have an object for each name: {"pay": {"order": ["callback", "data"]}}"#
            )
        }
        let name: String
        switch options["as"] {
        case nil: name = script
        case .string(let other): name = other
        default:
            throw ScriptError("the option as of the bridge \(script) must be a name, such as wechat")
        }
        guard BridgeName.isOne(name) else {
            throw ScriptError(
                "\(name).js: the name of a bridge is 1 to 32 ASCII letters, digits, - and _; rename the file")
        }
        guard !BridgeName.own.contains(name) else {
            throw ScriptError(
                "\(name).js: pages already have a bridge \(name); give yours another name with the option as"
            )
        }
        self.name = name
        self.script = script
        self.source = source
        self.options = options
    }

    /// The current text of the script.
    ///
    /// - Throws: a ``ScriptError`` if the file cannot be read.
    package func text() throws(ScriptError) -> [UInt8] {
        switch source {
        case .shipped(let bytes): return bytes
        case .file(let path):
            // Only regular files are read: reading a pipe could block, and a device may never end.
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            defer { if file >= 0 { close(file) } }
            var status = stat()
            guard file >= 0, fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                let shipped = Self.shipped.joined(separator: ", ")
                throw ScriptError(
                    "cannot read the script \(path); give an existing file, or one of \(shipped)")
            }
            if let problem = NamedFile.problem(of: status, at: path) { throw ScriptError(problem) }
            guard status.st_size <= Self.mostBytes else {
                throw ScriptError(
                    "\(path) has \(status.st_size) bytes; the limit for the script of a bridge is 1 MB")
            }
            return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { bytes, count in
                count = max(0, read(file, bytes.baseAddress, bytes.count))
            }
        }
    }

    package var isShipped: Bool {
        if case .shipped = source { true } else { false }
    }

    package func gives(_ lack: Lack) -> Bool {
        guard script == (lack.value.stringValue ?? lack.value["name"]?.stringValue) else { return false }
        // The script `object` serves many bridges, so its option `object` must match too.
        return script != "object" || options["object"] == lack.value["options"]?["object"]
    }

    /// The element of the setting `bridge` that gives it; nil for a script of a file, which a found file may not name.
    package var setting: JSON? {
        guard isShipped else { return nil }
        return options == [:] ? .string(script) : ["name": .string(script), "options": options]
    }

    /// The names of the bridges that come with Drawbridge, sorted.
    public static let shipped = scripts.keys.sorted()

    private static let scripts = Texts(bridge_texts()).files

    package var path: String { "\(OwnPath.bridge.path)/\(name).js" }
}
