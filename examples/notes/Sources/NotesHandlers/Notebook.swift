/// What all requests share: made once, and safe to use from many at a time.
actor Notebook {
    private var notes: [String] = []

    /// Adds a note, and gives all.
    func add(_ note: String) -> [String] {
        notes.append(note)
        return notes
    }
}
