// A record as it is kept outside of the process: as JSON what is small, and input and output as they are.
extension JournalRecord {
    private struct Kept: Codable {
        let record: JournalRecord
        let inputIsWhole: Bool
        let outputIsWhole: Bool
    }

    /// All but the bytes of input and output.
    package var kept: [UInt8] {
        let kept = Kept(record: self, inputIsWhole: input.isWhole, outputIsWhole: output.isWhole)
        return (try? JSON(encoding: kept).bytes) ?? []
    }

    /// Reads a kept record; nil for what another version has kept.
    ///
    /// A call without an end has lost its gateway.
    package init?(kept: [UInt8], input: [UInt8], output: [UInt8]) {
        guard let kept = try? JSON(parsing: kept).decode(Kept.self) else { return nil }
        self = kept.record
        if state == .waiting { state = .left }
        self.input = Value(input, isWhole: kept.inputIsWhole)
        self.output = Value(output, isWhole: kept.outputIsWhole)
    }
}
