import HTTPGrammar
import HTTPTypes

// A call as a test.
extension CallCopy {
    /// A test that sets the answer that the call had as a reply, makes the call, and verifies it in the journal.
    ///
    /// - Throws: a 409 where a test cannot say what was sent.
    func test(_ language: Language) throws(HTTPError) -> String {
        let check: JSON = ["name": .string(record.name), "equals": input, "count": 1]
        do throws(ReplyFault) {
            _ = try LocatedJSON(parsing: check.bytes)
        } catch {
            throw HTTPError(
                .conflict, "call \(record.number) cannot be verified by what it sent: \(error.message)")
        }
        guard language == .curl || Literal.isWithinDouble(input) else {
            throw HTTPError(
                .conflict,
                """
                call \(record.number) sent a number that is too large for \(language.rawValue); ask for=curl, which \
                writes it as it was
                """)
        }
        let reply: Result<JSON, Obstacle>
        do throws(Obstacle) {
            reply = .success(try self.reply(in: language))
        } catch {
            reply = .failure(Obstacle("No reply is set, since \(Self.commented(error.why))"))
        }
        return switch language {
        case .playwright: playwright(reply)
        case .pytest: pytest(reply)
        case .curl: shellTest(check, reply)
        }
    }

    /// The reply that answers as the call was answered.
    ///
    /// - Throws: why a test cannot set it, as the end of a sentence.
    private func reply(in language: Language) throws(Obstacle) -> JSON {
        guard !record.name.isEmpty else { throw Obstacle("the call has no name") }
        guard Recording.isForOneName(record) else { throw Obstacle("no reply can have its name for itself") }
        // No handler takes the method of the call, and a test calls by POST.
        let isRefusedMethod = record.by == .nobody && record.code == HTTPResponse.Status.methodNotAllowed.code
        guard !isRefusedMethod else { throw Obstacle("nobody takes the method by which the call came") }
        let reply: JSON
        do throws(Recording.Reason) {
            reply =
                record.by == .nobody
                ? ["$missing": true] : try RecordedReply(of: cleanRecord, answers: setting.answers).json
        } catch {
            throw Obstacle("it is one of those \(error.words)")
        }
        if language != .curl, !Literal.isWithinDouble(reply) { throw Obstacle("a number in it is too large") }
        do throws(ReplyFault) {
            var names = ReplyNames()
            try names.set(try LocatedJSON(parsing: reply.bytes), for: record.name, trust: .little)
        } catch {
            throw Obstacle(error.message)
        }
        return reply
    }

    private struct Obstacle: Error {
        let why: String

        init(_ why: String) { self.why = why }
    }

    private var cleanRecord: JournalRecord {
        guard setting.redaction != nil, record.output.isWhole else { return record }
        var clean = record
        clean.output = JournalRecord.Value(record.shownOutput(setting.redaction).bytes)
        return clean
    }

    /// The member of the repeated call's record that shows the same answer, and its value.
    private var wanted: (member: String, value: JSON) {
        switch record.state {
        case .silent: ("state", "silent")
        case .error, .expired, .left: ("code", .number(.init(record.code ?? 500)))
        case .answered, .waiting, nil: ("output", record.shownOutput(setting.usual))
        }
    }

    private var place: String {
        record.page.map { "the page at \(Self.commented($0.path))" } ?? "a program"
    }

    /// A text that may stand in a comment of one line.
    static func commented(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value >= 0x20 && $0.value < 0x7F ? $0 : "?" }))
    }

    private func playwright(_ reply: Result<JSON, Obstacle>) -> String {
        let name = Literal.javaScript(.string(record.name))
        let (answer, check) =
            switch reply {
            case .success(let reply):
                (
                    "await native.reply(\(name), \(Literal.javaScript(reply)));",
                    "assert.deepEqual(call.\(wanted.member), \(Literal.javaScript(wanted.value)));"
                )
            case .failure(let obstacle): ("// \(obstacle.why)", "assert.notEqual(call.state, 'waiting');")
            }
        return """
            import assert from 'node:assert/strict';
            import { test } from 'drawbridge-gateway/playwright';

            test(\(name), async ({ native }) => {
              \(answer)
              // In its place, let \(place) call: await page.goto(…), and a click.
              const call = await native.call(\(name), \(Literal.javaScript(input)));
              \(check)
              await native.verify(\(name), undefined, { equals: \(Literal.javaScript(input)), count: 1 });
            });

            """
    }

    private func pytest(_ reply: Result<JSON, Obstacle>) -> String {
        let name = Literal.python(.string(record.name))
        let (answer, check) =
            switch reply {
            case .success(let reply):
                (
                    "native.reply(\(name), \(Literal.python(reply)))",
                    "call[\"\(wanted.member)\"] == \(Literal.python(wanted.value))"
                )
            case .failure(let obstacle): ("# \(obstacle.why)", "call[\"state\"] != \"waiting\"")
            }
        let words = record.name.utf8.map { $0.isAlphanumeric ? String(UnicodeScalar($0)) : "_" }
        return """
            def test_\(words.joined().prefix(60))(native):
                \(answer)
                # In its place, let \(place) call: page.goto(...), and a click.
                call = native.call(\(name), \(Literal.python(input)))
                assert \(check)
                native.verify(\(name), equals=\(Literal.python(input)), count=1)

            """
    }

    private func shellTest(_ check: JSON, _ reply: Result<JSON, Obstacle>) -> String {
        let target = Self.quoted("replies?name=\(Percent.encode(record.name, keeping: "/"))")
        let call: JSON = ["name": .string(record.name), "input": input]
        var part = "\"state\":"
        let answer: String
        switch reply {
        case .failure(let obstacle): answer = "# \(obstacle.why)"
        case .success(let reply):
            answer = "ask PUT \(target) \(Self.quoted(Literal.ascii(reply)))"
            // The response has non-ASCII unescaped, which a shell line should not have; then only the state is checked.
            if Literal.ascii(wanted.value) == "\(wanted.value)" {
                part = "\"\(wanted.member)\":\(wanted.value),"
                if wanted.member == "output" { part += "\"milliseconds\":" }
            }
        }
        return """
            #!/bin/sh
            # Takes the tester's token from DRAWBRIDGE_TOKEN, and where the gateway is from DRAWBRIDGE_URL.
            set -eu
            base=\(Self.quoted(setting.base))
            api="${DRAWBRIDGE_URL:-$base}/__drawbridge__"
            session="copied-$$"
            ask() {
                printf %s "$3" | curl -sS --globoff --fail-with-body -X "$1" "$api/$2" --data-binary @- \\
                    -H "Authorization: Bearer $DRAWBRIDGE_TOKEN" -H "X-Drawbridge-Session: $session" \\
                    -H 'Content-Type: application/json'
            }
            \(answer)
            # In its place, let \(place) call.
            call=$(ask POST calls \(Self.quoted(Literal.ascii(call)))) || { echo "$call" >&2; exit 1; }
            case $call in
                *\(Self.quoted(part))*) ;;
                *) echo "answered was $call" >&2; exit 1 ;;
            esac
            ask POST calls/verify \(Self.quoted(Literal.ascii(check)))
            ask POST reset ''

            """
    }
}
