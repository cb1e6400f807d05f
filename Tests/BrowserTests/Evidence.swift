import Foundation
import TestSupport

/// What a page that failed looked like, for whoever reads the results: a picture in `.build/screenshots`.
///
/// A page that says what it has become is shown as it was in its own browser; of one that said nothing there is what
/// Chromium shows when it loads it again.
enum Evidence {
    static let folder = URL(filePath: FileManager.default.currentDirectoryPath)
        .appending(path: ".build/screenshots")

    /// Keeps the page as it was when it had failed, and a picture of it.
    ///
    /// - Parameter html: the document, whose scripts are left out.
    static func keep(_ html: String, of page: String, in browser: Browser) async {
        let name = name(page, browser)
        let file = folder.appending(path: "\(name).html")
        let still = html.replacing(/<script.*?<\/script>/.dotMatchesNewlines(), with: "")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(still.utf8).write(to: file)
        } catch {
            return print("no evidence of \(name): \(error)")
        }
        await photograph(file.absoluteString, as: name)
    }

    /// Keeps a picture of a page that said nothing.
    static func keep(pageAt url: String, of page: String, in browser: Browser) async {
        await photograph(url, as: name(page, browser))
    }

    private static func name(_ page: String, _ browser: Browser) -> String {
        "\(browser.rawValue)-\(page.replacing("/", with: "-").replacing(".html", with: ""))"
    }

    private static func photograph(_ url: String, as name: String) async {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let profile = try Folder()
            let command = [
                "30", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run", "--user-data-dir=\(profile.path)", "--window-size=1000,1400",
                "--screenshot=\(folder.appending(path: "\(name).png").path())", url,
            ]
            let program = try Program("timeout", command)
            // The test's own time may be over.
            await Task.detached { _ = await program.wholeOutput() }.value
            print("see .build/screenshots/\(name).png")
        } catch {
            print("no picture of \(name): \(error)")
        }
    }
}
