/// How a page identifies itself in each message: its id, the number of its life, and how many messages that life has
/// sent and received.
///
/// A document keeps its id while it is loaded, and has one life after the other. In each life both directions number
/// their messages from 1. A life ends when native drops the page, or when the page reaches another store of pages, for
/// example after a restart.
package struct PageSign: Sendable {
    package let id: String
    /// The number of the page's life, from 1.
    package let life: Int
    /// The number of the last message that the page has sent before this one in this life, over any connection.
    let sent: Int
    /// The number of the last message from native that the page has processed in this life.
    package let received: Int
    /// The id of the store of pages to which the page was connected last.
    package let epoch: String

    /// Whether no message was sent or received in this life, so native need not know the life yet.
    package var isFresh: Bool { sent == 0 && received == 0 }

    /// - Parameters:
    ///   - json: the members `page`, `life`, `n`, `received` and `epoch`.
    ///   - id: the page's id, if the JSON does not contain it.
    package init(_ json: JSON, id: String? = nil) throws(HTTPError) {
        guard let id = id ?? json["page"]?.stringValue, Self.isID(id) else {
            throw HTTPError(.badRequest, "page: must be a page's id, 32 hexadecimal digits")
        }
        guard let life = json["life"]?.numberValue?.intValue, Self.counts.contains(life) else {
            throw HTTPError(.badRequest, "life: must be a number from 1, greater each time the page connects")
        }
        self.id = id
        self.life = life
        sent = max(0, json["n"]?.numberValue?.intValue ?? 0)
        received = max(0, json["received"]?.numberValue?.intValue ?? 0)
        epoch = json["epoch"]?.stringValue ?? ""
    }

    /// The valid numbers of lives and messages: the integers that JavaScript represents exactly.
    package static let counts = 1...(1 << 53)

    /// True for 32 lowercase hexadecimal digits, the form in which the page runtime makes random ids.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
    }
}
