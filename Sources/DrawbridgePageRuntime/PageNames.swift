/// The names that a page finds as members of `messageHandlers` and shortcuts, and as global functions.
package struct PageNames: Equatable, Sendable {
    /// The names with a handler or a reply, sorted; empty if no object in the page lists them all.
    var present: [String] = []
    /// The names that settings give to every page but whose reply is `$missing`, sorted.
    var absent: [String] = []

    package init(present: [String] = [], absent: [String] = []) {
        self.present = present
        self.absent = absent
    }

    package var members: JSON.Object {
        ["names": .array(present.map(JSON.string)), "absent": .array(absent.map(JSON.string))]
    }
}

/// A name that a page has looked up in an object of a bridge, and that nothing answers.
package struct MissedName: Hashable, Sendable {
    package let name: String
    /// The object as scripts write it: `MyApp`, `webkit.messageHandlers`.
    package let object: String

    package init?(_ json: JSON) {
        guard let name = json["missed"]?.stringValue, let object = json["of"]?.stringValue,
            (1...100).contains(name.utf8.count), (1...100).contains(object.utf8.count)
        else { return nil }
        (self.name, self.object) = (name, object)
    }

    package var text: String {
        name.utf8.allSatisfy(\.isWord) ? "\(object).\(name)" : "\(object)[\(JSON.string(name))]"
    }

    package var isMessageHandler: Bool { object == Self.handlers }

    package static let handlers = "webkit.messageHandlers"
    /// For the bridge that would have answered a prompt.
    package static let prompt = "prompt"
}
