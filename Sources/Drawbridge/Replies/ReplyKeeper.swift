/// Writes replies into the file that was named or found, so that they are there after a restart too.
package protocol ReplyKeeper: Sendable {
    /// The file as people know it; nil where there is none that could be written.
    var file: String? { get async }

    /// Whether programs may write it, and not the inspector alone.
    var isForPrograms: Bool { get }

    /// Writes a reply in place of the one for this name, or beside the others; all else in the file stays as it is.
    ///
    /// - Returns: the file, and the line in which the reply stands.
    /// - Throws: an ``HTTPError`` that says why it is not written.
    func keep(_ reply: JSON, for name: String) async throws -> (file: String, line: Int)
}
