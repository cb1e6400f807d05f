package import DrawbridgeJSON
import HTTPGrammar

/// The names that a page finds as members of objects: below `messageHandlers`, at shortcuts, as global functions.
package struct PageNames: Equatable, Sendable {
    /// Those that handlers and replies answer, sorted; none where no object of the page's shows them all.
    var present: [String] = []
    /// Those that settings give to every page, and that a reply says are missing; sorted.
    var absent: [String] = []

    package init(present: [String] = [], absent: [String] = []) {
        self.present = present
        self.absent = absent
    }

    package var members: JSON.Object {
        ["names": .array(present.map(JSON.string)), "absent": .array(absent.map(JSON.string))]
    }
}

/// A name that a page has looked up at an object of native's, and that does not exist.
package struct MissedName: Hashable, Sendable {
    package let name: String
    /// The object as a script names it: `MyApp`, `webkit.messageHandlers`.
    package let object: String

    /// Nil for what the page runtime never sends.
    package init?(_ json: JSON) {
        guard let name = json["missed"]?.stringValue, let object = json["of"]?.stringValue,
            (1...100).contains(name.utf8.count), (1...100).contains(object.utf8.count)
        else { return nil }
        (self.name, self.object) = (name, object)
    }

    package var text: String { isPlain ? "\(object).\(name)" : "\(object)[\(JSON.string(name))]" }

    /// Whether it has nothing but letters, digits and underlines of ASCII.
    package var isPlain: Bool { name.utf8.allSatisfy(\.isWord) }

    package var isMessageHandler: Bool { object == "webkit.messageHandlers" }
}
