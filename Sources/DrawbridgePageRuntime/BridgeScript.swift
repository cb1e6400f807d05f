import CTexts
public import DrawbridgeJSON
import DrawbridgeMessages
import DrawbridgeMocks

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A bridge from outside the core: a script that gives pages what they find in an app, and that speaks to native for
/// them (<doc:TeachingABridge>).
///
/// ```swift
/// let runtime = PageRuntime(bridges: [try .named("dsbridge"), try .file("bridges/mine.js")])
/// ```
public struct BridgeScript: Sendable, Equatable {
    /// What tells it from others, in logs and in `bridge:`: that of its file, without `.js`, or the option `as`, by which
    /// one script may be there more than once.
    public let name: String
    /// The name of its file, without `.js`.
    private let script: String
    /// What its script finds as `native.options`.
    public let options: JSON

    private let source: Source

    private enum Source: Sendable, Equatable {
        case shipped([UInt8])
        /// Read for each page anew, so that a change holds from the next load on.
        case file(String)
    }

    /// A bridge cannot be used, or its script cannot be read.
    public struct ScriptError: Error, Equatable, CustomStringConvertible {
        /// What is wrong and what to do, in one line.
        public let description: String

        fileprivate init(_ description: String) { self.description = description }
    }

    static let mostBytes = 1 << 20

    /// One of those that come with Drawbridge.
    ///
    /// - Parameters:
    ///   - name: see ``shipped``.
    ///   - options: an object; the manual has its members (<doc:Bridges>).
    /// - Throws: a ``ScriptError`` where there is none of that name.
    public static func named(_ name: String, options: JSON = [:]) throws(ScriptError) -> BridgeScript {
        guard let script = scripts[name].map(RuntimeScript.withoutComments) else {
            let nearest = Nearest.of(name, among: shipped).map { "; is it \($0)?" } ?? "."
            throw ScriptError(
                "no bridge \(name)\(nearest) There are \(shipped.joined(separator: ", ")); one of your own is a file: ./\(name).js"
            )
        }
        return try BridgeScript(name, .shipped(script), options)
    }

    /// A file of one's own.
    ///
    /// Whoever names it trusts it: it runs in every page, as the page's own scripts do.
    ///
    /// - Parameters:
    ///   - path: its name is the bridge's: `mine` for `bridges/mine.js`.
    ///   - options: an object.
    /// - Throws: a ``ScriptError`` where it cannot be read, or its name is not one for a bridge.
    public static func file(_ path: String, options: JSON = [:]) throws(ScriptError) -> BridgeScript {
        let bridge = try unread(path, options: options)
        _ = try bridge.text()
        return bridge
    }

    /// A file of one's own that may not be there yet.
    package static func unread(_ path: String, options: JSON = [:]) throws(ScriptError) -> BridgeScript {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        guard file.hasSuffix(".js") else {
            throw ScriptError("\(path): a bridge is a script; its name ends in .js")
        }
        return try BridgeScript(String(file.dropLast(3)), .file(path), options)
    }

    private init(_ script: String, _ source: Source, _ options: JSON) throws(ScriptError) {
        guard options.objectValue != nil else {
            throw ScriptError("the options of the bridge \(script) are not an object")
        }
        let handlers = options["handlers"] ?? [:]
        guard handlers.objectValue?.allSatisfy({ $0.value.objectValue != nil }) == true else {
            throw ScriptError(
                #"the option handlers of the bridge \#(script) has an object for each name: {"pay": {"order": ["callback", "data"]}}"#
            )
        }
        let name: String
        switch options["as"] {
        case nil: name = script
        case .string(let other): name = other
        default:
            throw ScriptError("the option as of the bridge \(script) is a name, such as wechat")
        }
        guard BridgeName.isOne(name) else {
            throw ScriptError(
                "\(name).js: the name of a bridge has 32 letters, digits, - and _ of ASCII at most")
        }
        guard !BridgeName.own.contains(name) else {
            throw ScriptError(
                "\(name).js: \(name) is a bridge that pages have already; give it another name by the option as"
            )
        }
        self.name = name
        self.script = script
        self.source = source
        self.options = options
    }

    /// The script as it is now.
    ///
    /// - Throws: a ``ScriptError`` where it cannot be read.
    package func text() throws(ScriptError) -> [UInt8] {
        switch source {
        case .shipped(let bytes): return bytes
        case .file(let path):
            let file = URL(filePath: path).resolvingSymlinksInPath()
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            let size = attributes?[.size] as? Int ?? 0
            guard size <= Self.mostBytes else {
                throw ScriptError("\(path) has \(size) bytes; the script of a bridge has 1 MB at most")
            }
            // Only a regular file is read: a pipe may block, and a device has no end.
            let isFile = attributes?[.type] as? FileAttributeType == .typeRegular
            if isFile, let data = try? Data(contentsOf: file) { return Array(data) }
            let shipped = Self.shipped.joined(separator: ", ")
            throw ScriptError(
                "cannot read the script \(path); give one that is there, or one of \(shipped)")
        }
    }

    package var isShipped: Bool {
        if case .shipped = source { true } else { false }
    }

    package func gives(_ hint: BridgeHint) -> Bool {
        guard script == hint.bridge else { return false }
        // The script `object` is another bridge for each object.
        return script != "object" || options["object"]?.stringValue == hint.name
    }

    /// The names of those that come with Drawbridge, sorted.
    public static let shipped = scripts.keys.sorted()

    private static let scripts = Texts(bridge_texts()).files

    package var path: String { "\(OwnPath.bridge.path)/\(name).js" }
}
