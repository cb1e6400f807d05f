/// Writes replies into the file that was named or found, so that they are there after a restart too.
package protocol ReplyKeeper: Sendable {
    /// The file as people know it; nil where there is none that could be written.
    var file: String? { get async }

    /// Why a file that was saved is not used, in one sentence; nil where all of them are.
    var problem: String? { get async }

    /// Whether programs may write it, and not the inspector alone.
    var isForPrograms: Bool { get }

    /// Writes a reply in place of the one for this name, or beside the others; all else in the file stays as it is.
    ///
    /// - Returns: the file, and the line in which the reply stands.
    /// - Throws: an ``HTTPError`` that says why it is not written.
    func keep(_ reply: JSON, for name: String) async throws -> (file: String, line: Int)

    /// Writes unanswered names that no file has as replies to be filled in; all else stays as it is.
    ///
    /// - Returns: the file, and those that are new in it.
    /// - Throws: an ``HTTPError`` that says why they are not written.
    func keep(missing names: [UnansweredName]) async throws -> (file: String, names: [String])
}

/// A name that nobody answered, and what was sent with it.
package struct UnansweredName: Sendable {
    package let name: String
    /// At most three, without secrets; of a long one only the beginning, as a string.
    package let inputs: [JSON]

    package init(_ name: String, inputs: [JSON]) {
        self.name = name
        self.inputs = inputs
    }
}

/// The file into which unanswered names were written, those that are new in it, those that no reply can have, such as
/// `*`, and how many calls had further names, when there were too many to keep.
package typealias SavedNames = (file: String, names: [String], refused: [String], beyond: Int)
