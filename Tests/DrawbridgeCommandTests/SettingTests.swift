import Testing

@testable import DrawbridgeCommand

/// What is read of the declared options, for files of settings and what describes these.
@Suite struct SettingTests {
    @Test(arguments: [
        ("port", Setting.Kind.value, "number", false), ("grace", .value, "seconds", false),
        ("log-format", .words(["text", "json"]), "format", false), ("root", .path, "folder", false),
        ("upstream-ca", .path, "file", false), ("cors", .value, "origin", true),
        ("single-page", .flag, "single-page", false), ("quiet", .flag, "quiet", false),
    ])
    func saysWhatAnOptionTakes(_ key: String, _ kind: Setting.Kind, _ value: String, _ isList: Bool) throws {
        let setting = try #require(Setting.all[key])
        #expect(setting.kind == kind && setting.value == value && setting.isList == isList)
        #expect(setting.hasOpposite == (kind == .flag && key != "quiet"))
    }

    @Test func everySettingSaysInASentenceWhatItDoes() {
        #expect(Setting.all.count > 40)
        for (key, setting) in Setting.all where !setting.isHidden {
            #expect(key == setting.key && setting.help.count > 20, "\(key): \(setting.help)")
        }
        #expect(Options.keys.contains("port") && !Options.keys.contains("answer"))
        #expect(Setting.all["answer"]?.isHidden == true)
        for key in ["config", "help", "replies", "reply", "scenario", "user-agent"] {
            #expect(Setting.all[key] == nil)
        }
    }
}
