import Testing

@testable import DrawbridgeCommand

/// What is read of the declared options, for files of settings and what describes these.
@Suite struct SettingTests {
    @Test(arguments: [
        ("port", Setting.Kind.value, false), ("grace", .value, false),
        ("log-format", .words(["text", "json"]), false), ("root", .path, false),
        ("upstream-ca", .path, false), ("cors", .value, true),
        ("single-page", .flag, false), ("quiet", .flag, false),
    ])
    func saysWhatAnOptionTakes(_ key: String, _ kind: Setting.Kind, _ isList: Bool) throws {
        let setting = try #require(Setting.all[key])
        #expect(setting.kind == kind && setting.isList == isList)
        #expect(setting.hasOpposite == (kind == .flag && key != "quiet"))
    }

    @Test func everySettingSaysInASentenceWhatItDoes() {
        #expect(Setting.all.count > 40)
        for (key, setting) in Setting.all {
            #expect(key == setting.key && setting.help.count > 20, "\(key): \(setting.help)")
        }
        #expect(Options.keys.contains("port"))
        for key in ["config", "help", "replies", "reply", "scenario", "user-agent"] {
            #expect(Setting.all[key] == nil)
        }
    }
}
