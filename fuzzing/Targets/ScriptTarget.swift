import Drawbridge
import Glibc

@testable import DrawbridgeCommand

/// Pages and scripts as `init` reads them, and that the command takes the file that comes of it.
enum ScriptTarget: FuzzTarget {
    private static let path = "/tmp/drawbridge-fuzz-script-\(getpid()).json"

    static func run(_ bytes: [UInt8]) {
        // The first byte says how it is read; a script that is called by another has its second half.
        let names = ["a.js", "a.html", "a.vue"]
        let contents = bytes.dropFirst()
        let name = names[Int(bytes.first ?? 0) % names.count]
        var calls = PageCalls()
        calls.read(Script(Array(contents), path: name))
        calls.read(Script(Array(contents.dropFirst(contents.count / 2)), path: "b.js"))
        let lines = contents.count { $0 == 0x0A } + 1
        for entry in [PageCalls.Kind.call, .computed, .event, .bridge].flatMap(calls.all) {
            check((1...lines).contains(entry.line), "\(entry) is in no line")
        }
        let text = FirstFile(calls, answered: ["echo"]).text
        let file = fopen(path, "w")
        fwrite(Array(text.utf8), 1, text.utf8.count, file)
        fclose(file)
        defer { unlink(path) }
        do {
            _ = try ConfigFile(FileText(path), isFound: true)
        } catch {
            fatalError("\(error) in\n\(text)")
        }
    }
}
