import ArgumentParser

/// A value of `--bridge`: `dsbridge`, `./mine.js`, or `object={"object": "WeixinJSBridge"}`.
struct BridgeOption: ExpressibleByArgument, Equatable {
    var script: String
    let options: String?

    init?(argument: String) {
        // A path may contain an equals sign, so the one after `.js` is looked for first.
        let end = argument.firstRange(of: ".js=").map { argument.index(before: $0.upperBound) }
        let equals = argument.hasSuffix(".js") ? nil : end ?? argument.firstIndex(of: "=")
        script = String(argument[..<(equals ?? argument.endIndex)])
        options = equals.map { String(argument[argument.index(after: $0)...]) }
        if script.isEmpty { return nil }
    }

    mutating func resolve(_ folder: String) {
        if let file, !file.hasPrefix("/") { script = "\(folder)/\(script)" }
    }

    /// The path of the script, which is never served as a static file; nil for a shipped bridge.
    var file: String? { script.contains("/") || script.hasSuffix(".js") ? script : nil }

    static func scripts(_ options: [BridgeOption]) throws -> [BridgeScript] {
        var scripts: [BridgeScript] = []
        for option in options {
            let script = try option.bridge()
            guard !scripts.contains(where: { $0.name == script.name }) else {
                throw ValidationError(
                    "--bridge \(option.script): there are two bridges \(script.name); leave one out, or give it another name by its options: {\"as\": \"other\"}"
                )
            }
            scripts.append(script)
        }
        return scripts
    }

    private func bridge() throws -> BridgeScript {
        let json: JSON
        do {
            json = try options.map { try JSON(parsing: Array($0.utf8)) } ?? [:]
        } catch {
            throw ValidationError(
                "--bridge \(script): its options are not JSON: \(error); write for instance "
                    + #"--bridge 'object={"object": "WeixinJSBridge"}'"#)
        }
        do throws(BridgeScript.ScriptError) {
            return file == nil ? try .named(script, options: json) : try .file(script, options: json)
        } catch {
            // The value may come from a file that was found and not given, so control characters are replaced.
            throw ValidationError("--bridge \(script): \(error)".plain)
        }
    }
}
