import Glibc

/// Runs a command, and writes down which files below `/usr` it and its children opened or started:
/// `file-watch LIST COMMAND...`.
///
/// It ends with the command's exit code, or with 125 and without having started the command where it may not watch:
/// only root may.
@main
enum FileWatch {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else {
            print("usage: file-watch LIST COMMAND...")
            exit(64)
        }
        do {
            let files = try OpenedFiles()
            let code = try files.collect(while: Array(arguments.dropFirst()))
            try files.write(to: arguments[0])
            exit(code)
        } catch {
            print("file-watch: \(error)")
            exit(125)
        }
    }
}
