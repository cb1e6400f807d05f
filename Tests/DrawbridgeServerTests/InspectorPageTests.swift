import Testing

@testable import DrawbridgeServer

/// The inspector's own files: what pages said is text there, and nothing else.
@Suite struct InspectorPageTests {
    private static let texts = InspectorDoor.files.filter { !$0.key.hasSuffix(".svg") }.mapValues {
        String(decoding: $0, as: UTF8.self)
    }

    /// Its policy would stop these in a browser that knows it; here none is written.
    @Test(arguments: [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "setHTML", "srcdoc",
        "createContextualFragment", "eval(", "new Function", "javascript:", "setTimeout('", "EventSource",
        "document.cookie", "localStorage",
    ])
    func noInspectorScriptTurnsTextIntoMarkupOrCode(_ word: String) {
        #expect(Self.texts.count > 20)
        for (name, text) in Self.texts { #expect(!text.contains(word), "\(name) has \(word)") }
    }

    @Test func theInspectorsDocumentHasNoInlineScriptOrStyle() throws {
        let document = try #require(Self.texts["index.html"])
        #expect(document.contains("<script type=\"module\" src="))
        #expect(document.firstMatch(of: /\son[a-z]+\s*=/) == nil)
        #expect(document.firstMatch(of: /<style|style=|<script>/) == nil)
        #expect(document.firstMatch(of: /(src|href)="(https?:|\/\/)/) == nil)
    }
}
