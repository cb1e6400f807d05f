import Foundation
import ProgramSupport
import Testing

/// The pictures of the manual show what is there: the modules with what they import, and a request's way.
struct PictureTests {
    @Test func thePictureOfModulesMatchesTheirImports() throws {
        let modules = try Module.all()
        #expect(modules.count > 10, "the modules were not found")
        for module in modules {
            #expect(module.imports == module.dependencies, "\(module.name): its imports, and Package.swift")
        }
        let picture = try #require(try Manual.blocks(of: "text").first { $0.file == "CONTRIBUTING.md" })
        let rows = picture.lines.map { String($0.prefix { $0 != " " }) }
        for complaint in ModulePicture.complaints(about: rows, modules) { Issue.record("\(complaint)") }
        let expected = ModulePicture.lines(rows, modules)
        #expect(
            picture.lines == expected,
            """
            CONTRIBUTING.md:\(picture.line): the modules do not import each other so. Draw them so:
            \(expected.joined(separator: "\n"))
            """)
    }

    /// Who shares no sessions does not need hiredis.
    @Test func onlyTheStoreAndTheCommandNeedHiredis() throws {
        let package = try String(contentsOf: Manual.root.appending(path: "Package.swift"), encoding: .utf8)
        let products = package.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        let needs = Dictionary(uniqueKeysWithValues: try Module.targets().map { ($0.name, $0.dependencies) })
        let found = products.filter { product in
            var (all, new): (Set<String>, Set<String>) = ([], [product])
            while !new.isEmpty {
                all.formUnion(new)
                new = Set(new.flatMap { needs[$0] ?? [] }).subtracting(all)
            }
            return all.contains("CHiredis")
        }
        #expect(products.contains("Drawbridge"))
        #expect(found == ["DrawbridgeStore", "DrawbridgeCommand"])
    }

    @Test func aWronglyDrawnModuleIsNamed() {
        let a = Module("a", imports: ["b", "c"])
        let b = Module("b", imports: ["c"])
        let c = Module("c", imports: [])
        #expect(ModulePicture.lines(["a", "b", "c"], [a, b, c]) == ["a  ●", "b  ▼ ●", "c  ▼ ▼"])
        #expect(ModulePicture.complaints(about: ["a", "b", "c"], [a, b, c]).isEmpty)
        #expect(
            ModulePicture.complaints(about: ["a", "c", "b"], [a, b, c]) == [
                "b imports c, which stands above it"
            ])
        #expect(ModulePicture.complaints(about: ["a", "b"], [a, b, c]) == ["c has no row"])
        #expect(ModulePicture.complaints(about: ["a", "b", "c", "d"], [a, b, c]) == ["d is no module"])
    }

    @Test func theStationsInThePictureOfARequestAreInTheNamedFiles() throws {
        let picture = try #require(
            try Manual.blocks(of: "text").first { $0.file.hasSuffix("/HowItIsBuilt.md") }, "it has no picture"
        )
        let stations = Station.all(in: picture)
        #expect(stations.count > 8)
        for station in stations {
            let file = Manual.root.appending(path: "Sources/\(station.file)")
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            #expect(station.isIn(text), "\(picture.file): \(station.name) is not in Sources/\(station.file)")
        }
    }

    /// What somebody new must read to change how a call is answered, and how long that is.
    @Test func theFilesToReadInAnHourStaySmallEnough() throws {
        let block = try #require(try Self.walk("  file"))
        let files = block.lines.compactMap {
            $0.firstMatch(of: /\w[\w\/+]*\.swift/).map { String($0.output) }
        }
        let lines = try files.map { file in
            let text = try String(contentsOf: Manual.root.appending(path: "Sources/\(file)"), encoding: .utf8)
            return text.count { $0 == "\n" }
        }
        #expect(files.count > 8 && files.count <= 15)
        #expect(Set(files).count == files.count)
        #expect(lines.reduce(0, +) <= 1700, "\(zip(files, lines).map { "\($0) \($1)" })")
    }

    /// The functions that a call passes are in the files that are named, and each is called by one before it.
    @Test(arguments: [("a request", 31), ("a page's call", 28)])
    func theFunctionsThatTheManualListsForACallExist(_ what: String, _ most: Int) throws {
        let block = try #require(try Self.walk("  \(what)"))
        let stops = Station.all(in: block)
        #expect(stops.count > 15 && stops.count <= most, "\(stops.count) stops")
        var earlier = ""
        var isCalledFromOutside = true
        for line in block.lines.dropFirst() {
            guard let stop = Station(in: line) else {
                isCalledFromOutside = true
                continue
            }
            let path = Manual.root.appending(path: "Sources/\(stop.file)")
            let text = try String(contentsOf: path, encoding: .utf8)
            #expect(stop.isIn(text), "\(stop.name) is not in Sources/\(stop.file)")
            let call = "(?<!func )\\b\(stop.call)\\("
            if !isCalledFromOutside {
                #expect(
                    earlier.range(of: call, options: .regularExpression) != nil,
                    "no stop before it calls \(stop.name)")
            }
            isCalledFromOutside = false
            earlier += text
        }
    }

    /// The block of *How it is built* whose first line begins so.
    private static func walk(_ start: String) throws -> Block? {
        try Manual.blocks(of: "text").first {
            $0.file.hasSuffix("/HowItIsBuilt.md") && $0.lines.first?.hasPrefix(start) == true
        }
    }

    @Test func theFilesThatTheManualSaysToCopyExist() throws {
        let article = Manual.root.appending(path: "Sources/Drawbridge/Drawbridge.docc/HowItIsBuilt.md")
        let paths = try String(contentsOf: article, encoding: .utf8)
            .matches(of: /`((?:Sources|Tests|handlers|examples|man)\/[^`]+)`/).map(\.1)
        #expect(paths.count > 15)
        for path in paths {
            let file = Manual.root.appending(path: String(path))
            #expect(FileManager.default.fileExists(atPath: file.path), "HowItIsBuilt.md: \(path)")
        }
    }

    @Test func eachStationIsATypeOrAFunctionOfAType() {
        let text = "extension Gateway {\n    package func plan(for request: Request) -> Plan {\n"
        #expect(Station(name: "Gateway", file: "").isIn(text))
        #expect(Station(name: "Gateway.plan", file: "").isIn(text))
        #expect(!Station(name: "Gate.plan", file: "").isIn(text))
        #expect(!Station(name: "Gateway.begin", file: "").isIn(text))
        let block = Block(
            file: "", line: 1, lines: ["  │", "  1  Gateway.plan   A/B.swift ── refused", "  │ a"])
        #expect(Station.all(in: block).map(\.name) == ["Gateway.plan"])
        #expect(Station.all(in: block).map(\.file) == ["A/B.swift"])
    }
}

/// A target of Package.swift; in the picture, one that programs use, with those of them that it imports.
struct Module {
    let name: String
    private(set) var path = ""
    var imports: Set<String>
    /// What it depends on by Package.swift.
    var dependencies: Set<String>
    private(set) var isSystemLibrary = false

    init(_ name: String, imports: Set<String>) {
        self.name = name
        self.imports = imports
        dependencies = imports
    }

    /// All targets, without what they import.
    static func targets() throws -> [Module] {
        let package = try String(contentsOf: Manual.root.appending(path: "Package.swift"), encoding: .utf8)
        let target = /^(target|executableTarget|testTarget|systemLibrary)\(\s*name: "([\w-]+)"/
        return package.components(separatedBy: "\n        .").compactMap { text in
            guard let (_, kind, name) = text.firstMatch(of: target)?.output else { return nil }
            var module = Module(String(name), imports: [])
            let folder = kind == "testTarget" ? "Tests" : "Sources"
            module.path = text.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) } ?? "\(folder)/\(name)"
            module.isSystemLibrary = kind == "systemLibrary"
            let list = text.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
            module.dependencies = Set(list.matches(of: /"([^"]+)"/).map { String($0.1) })
            return module
        }
    }

    /// Those of Package.swift that are neither tests nor examples.
    static func all() throws -> [Module] {
        let found = try targets().filter { $0.path.hasPrefix("Sources/") || $0.path == "handlers" }.map {
            var module = $0
            module.imports = try imports(in: module.path)
            return module
        }
        let names = Set(found.map(\.name))
        return found.map { module in
            var module = module
            module.imports.formIntersection(names)
            return module
        }
    }

    private static func imports(in folder: String) throws -> Set<String> {
        try Manual.files(in: folder, ending: ".swift").reduce(into: []) { all, file in
            let text = try String(contentsOf: Manual.root.appending(path: file), encoding: .utf8)
            all.formUnion(text.split(separator: "\n").compactMap(imported))
        }
    }

    /// The module that a line imports.
    static func imported(by line: Substring) -> String? {
        guard line.contains("import ") else { return nil }
        let form =
            /^ *(?:@\w+(?:\([^)]*\))? +)*(?:\w+ +)?import +(?:(?:class|enum|func|protocol|struct) +)?(\w+)/
        return line.firstMatch(of: form).map { String($0.1) }
    }
}

/// Modules drawn below each other: the line of each begins at its `●`, goes down, and has a `▼` where it imports one.
private enum ModulePicture {
    static func complaints(about rows: [String], _ modules: [Module]) -> [String] {
        let names = Set(modules.map(\.name))
        let unknown = rows.filter { !names.contains($0) }.map { "\($0) is no module" }
        let missing = names.subtracting(rows).sorted().map { "\($0) has no row" }
        let backwards = modules.flatMap { module in
            module.imports.sorted().compactMap { other -> String? in
                guard let from = rows.firstIndex(of: module.name), let to = rows.firstIndex(of: other) else {
                    return nil
                }
                return to < from ? "\(module.name) imports \(other), which stands above it" : nil
            }
        }
        return unknown + missing + backwards
    }

    static func lines(_ rows: [String], _ modules: [Module]) -> [String] {
        let imports = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0.imports) })
        let width = rows.map(\.count).max() ?? 0
        let columns = rows.filter { imports[$0]?.isEmpty == false }
        return rows.enumerated().map { index, row in
            let marks = columns.map { column -> String in
                if column == row { return "●" }
                let imported = imports[column] ?? []
                if imported.contains(row) { return "▼" }
                let hasBegun = rows[..<index].contains(column)
                return hasBegun && rows[index...].contains(where: imported.contains) ? "│" : " "
            }
            let line =
                row.padding(toLength: width + 2, withPad: " ", startingAt: 0) + marks.joined(separator: " ")
            return String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)])
        }
    }
}

/// Where a request comes by: a type, or a function of one, and the file that has it.
private struct Station {
    let name: String
    let file: String

    static func all(in block: Block) -> [Station] { block.lines.compactMap(Station.init(in:)) }

    init(name: String, file: String) { (self.name, self.file) = (name, file) }

    /// Nil for a line that has none.
    init?(in line: String) {
        guard let found = line.firstMatch(of: /([A-Z]\w+(?:\.\w+)?) +(\w[\w\/+]*\.swift)/) else { return nil }
        self.init(name: String(found.1), file: String(found.2))
    }

    /// What calls it says: a function's name, or that of a type which is made.
    var call: Substring { name.split(separator: ".").last ?? "" }

    func isIn(_ text: String) -> Bool {
        let parts = name.split(separator: ".")
        let type = "\\b(?:class|struct|enum|actor|protocol|extension) \(parts[0])\\b"
        let function = parts.count > 1 ? "\\bfunc \(parts[1])\\b" : ""
        return text.range(of: type, options: .regularExpression) != nil
            && (function.isEmpty || text.range(of: function, options: .regularExpression) != nil)
    }
}
