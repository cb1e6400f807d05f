/// Writes mocks into the file that was given by a flag or found at the start, so that they survive a restart.
package protocol ReplyKeeper: Sendable {
    /// The file's name as shown to people; nil if there is no file that can be written.
    var file: String? { get async }

    /// Why the saved text of a file is not used, in one sentence; nil if all files are in use as saved.
    var problem: String? { get async }

    /// Whether programs may write mocks too, and not only the inspector.
    var isForPrograms: Bool { get }

    /// Replaces the mock of a name in the file, or adds one; everything else in the file stays unchanged.
    ///
    /// - Returns: the file, the line of the mock, and the save's number; nil if nothing changed.
    /// - Throws: an ``HTTPError`` with the reason: 409 if the mock is not `old`, or keywords would be lost.
    func keep(_ mock: KeptMock) async throws -> (file: String, line: Int, save: Int?)

    /// Adds names without a mock to the file, with a value to be filled in, and elements to its lists of settings;
    /// everything else stays unchanged.
    ///
    /// - Returns: the file, the names that were added, and the save's number; nil if nothing changed.
    /// - Throws: an ``HTTPError`` with the reason why nothing was written.
    func keep(missing names: [UnansweredName], giving members: [GivenMember], by: String) async throws -> (
        file: String, names: [String], save: Int?
    )

    /// The last twenty saves of this process that can be undone, newest first.
    var saves: [JSON] { get async }

    /// Undoes a save, by default the newest; mocks that were changed after it are kept.
    ///
    /// - Returns: the file, the names that were restored, and those that were kept.
    /// - Throws: an ``HTTPError``: 409 if all of them were changed after the save.
    func undo(_ save: Int?) async throws -> UndoneSave
}

/// A mock to write: it replaces the one of its name, or becomes a case before it (`isCase`); `old` is the mock that the
/// caller has seen, as JSON, null for none; nil if it has not looked.
package typealias KeptMock = (
    name: String, reply: JSON, isCase: Bool, old: JSON?, session: Session, page: String?, by: String
)

package typealias UndoneSave = (file: String, names: [String], kept: [String])

package struct UnansweredName: Sendable {
    package let name: String
    /// At most three inputs, with secrets removed; a long input is cut, and is then a string.
    package let inputs: [JSON]

    package init(_ name: String, inputs: [JSON]) { (self.name, self.inputs) = (name, inputs) }
}

/// A setting that is a list, and what is added to it.
package typealias GivenMember = (key: String, value: JSON)

/// The file, the names that were added, what pages are given since, the names that cannot be mocked, such as `*`, the
/// number of calls whose names were not kept because there were too many, and the number by which it is undone.
package typealias SavedNames = (
    file: String, names: [String], given: [GivenMember], refused: [String], beyond: Int, save: Int?
)
