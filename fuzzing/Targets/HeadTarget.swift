import FoundationEssentials
import HTTPTypes

@testable import MicroHTTPD

/// Heads of requests: what the audit lets through is what a strict reader sees (RFC 9112, sections 2 to 6).
enum HeadTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        for layout in HeadLayout.allCases { run(bytes, layout) }
    }

    private static func run(_ bytes: [UInt8], _ layout: HeadLayout) {
        // A block that no library would leave so.
        let target = bytes.split(separator: 0).dropFirst().first.map(Array.init) ?? []
        _ = audit(bytes, layout, lines: 1, target: target)

        guard let wire = WireHead(bytes, layout),
            let head = audit(wire.block, layout, lines: wire.lines, target: wire.target)
        else { return }
        let fields = strictFields(wire.text)
        let hosts = fields.filter { $0.name == "host" }
        let lengths = fields.filter { $0.name == "content-length" }
        let codings = fields.filter { $0.name == "transfer-encoding" }
        check(hosts.count <= 1 && lengths.count + codings.count <= 1, "two ends or two hosts: \(fields)")
        switch head.framing {
        case .none: check(codings.isEmpty && lengths.allSatisfy { Int($0.value) == 0 }, "\(fields)")
        case .length(let count): check(lengths.map(\.value).map { Int($0) } == [count], "\(fields)")
        case .chunked: check(codings.map { $0.value.lowercased() } == ["chunked"], "\(fields)")
        }
        let others = fields.filter { !["host", "content-length", "transfer-encoding"].contains($0.name) }
        let seen = head.request.headerFields.map { (name: $0.name.canonicalName, value: $0.value) }
        check(
            others.elementsEqual(seen, by: ==) && seen.count == head.request.headerFields.count,
            "\(others) is seen as \(seen)")
        // An HTTP/1.0 caller expects nothing, whatever it says (RFC 9110, section 10.1.1).
        let line = wire.text.prefix { $0 != 0x0D }
        let version = line.suffix(3).elementsEqual("1.0".utf8) ? "1.0" : "1.1"
        checkWriting(of: head, fields, as: version, layout)
    }

    private static func audit(
        _ block: [UInt8], _ layout: HeadLayout, lines: Int, target: [UInt8]
    ) -> AuditedHead? {
        do {
            return try block.withUnsafeBytes { bytes in
                try HeadAudit.run(
                    bytes, layout, lines: lines, target: target, scheme: "http", limits: Limits())
            }
        } catch let refusal as Refusal {
            check((400...599).contains(refusal.status.code), "\(refusal)")
            return nil
        } catch {
            fatalError("\(error) is no refusal")
        }
    }

    /// The fields of a head that is beyond doubt; ends the process for any other, which should have been refused.
    private static func strictFields(_ text: [UInt8]) -> [(name: String, value: String)] {
        let lines = String(decoding: text.dropLast(4), as: UTF8.self).unicodeScalars
        let shown = String(lines)
        check(!lines.contains("\0"), "a NUL in \(shown)")
        let pieces = String(lines).components(separatedBy: "\r\n")
        check(
            pieces.allSatisfy { !$0.unicodeScalars.contains("\r") && !$0.unicodeScalars.contains("\n") },
            shown)
        check(pieces[0].wholeMatch(of: /[!-~]+ [!-~]+ HTTP\/1\.[01]/) != nil, shown)
        return pieces.dropFirst().map { line in
            let scalars = line.unicodeScalars
            let colon = scalars.firstIndex(of: ":")
            check(colon != nil, "\(line) has no colon")
            let name = String(scalars[..<colon!])
            check(name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+\-.^_`|~]+/) != nil, "\(line) has no name")
            let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
            let value = scalars[scalars.index(after: colon!)...].drop(while: isBlank)
            let end = value.lastIndex { !isBlank($0) }.map(value.index(after:)) ?? value.startIndex
            return (name.lowercased(), String(value[..<end]))
        }
    }

    /// The head, written anew by what was understood, is understood the same.
    private static func checkWriting(
        of head: AuditedHead, _ fields: [(name: String, value: String)], as version: String,
        _ layout: HeadLayout
    ) {
        let request = head.request
        let path = request.path ?? ""
        let target =
            head.isAbsoluteForm ? "\(request.scheme ?? "")://\(request.authority ?? "")\(path)" : path
        var lines = [
            "\(request.method.rawValue) \(target) HTTP/\(version)", "Host: \(request.authority ?? "")",
        ]
        switch head.framing {
        case .none: break
        case .length(let count): lines.append("Content-Length: \(count)")
        case .chunked: lines.append("Transfer-Encoding: chunked")
        }
        lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
        guard let wire = WireHead(Array(text.utf8), layout) else { fatalError("\(text) has no end") }
        // The same in fewer words may be more bytes, by a Host that was missing.
        guard wire.block.count <= 12 << 10, wire.target.count <= Limits().target else { return }
        guard let again = audit(wire.block, layout, lines: wire.lines, target: wire.target) else {
            fatalError("\(text) is refused")
        }
        var expected = request
        if expected.authority == nil { expected.authority = "" }
        check(again.request == expected, "\(text) is \(again.request)")
        check(again.framing == head.framing && again.expectsContinue == head.expectsContinue, text)
    }
}
