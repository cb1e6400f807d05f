import Drawbridge
import Foundation
import TestSupport
import Testing

/// What is saved from the inspector of the command, in real browsers.
@Suite("Saving from the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorFileTests {
    /// From "nothing happens" to "answered, saved, live", without a restart.
    @Test(arguments: Browser.tried) func anAnswerTypedForAnUnansweredCallIsSavedAndUsedAtOnce(
        _ browser: Browser
    )
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        let written = """
            {
                // What the app answers.
                "replies": {
                    "pay": {"code": 0}
                }
            }

            """
        try folder.write("drawbridge.json", written)
        try await InspectedBrowser.inspect(browser, folder) { driven, inPage in
            let call = "call('getVip', { level: 3 })"
            #expect(try await inPage(call)["code"] == 400)
            try await driven.expect("document.querySelector('.row.nobody') !== null")
            try await driven.press("k")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.activeElement.matches('.card.nobody textarea')")
            try await driven.type(#"{"nick": "Ann"}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.includes('/drawbridge.json, line 5.')"
            )
            #expect(
                try folder.read("drawbridge.json")
                    == written.replacing(
                        #""pay": {"code": 0}"#,
                        with: "\"pay\": {\"code\": 0},\n        \"getVip\": {\"nick\": \"Ann\"}"))
            #expect(try await inPage(call)["data"] == ["nick": "Ann"])
            try await driven.expect("document.querySelectorAll('.row.call.answered').length", 1)
            // What is left to do is red, and this is done.
            try await driven.expect("document.querySelectorAll('.row.nobody.past').length", 1)
        }
    }

    /// What is wrong now is in the tab's title and above the list, and nothing else is.
    @Test(arguments: Browser.tried) func aSaveTurnsWhatItAnswersPaleAndUndoTurnsItRed(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        try folder.write("drawbridge.json", "{}\n")
        try await InspectedBrowser.inspect(browser, folder, ["--save"]) { driven, inPage in
            for call in ["call('order', { level: 1 })", "call('order', { level: 2 })", "call('getVip')"] {
                #expect(try await inPage(call)["code"] == 400)
            }
            func expect(_ names: String, pale: Int, _ place: SourceLocation = #_sourceLocation) async throws {
                let title = "\(names.prefix { $0 != ":" }) · Drawbridge"
                try await driven.expect("document.title", .string(title), place)
                let shown = "[...document.querySelectorAll('#red button')].map(b => b.textContent).join(' ')"
                try await driven.expect(shown, .string(names.replacing(":", with: "")), place)
                let past = "document.querySelectorAll('.row.nobody.past').length"
                try await driven.expect(past, .number(.init(pale)), place)
            }
            try await expect("2 to answer: order getVip", pale: 0)
            // By hand, for one of both inputs; then for pages that are others; then for all. A name of a built-in
            // handler would be answered by that behind the cases.
            try folder.write(
                "drawbridge.json",
                #"{"replies": {"order": {"$cases": [{"$when": {"level": 1}, "$reply": 0}]}}}"#)
            try await expect("2 to answer: order getVip", pale: 1)
            try folder.write("drawbridge.json", #"{"pages": {"/other": {"replies": {"order": 0}}}}"#)
            try await expect("2 to answer: order getVip", pale: 0)
            try folder.write("drawbridge.json", #"{"replies": {"order": 0}}"#)
            try await expect("1 to answer: getVip", pale: 2)
            try await driven.expect(
                "document.querySelector('.row.past .answer').textContent", "mocked since")
            // The counter leads to what is left, and so does the key.
            try await driven.click("document.querySelector('#red button')")
            let selected = "document.querySelector('.row[aria-selected=true] .name')?.textContent"
            try await driven.expect(selected, "getVip")
            try await driven.expect("document.activeElement.matches('.card.nobody textarea')")
            try await driven.type("1")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.title", "Drawbridge")
            try await driven.expect("document.getElementById('red').hidden")
            try await driven.expect("document.querySelectorAll('.row.nobody:not(.past)').length", 0)
            try await driven.click(InspectedBrowser.button("Undo"))
            try await expect("1 to answer: getVip", pale: 2)
            try await driven.expect("document.querySelector('.card.nobody') !== null")
        }
    }

    /// The same by the mouse, in a file that has no reply yet, with a page that calls as it loads.
    @Test(arguments: Browser.tried) func anAnswerSavedByMouseIsUsedByThePage(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write(
            "index.html",
            InspectedSite.page
                + "<script>MyApp.pay(); window.told = call('getVip').then(answer => answer.data ?? answer.code);</script>"
        )
        try folder.write("drawbridge.json", "{}\n")
        let options = ["--shortcuts", "MyApp", "--reply", "pay=0"]
        try await InspectedBrowser.inspect(browser, folder, options) { driven, inPage in
            try await driven.expect("document.getElementById('tab-pages').textContent", "Pages 1")
            #expect(try await inPage("told") == 400)
            try await driven.click("document.querySelector('.row.nobody')")
            try await driven.click("document.querySelector('.card.nobody textarea')")
            try await driven.type(#"{"nick": "Ann"}"#)
            try await driven.click(InspectedBrowser.button("Save in drawbridge.json"))
            try await driven.click(InspectedBrowser.button("Reload the page"))
            try await driven.expect("\(InspectedBrowser.row("getVip")).classList.contains('answered')")
            #expect(try await inPage("told") == ["nick": "Ann"])
            let replies = try JSON(parsing: Array(folder.read("drawbridge.json").utf8))
            #expect(replies == ["replies": ["getVip": ["nick": "Ann"]]])
        }
    }

    /// What is saved is used, whatever was set for a while before; what is typed by halves is there again.
    @Test(arguments: Browser.tried) func aSaveReplacesATemporaryAnswerAndKeepsUnsavedTyping(
        _ browser: Browser
    )
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        try folder.write("drawbridge.json", "{\"replies\": {\"pay\": 0}}\n")
        try await InspectedBrowser.inspect(browser, folder) { driven, inPage in
            #expect(try await inPage("call('pay')")["data"] == 0)
            #expect(try await inPage("call('getVip')")["code"] == 400)
            try await driven.expect("document.querySelector('.row.nobody') !== null")
            let status = "document.querySelector('.answer-editor .status').textContent"
            let text = "document.querySelector('.answer-editor textarea')?.value"

            try await driven.press("n")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.activeElement.matches('.card.nobody textarea')")
            try await driven.type(#"{"nick": "#)
            try await driven.click(InspectedBrowser.row("pay"))
            try await driven.press("e")
            try await driven.expect(text, "0")
            try await driven.press(DrivenBrowser.Key.control, "a")
            try await driven.type("1")
            try await driven.click(InspectedBrowser.button("Until Drawbridge stops"))
            try await driven.expect("\(status).includes('Until Drawbridge stops')")
            #expect(try await inPage("call('pay')")["data"] == 1)
            try await driven.click("document.querySelector('.answer-editor textarea')")
            try await driven.press(DrivenBrowser.Key.control, "a")
            try await driven.type("2")
            try await driven.click(InspectedBrowser.button("Save in drawbridge.json"))
            try await driven.expect("\(status).startsWith('Saved in ')")
            #expect(try await inPage("call('pay')")["data"] == 2)
            #expect(try folder.read("drawbridge.json") == "{\"replies\": {\"pay\": 2}}\n")

            try await driven.click(InspectedBrowser.row("getVip"))
            try await driven.expect(text, #"{"nick": "#)
            try await driven.click("document.querySelector('.answer-editor textarea')")
            try await driven.press(DrivenBrowser.Key.end)
            try await driven.type(#""Ann"}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).startsWith('Saved in ')")
            #expect(try await inPage("call('getVip')")["data"] == ["nick": "Ann"])
        }
    }

    /// What is in the file is more than what one call has shown of it: cases, templates, other scenarios.
    @Test(arguments: Browser.tried) func aMockIsShownAsItIsWrittenAndASaveReplacesOnlyItsText(
        _ browser: Browser
    )
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        let written = """
            {
                "replies": {
                    "pay": {
                        "$cases": [
                            {"$when": {"level": 3}, "$reply": {"code": 0, "orderNo": "{{input.orderNo}}"}},
                            {"code": 6001}
                        ]
                    },
                    "user": {"nick": "nobody"}
                },
                "scenarios": {"signed-in": {"user": {"nick": "Ann"}}}
            }

            """
        try folder.write("drawbridge.json", written)
        let large = "{\"text\": \"\(String(repeating: "x", count: 70_000))\"}"
        try await InspectedBrowser.inspect(browser, folder, ["--scenario", "signed-in"]) { driven, inPage in
            /// Calls, and opens the editor of the answer.
            func answers(_ name: String, _ input: String) async throws {
                _ = try await inPage("call('\(name)', \(input)).then(() => 1)")
                try await driven.expect(
                    "[...document.querySelectorAll('.row .name')].at(-1)?.textContent ?? null", .string(name))
                try await driven.evaluate("(document.getElementById('list').focus(), 1)")
                try await driven.press(DrivenBrowser.Key.end)
                try await driven.press("e")
                try await driven.expect("document.activeElement.matches('.answer-editor textarea')")
            }
            let text = "document.querySelector('.answer-editor textarea').value"
            let status = "document.querySelector('.answer-editor .status').textContent"

            try await answers("pay", "{ level: 3, orderNo: 7 }")
            try await driven.expect("JSON.parse(\(text))", ["code": 0, "orderNo": 7])
            try await driven.expect(
                "document.querySelector('.answer-editor').textContent.includes('/drawbridge.json, line 3')")
            try await driven.click(InspectedBrowser.button("Edit the whole mock"))
            try await driven.expect("\(text).includes('$cases') && \(text).includes('{{input.orderNo}}')")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).startsWith('This answer is already saved.')")
            #expect(try folder.read("drawbridge.json") == written)

            try await answers("user", "null")
            try await driven.expect("\(text)", #"{"nick": "Ann"}"#)
            try await driven.expect(
                "document.querySelector('.answer-editor').textContent.includes('user (signed-in) in ')")
            try await driven.type(#"{"nick": "Carl"}"#)
            try await driven.click(InspectedBrowser.button("Save in drawbridge.json"))
            try await driven.expect("\(status).includes('The page gets it with its next call.')")
            #expect(
                try folder.read("drawbridge.json")
                    == written.replacing(#"{"nick": "Ann"}"#, with: #"{"nick": "Carl"}"#))

            // Of what is long a part is kept, which is neither an answer nor an input.
            try await answers("echo", large)
            try await driven.expect("\(text)", "")
            try await driven.press(DrivenBrowser.Key.escape)
            try await driven.press("r")
            try await driven.expect("document.activeElement.labels?.[0]?.textContent", "Input to send again")
            try await driven.expect("document.activeElement.value", "")
        }
    }

    /// Seven kinds of mocks by three gestures of the mouse: nothing of the file is lost unasked, and all is undone.
    @Test(arguments: Browser.tried) func noActionLosesTextOfTheFileAndEachCanBeUndone(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        let written = """
            {
                // What the app answers.
                "replies": {
                    "aValue": {"nick": "Ann"},  // a person
                    "aChoice": {"$cases": [
                        // the usual
                        {"$when": {"channel": "chat"}, "$reply": {"code": 1}},
                        {"$when": {"channel": "card"}, "$reply": {"order": "{{input.order}}"}}
                    ]},
                    "aSequence": {"$sequence": [{"$error": {"code": 7}}, "done"]},
                    "aDelay": {"$delay": 1, "$reply": {"late": true}},
                    "aQuestion": {"$ask": "Pay?", "$choices": {"yes": {"paid": true}, "no": {"paid": false}}},
                    "aScenario": {"nick": "nobody"},
                    "aPass": {"$pass": true}
                },
                "scenario": "in",
                "scenarios": {"in": {"aScenario": {"$delay": 1, "$reply": {"nick": "Carl"}}}}
            }

            """
        try folder.write("drawbridge.json", written)
        func words(_ text: String) -> [String] {
            text.matches(of: /\$[a-zA-Z]+"/).map { String($0.output) }.sorted()
        }
        let status = "document.querySelector('.answer-editor .status').textContent"
        let buttons =
            "[...document.querySelectorAll('.answer-editor .actions button')].map(one => one.textContent)"
        let options = ["--choose", "aQuestion=yes"]
        try await InspectedBrowser.inspect(browser, folder, options) { driven, inPage in
            var level = 100
            func call(_ name: String, more: Int = 0) async throws -> JSON {
                try await inPage("call('\(name)', { level: \(level + more) })")
            }
            /// Calls with an input that was never sent before, and opens the editor of the answer.
            func answer(_ name: String) async throws {
                level += 1
                _ = try await call(name)
                let row = InspectedBrowser.row("level: \(level)")
                try await driven.expect("\(row) !== undefined")
                try await driven.click(row)
                try await driven.expect("document.querySelector('.title h2').textContent", .string(name))
                if try await driven.evaluate("document.querySelector('.answer-editor') === null") == true {
                    try await driven.click(InspectedBrowser.button("Answer otherwise"))
                }
                try await driven.expect("\(buttons)[0]", "Add a case for this input")
            }
            func press(_ button: String) async throws {
                try await driven.click(InspectedBrowser.button(button, in: ".answer-editor"))
            }
            let kinds = ["aValue", "aChoice", "aSequence", "aDelay", "aQuestion", "aScenario", "aPass"]
            for name in kinds {
                for gesture in ["Add a case for this input", "Save in drawbridge.json", "Once"] {
                    try await answer(name)
                    try await driven.click("document.querySelector('.answer-editor textarea')")
                    try await driven.press(DrivenBrowser.Key.control, "a")
                    try await driven.type(#"{"mine": 1}"#)
                    try await press(gesture)
                    if gesture == "Save in drawbridge.json", name != "aValue" {
                        try await driven.expect(
                            "\(status).startsWith('Saving replaces all of \(name), and loses its $')")
                        #expect(try folder.read("drawbridge.json") == written)
                        try await press("Replace it")
                    }
                    let isOnce = gesture == "Once"
                    try await driven.expect(
                        "\(status).startsWith('\(isOnce ? "The next call of" : "Saved in ")')")
                    let text = try folder.read("drawbridge.json")
                    if gesture != "Save in drawbridge.json" {
                        let lost = words(written).filter { word in
                            words(text).count { $0 == word } < words(written).count { $0 == word }
                        }
                        #expect(lost.isEmpty, "\(name), \(gesture): \(text)")
                        #expect(text.contains("// the usual") && text.contains("{{input.order}}"))
                    }
                    #expect(try await call(name)["data"] == ["mine": 1], "\(name), \(gesture)")
                    if gesture == "Add a case for this input" {
                        #expect(
                            try await call(name, more: 1000)["data"] != ["mine": 1],
                            "\(name), another input")
                    }
                    try await press(isOnce ? "Take back" : "Undo")
                    try await driven.expect(
                        "\(status).startsWith('\(isOnce ? "\(name) is" : "Undone: \(name) in ")')")
                    #expect(try folder.read("drawbridge.json") == written, "\(name), \(gesture)")
                }
            }
            // A reader of the whole mock changes it without a question where nothing of it is lost.
            try await answer("aDelay")
            try await driven.click(InspectedBrowser.button("Edit the whole mock"))
            try await driven.expect(
                "document.activeElement.value", #"{"$delay": 1, "$reply": {"late": true}}"#)
            try await driven.press(DrivenBrowser.Key.control, "a")
            try await driven.type(#"{"$delay": 2, "$reply": {"late": 2}}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).startsWith('Saved in ')")
            #expect(
                try folder.read("drawbridge.json")
                    == written.replacing(
                        #""$delay": 1, "$reply": {"late": true}"#,
                        with: #""$delay": 2, "$reply": {"late": 2}"#))
            // The list of saves is one for all who look.
            try await driven.click("document.getElementById('tab-scenarios')")
            let saves = "[...document.querySelectorAll('#panel-scenarios li')].map(one => one.textContent)"
            try await driven.expect("\(saves).at(-1).startsWith('aDelay in ')")
            try await driven.click(InspectedBrowser.button("Undo", in: "#panel-scenarios"))
            try await driven.expect("\(saves).length", 0)
            #expect(try folder.read("drawbridge.json") == written)
        }
    }
}
