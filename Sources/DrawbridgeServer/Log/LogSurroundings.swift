/// What stands around a log's lines on its output, such as a line that stays below all others.
package protocol LogSurroundings: AnyObject, Sendable {
    /// Writes the next lines with what stands around them; the log's thread alone calls it.
    ///
    /// A prompt may be about a line, and is set after that line was added. So the prompt is looked at before the lines
    /// are taken: then it is never written before the line that it is about.
    ///
    /// - Parameters:
    ///   - take: gives the lines, of which there may be none; to be called once.
    ///   - put: writes, and returns when all is written or nobody takes it.
    func write(_ take: () -> [UInt8], by put: ([UInt8]) -> Void)
}
