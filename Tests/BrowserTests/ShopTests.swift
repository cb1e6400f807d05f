import Drawbridge
import Foundation
import TestSupport
import Testing

/// The shop of `examples/shop` in real browsers, as a person has it who writes no Swift: a file answers all that the
/// page asks of its app.
@Suite("The shop", .serialized, .timeLimit(.minutes(5))) struct ShopTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../examples/shop").standardizedFileURL.path()

    @Test(arguments: Browser.tried)
    func aFileAnswersAllThatTheShopAsksOfItsApp(_ browser: Browser) async throws {
        let shop = try await ServedFolder(Self.folder, "--choose", "pay=pay", "--choose", "share=post")
        try await browser.open("\(shop.address)/") {
            let page = try await shop.page()
            try await shop.expect("user", begins: "Not signed in", in: page)
            try await shop.click("login", in: page)
            try await shop.expect("user", begins: "Ann, 120 points", in: page)

            try await shop.click("payByChat", in: page)
            try await shop.expect("payment", begins: "You cancelled the payment.", in: page)
            try await shop.click("payByCard", in: page)
            try await shop.expect("payment", begins: "Paid: order PP-", in: page)
            // Native says it of its own accord.
            try await shop.expect("receipt", begins: "Receipt R-2041, €24", in: page)

            try await shop.expect("title", begins: "Low tide", in: page)
            try await shop.click("scan", in: page)
            try await shop.expect("title", begins: "Ferry at six", in: page)

            try await shop.play("deep%20link")
            try await shop.expect("title", begins: "Fog, then gulls", in: page)

            try await shop.click("share", in: page)
            try await shop.expect("shared", begins: "The app is not ready; try again.", in: page)
            try await shop.click("share", in: page)
            try await shop.expect("shared", begins: "Shared with everybody", in: page)
            try await shop.click("locate", in: page)
            try await shop.expect("place", begins: "Sent to Greenwich.", in: page)

            try await shop.evaluate("setTimeout(() => location.reload(), 10), 1", in: page)
            let again = try await shop.page(after: page)
            try await shop.expect("user", begins: "Ann, 120 points", in: again)
            try await shop.click("logout", in: again)
            try await shop.expect("user", begins: "Not signed in", in: again)
        }
        #expect(!shop.program.output.contains("warning"), "\(shop.program.output)")
        #expect(await shop.program.stop() == 0)
    }

    /// A page of another app's calls the same names by other bridges, and receives the same, to the byte.
    @Test(arguments: Browser.tried)
    func theShopsFileAnswersByEveryBridge(_ browser: Browser) async throws {
        let site = try await ServedFolder(
            BridgeSite.pages, "--replies", "\(Self.folder)/drawbridge.json", "--choose", "pay=pay",
            "--choose", "share=post", "--scenario", "user/signed-in", "--scheme", "mizhua",
            "--message-handler", "JSBridge,*=reply", "--inject", "callNative", "--shortcuts", "MyApp")
        // Once, the app was not ready.
        _ = try await curl("\(site.address)/share?_mobile_bridge=1")
        let calls: [(name: String, input: String, value: String)] = [
            ("getUser", "{}", #"{"code":0,"data":{"nick":"Ann","points":120}}"#),
            ("pay", #"{"channel":"chat"}"#, #"{"code":6001,"message":"You cancelled the payment."}"#),
            (
                "pay", #"{"channel":"card","orderNo":"PP-1","price":24}"#,
                #"{"code":0,"data":{"orderNo":"PP-1"}}"#
            ),
            ("scanQRCode", "{}", #"{"code":0,"data":{"text":"shop://item/17"}}"#),
            ("share", #"{"title":"Fog"}"#, #"{"code":0,"data":{"with":"everybody"}}"#),
            (
                "requestLocation", "{}",
                #"{"code":0,"data":{"city":"Greenwich","latitude":51.4779,"longitude":-0.0015}}"#
            ),
        ]
        try await browser.open("\(site.address)/outcomes.html?bridge=wvjb6") {
            let page = try await site.page()
            let list = calls.map { "[\"\($0.name)\", \($0.input)]" }.joined(separator: ", ")
            let heard = try await site.evaluate("callAll([\(list)])", in: page).decode(
                [String: [String]].self)
            let values = calls.map(\.value)
            let answers = values.flatMap { ["200", #"{"code":200,"data":\#($0),"message":""}"#] }
            for bridge in [
                "wvjb6", "wvjb5", "wvjb4", "queue", "message", "promise", "shortcut", "shortcutPromise",
                "function",
            ] {
                #expect(heard[bridge] == values, "\(bridge)")
            }
            for bridge in ["flag", "name", "standing"] { #expect(heard[bridge] == answers, "\(bridge)") }
            #expect(heard.count == 12)
        }
        #expect(await site.program.stop() == 0)
    }

    /// What the shop shows where its app is in another state.
    @Test(
        .enabled(if: Browser.chromium.isTried),
        arguments: [
            ("offline", (user: "You are offline.", place: "You are offline.")),
            ("user/signed-in", (user: "Ann, 120 points", place: "Sent to Greenwich.")),
            ("location/denied", (user: "Not signed in", place: "The app may not say where you are.")),
        ])
    func theScenarioFlagSwitchesOnAScenarioOfTheShop(
        _ scenario: String, _ shown: (user: String, place: String)
    )
        async throws
    {
        let shop = try await ServedFolder(Self.folder, "--scenario", scenario)
        try await Browser.chromium.open("\(shop.address)/") {
            let page = try await shop.page()
            // Then its buttons have their work too.
            try await shop.expect("user", begins: shown.user, in: page)
            try await shop.click("locate", in: page)
            try await shop.expect("place", begins: shown.place, in: page)
        }
        #expect(await shop.program.stop() == 0)
    }

    /// It is what an app has, so it knows nothing of what answers here.
    @Test func noScriptOfTheShopMentionsDrawbridge() throws {
        for name in ["index.html", "shop.js"] {
            let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
            #expect(!text.lowercased().contains("drawbridge"), "\(name)")
        }
    }
}
