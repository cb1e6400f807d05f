package import DrawbridgeJSON
package import DrawbridgeMessages

/// Writes replies into the file that was named or found, so that they are there after a restart too.
package protocol ReplyKeeper: Sendable {
    /// The file as people know it; nil where there is none that could be written.
    var file: String? { get async }

    /// Why a file that was saved is not used, in one sentence; nil where all of them are.
    var problem: String? { get async }

    /// Whether programs may write it, and not the inspector alone.
    var isForPrograms: Bool { get }

    /// Writes a mock where the one is that stands for its name, or with the others; all else in the file stays as it is.
    ///
    /// - Returns: the file, the line in which the mock is, and the number of the save; nil where all was so before.
    /// - Throws: an ``HTTPError`` that says why it is not written: a 409 where it would overwrite words of the mock.
    func keep(_ mock: KeptMock) async throws -> (file: String, line: Int, save: Int?)

    /// Writes unanswered names that no file has as replies to be filled in; all else stays as it is.
    ///
    /// - Returns: the file, and those that are new in it.
    /// - Throws: an ``HTTPError`` that says why they are not written.
    func keep(missing names: [UnansweredName], by: String) async throws -> (file: String, names: [String])

    /// The last twenty saves of this process that can be taken back, the newest first.
    var saves: [JSON] { get async }

    /// Takes a save back, by default the newest: its mocks are as before, where nobody has changed them since.
    ///
    /// - Returns: the file, the names that are as before, and those that were changed and so stay.
    /// - Throws: an ``HTTPError``: a 409 where all of them were changed.
    func undo(_ save: Int?) async throws -> UndoneSave
}

/// A mock to be written, in place of the one for its name or as a case before it (`isCase`); the text that it may replace,
/// as JSON, null for none and nil where nobody has looked; and whose calls it is for.
package typealias KeptMock = (
    name: String, reply: JSON, isCase: Bool, old: JSON?, session: Session, page: String?, by: String
)

package typealias UndoneSave = (file: String, names: [String], kept: [String])

package struct UnansweredName: Sendable {
    package let name: String
    /// At most three, without secrets; of a long one only the beginning, as a string.
    package let inputs: [JSON]

    package init(_ name: String, inputs: [JSON]) { (self.name, self.inputs) = (name, inputs) }
}

/// The file into which unanswered names were written, those that are new in it, those that no reply can have, such as
/// `*`, and how many calls had further names, when there were too many to keep.
package typealias SavedNames = (file: String, names: [String], refused: [String], beyond: Int)
