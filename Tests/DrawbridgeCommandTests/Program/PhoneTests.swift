import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// A phone on the network is let in: by a link, and by the same as a QR code in the terminal and in the inspector.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled("only the superuser makes network namespaces, with iproute2", Elsewhere.canBeMade))
struct PhoneTests {
    @Test func theTerminalsQRCodeGivesAPhoneAccess() async throws {
        let elsewhere = try await Elsewhere()
        let drawbridge = try TerminalProgram.product("drawbridge", ["-p", "0", "--lan"])
        let links = try await drawbridge.screen { Self.codes(in: $0).count == 1 }.lines.filter {
            $0.hasPrefix("  link ")
        }
        #expect(links.contains { $0.contains("http://\(elsewhere.here):") }, "\(links)")
        #expect(links.allSatisfy { $0.hasSuffix(")") && $0.contains("  (") }, "\(links)")
        let first = Self.link(in: links[0])
        #expect(try await Self.text(of: Self.codes(in: drawbridge.screen)[0]) == first)

        drawbridge.child.type("link\r")
        let screen = try await drawbridge.screen { Self.codes(in: $0).count == 2 }
        let second = try Self.link(
            in: #require(screen.lines.first { $0.contains(" link  http") && $0.contains("#") }))
        #expect(try await Self.text(of: Self.codes(in: screen)[1]) == second)
        #expect(screen.unknown.isEmpty)

        // Both are valid (of one second they are the same), each for several phones.
        let port = try #require(first.firstMatch(of: /:(\d+)\//)).output.1
        let own = "http://\(elsewhere.here):\(port)"
        #expect(try await elsewhere.curl("\(own)/").contains("This device is not connected yet"))
        for ticket in [first, second, second].map({ $0.split(separator: "#")[1] }) {
            let entered = try await elsewhere.curl("-d", String(ticket), "\(own)/__drawbridge__/enter")
            let cookie = try #require(entered.firstMatch(of: /Set-Cookie: ([^;]+);/)).output.1
            let page = try await elsewhere.curl("-H", "Cookie: \(cookie)", "\(own)/")
            #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("<title>"))
        }
        #expect(await drawbridge.stop() == 0)
    }

    @Test func theInspectorShowsTheLinkAndItsQRCode() async throws {
        let elsewhere = try await Elsewhere()
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--lan"])
        let line = try await drawbridge.line(with: "  inspector ")
        let inspector = try String(#require(line.split(separator: " ").first { $0.hasPrefix("http://i-") }))
        let browser = try await Chromium(width: 1280, height: 800)
        // Networks come and go during this test, and Chromium gives up then what it loads: that is tried again.
        repeat {
            try await browser.open("data:text/html,between")
            try await browser.open(inspector)
        } while try await browser.evaluate(Self.wait("document.querySelector('.phone button')")) == false
        try await browser.evaluate("document.getElementById('tab-pages').click()")
        repeat {
            try await browser.evaluate("document.querySelector('.phone button').click()")
        } while try await browser.evaluate(Self.wait("document.querySelector('.phone svg')")) == false
        let link = try await browser.evaluate("document.querySelector('.phone .mono').textContent")
        for (width, scheme) in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")] {
            try await browser.show(width: width, height: 800, scheme: scheme)
            try await browser.screenshot("phone-\(width)-\(scheme)")
            #expect(.string(try await Self.read("artifacts/phone-\(width)-\(scheme).png")) == link)
        }
        let url = try #require(link.stringValue)
        let port = try #require(url.firstMatch(of: /:(\d+)\//)).output.1
        let entered = try await elsewhere.curl(
            "-d", String(url.split(separator: "#")[1]),
            "http://\(elsewhere.here):\(port)/__drawbridge__/enter")
        #expect(entered.hasPrefix("HTTP/1.1 204"), "\(entered)")
    }

    @Test func theInspectorOffersNoLinksToALocalGateway() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let visit = try await InspectorVisit(try await drawbridge.line(with: "  inspector "))
        let drawn = try await visit.post("admissions", "")
        #expect(drawn.contains(#""links":[]"#), "\(drawn)")
    }

    // MARK: QR codes

    private static func link(in line: String) -> String {
        line.split(separator: " ").first { $0.hasPrefix("http") }.map(String.init) ?? ""
    }

    /// The codes that a screen shows, each with its lines.
    private static func codes(in screen: Screen) -> [[String]] {
        var codes: [[String]] = []
        var isInside = false
        for line in screen.lines {
            guard let code = line.firstMatch(of: /[█▀▄][█▀▄ ]{20,}$/) else {
                isInside = false
                continue
            }
            if !isInside { codes.append([]) }
            isInside = true
            codes[codes.count - 1].append(String(code.output))
        }
        // A square of a code has as many rows as columns, and two rows in each line.
        return codes.filter { $0.count == ($0[0].count + 1) / 2 }
    }

    /// What a reader of QR codes makes of the lines of a terminal.
    private static func text(of code: [String]) async throws -> String {
        let folder = try Folder()
        let scale = 6
        var rows: [[Bool]] = []
        for line in code {
            rows.append(line.map { $0 == "█" || $0 == "▀" })
            rows.append(line.map { $0 == "█" || $0 == "▄" })
        }
        let picture = rows.flatMap { row in
            let line = row.flatMap { Array(repeating: $0 ? "0" : "1", count: scale) }.joined(separator: " ")
            return Array(repeating: line, count: scale)
        }
        let (width, height) = (rows[0].count * scale, rows.count * scale)
        let path = try folder.write(
            "code.pbm", "P1\n\(width) \(height)\n\(picture.joined(separator: "\n"))\n")
        return try await read(path)
    }

    /// What a reader of QR codes finds in a picture.
    private static func read(_ path: String) async throws -> String {
        let output = try await Program("zbarimg", ["--nodbus", "-q", "--raw", path]).wholeOutput()
        return String(output.prefix { $0 != "\n" })
    }

    /// Waits until there is an element, and no longer than five seconds; whether there is one.
    private static func wait(_ element: String) -> String {
        """
        new Promise(done => {
            const end = Date.now() + 5000;
            const look = () => \(element) || Date.now() > end ? done(\(element) !== null) : setTimeout(look, 20);
            look();
        })
        """
    }
}
