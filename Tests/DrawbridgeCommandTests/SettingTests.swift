import Drawbridge
import Testing

@testable import DrawbridgeCommand

/// What files of settings know of the options, by the table that `scripts/options` writes.
@Suite struct SettingTests {
    @Test(arguments: [
        ("port", Setting.Kind.value, false), ("grace", .value, false), ("log-format", .value, false),
        ("root", .path, false), ("upstream-ca", .path, false), ("cors", .value, true),
        ("single-page", .flag, false), ("quiet", .flag, false),
    ])
    func aSettingKnowsTheKindOfValueOfItsOption(_ key: String, _ kind: Setting.Kind, _ isList: Bool) throws {
        let setting = try #require(Setting.all[key])
        #expect(setting.kind == kind && setting.isList == isList)
        #expect(setting.hasOpposite == (kind == .flag && key != "quiet"))
    }

    /// Each form, with what editors put in by themselves: the words that there are, and the usual value.
    @Test(arguments: [
        (
            "log-format",
            #"{"type": "string", "pattern": "[\\s\\S]", "enum": ["text", "json"], "default": "text"}"#
        ),
        ("inspector", #"{"type": "boolean", "default": true}"#),
        ("save", #"{"type": "boolean", "default": false}"#),
        ("grace", #"{"type": "number", "minimum": 0, "maximum": 3600, "default": 3}"#),
        (
            "plain",
            #"""
            {"type": ["string", "array"], "pattern": "[\\s\\S]",
            "items": {"type": "string", "pattern": "[\\s\\S]"}}
            """#
        ),
    ])
    func aSettingGivesTheSchemaOfItsValue(_ key: String, _ form: String) throws {
        var schema = try #require(Setting.all[key]).schema
        #expect(try #require(schema["description"]?.stringValue).contains("(default: ") == false)
        schema["description"] = nil
        #expect(try JSON.object(schema) == JSON(parsing: Array(form.utf8)))
    }

    @Test func everySettingSaysInASentenceWhatItDoes() {
        #expect(Setting.all.count > 40)
        for (key, setting) in Setting.all {
            let says = setting.schema["description"]?.stringValue ?? ""
            #expect(key == setting.key && says.count > 20, "\(key): \(says)")
        }
        for key in ["config", "help", "replies", "reply", "scenario", "user-agent"] {
            #expect(Setting.all[key] == nil)
        }
    }
}
