import Drawbridge
import DrawbridgeServer
import Glibc
import HTTPTypes

/// Files of a folder: target, method, a link's target, and the header fields of the request in a line each.
///
/// Beside the folder lies a file that must never be seen.
enum FilesTarget: FuzzTarget {
    private static let secret = "what nobody may see"
    private static let folder = "/tmp/drawbridge-fuzz-\(getpid())"
    private static let files = {
        for folder in [folder, "\(folder)/root", "\(folder)/root/sub", "\(folder)/root/.git"] {
            mkdir(folder, 0o700)
        }
        write(secret, to: "secret.txt")
        write(secret, to: "root/.git/config")
        write("<!doctype html><meta charset=gbk>", to: "root/index.html")
        write("0123456789", to: "root/digits.txt")
        write("", to: "root/empty.bin")
        write("body {}", to: "root/sub/style.css")
        symlink("../secret.txt", "\(folder)/root/out")
        symlink("sub/style.css", "\(folder)/root/in")
        atexit { FilesTarget.clear() }
        return StaticFiles.staticFiles("\(folder)/root")
    }()

    static func run(_ bytes: [UInt8]) {
        let files = files
        let (lines, rest) = split(bytes, lines: 3)
        var headers = HTTPFields()
        for line in rest.split(separator: 0x0A).prefix(8) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self))
            else {
                continue
            }
            headers.append(HTTPField(name: name, value: parts[1]))
        }
        let method = HTTPRequest.Method(lines[1]) ?? .get
        let request = Request(method, lines[0], headers: headers)
        if !lines[2].isEmpty { symlink(lines[2], "\(folder)/root/link") }
        defer { unlink("\(folder)/root/link") }
        wait { await check(request, files) }
    }

    private static func check(_ request: Request, _ files: StaticFiles) async {
        do {
            guard let response = try await files.respond(to: request) else { return }
            let body = String(decoding: try await response.body.collect(), as: UTF8.self)
            check(!body.contains(secret), "\(request.head.path ?? "") leads out")
            check([200, 206, 301, 304, 412, 416].contains(response.status.code), "\(response.status)")
            if response.status == .partialContent {
                let range = response.headers[.contentRange]?.split { " -/".contains($0) }.compactMap {
                    Int($0)
                }
                check(
                    range?.count == 3 && range![1] - range![0] + 1 == body.utf8.count, "\(response.headers)")
            }
        } catch let error as HTTPError {
            check([403, 405, 503].contains(error.status.code), "\(error)")
        } catch {
            fatalError("\(request.head.path ?? "") fails with \(error)")
        }
    }

    private static func write(_ text: String, to name: String) {
        let file = fopen("\(folder)/\(name)", "w")
        fputs(text, file)
        fclose(file)
    }

    private static func clear() {
        let names = [
            "root/link", "root/in", "root/out", "root/sub/style.css", "root/empty.bin", "root/digits.txt",
            "root/index.html", "root/.git/config", "secret.txt", "root/.git", "root/sub", "root",
        ]
        for name in names { remove("\(folder)/\(name)") }
        rmdir(folder)
    }
}
