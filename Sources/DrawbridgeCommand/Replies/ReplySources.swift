import ArgumentParser
import Drawbridge

/// Where replies come from: `--reply`, the files of `--replies`, and the configuration file, asked in this order.
struct ReplySources {
    /// Those of `--reply`.
    let given: ReplyNames
    /// The files, the one that is asked first before the others.
    let files: [String]

    /// - Parameters:
    ///   - given: name=value, as `--reply` has it; of two for one name the last counts.
    ///   - files: of those that are named later the replies go before those of the others.
    ///   - config: is asked after all of them.
    init(_ given: [String], files: [String], config: String?) throws {
        var names = ReplyNames()
        for text in given { try Self.add(text, to: &names) }
        self.given = names
        self.files = files.reversed() + (config.map { [$0] } ?? [])
    }

    /// Reads `getUser={"nick":"Ann"}`: a name, and its reply as JSON.
    static func add(_ text: String, to names: inout ReplyNames) throws {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw ValidationError(
                "--reply \(text): write name=value, for instance 'getUser={\"nick\":\"Ann\"}'")
        }
        let name = String(text[..<equals])
        let value = Array(text[text.index(after: equals)...].utf8)
        do {
            try names.set(try LocatedJSON(parsing: value), for: name)
        } catch  where (try? JSON(parsing: value)) == nil {
            let quoted = JSON.string(String(decoding: value, as: UTF8.self))
            throw ValidationError(
                "--reply \(text): what is answered is JSON (\(error.message)); a text stands in quotes: '\(name)=\(quoted)'"
            )
        } catch {
            throw ValidationError(
                "--reply \(name): \(error.key.isEmpty ? "" : "\(error.key): ")\(error.message)")
        }
    }

    /// The layers of replies that these texts of the files give, the first to be asked first.
    ///
    /// - Throws: a ``Failure`` that names file, line, column and key.
    func layers(_ texts: [[UInt8]]) throws -> [ReplyNames] {
        [given] + (try zip(files, texts).map { file, text in try Self.read(text, of: file).replies })
    }

    /// The texts of the files.
    func texts() throws -> [[UInt8]] { try files.map { try JSON.contents(of: $0) } }

    /// Reads the replies of a file.
    static func read(_ text: [UInt8], of file: String) throws -> ReplyFile {
        do {
            return try ReplyFile(LocatedJSON(parsing: text))
        } catch {
            throw Failure("\(file), \(error)")
        }
    }
}
