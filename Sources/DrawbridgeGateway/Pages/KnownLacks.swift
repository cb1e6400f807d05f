struct KnownLacks {
    struct Known {
        let lack: Lack
        /// What the page looks for, which is the name of the record.
        let title: String
        /// The paths of pages that were told of, as files: `cart/index.html`.
        var files: Set<String>
        /// The journal's record with the button; nil if no file can give it.
        let record: Int?
    }

    var all: [Known] = []
    /// Bridges that scripts of a served folder use.
    var spoken: [SpokenBridge] = []

    /// Pages may look for anything.
    private static let most = 500
    /// The most paths for which one thing is told of: they may have ids.
    private static let mostFiles = 20

    func isNews(_ lack: Lack, of files: Set<String>) -> Bool {
        let told = all.reduce(into: Set<String>()) { if $1.lack == lack { $0.formUnion($1.files) } }
        let isTold = files.isEmpty ? all.contains { $0.lack == lack } : files.isSubset(of: told)
        return !isTold && told.count < Self.mostFiles && all.count < Self.most
    }

    /// Lets the journal be told again, which has forgotten its records.
    mutating func forget() { all = [] }
}
