// What may differ between the direct way to a server and the one through the gateway. Anything else is a fault.
extension Message {
    /// Fields that mean one connection, and those that the gateway writes itself.
    ///
    /// `Date` is the time of the answer. The reason phrase is not compared: a reply has none.
    private static let own: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "via", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "host", "date",
    ]

    /// How this one, which went the direct way, differs from one that went through the gateway; each a sentence.
    func differences(to other: Message) -> [String] {
        var found: [String] = []
        if start != other.start { found.append("\(start) became \(other.start)") }
        let ours = comparable
        var theirs = other.comparable
        // A frame may be another one: a body that came in chunks, or to the end of its connection, may get its length.
        if ours["Content-Length"] == nil, !body.isEmpty, theirs["Content-Length"] == ["\(body.count)"] {
            theirs["Content-Length"] = nil
        }
        for name in Set(ours.keys).union(theirs.keys).sorted() where ours[name] != theirs[name] {
            found.append("\(name): \(ours[name] ?? []) became \(theirs[name] ?? [])")
        }
        if body != other.body {
            let same = zip(body, other.body).prefix { $0 == $1 }.count
            found.append("\(body.count) bytes became \(other.body.count), differing from byte \(same) on")
        }
        return found
    }

    /// The values by name, with its case: the order across names may differ, and so may empty values.
    private var comparable: [String: [String]] {
        var values: [String: [String]] = [:]
        for (name, value) in fields where !Self.own.contains(name.lowercased()) && !value.isEmpty {
            values[name, default: []].append(value)
        }
        return values
    }
}
