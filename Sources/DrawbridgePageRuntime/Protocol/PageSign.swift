package import DrawbridgeJSON
package import DrawbridgeMessages
import HTTPGrammar
import HTTPTypes

/// What a page sends with each message to identify itself: who it is, in which of its lives, and how many messages
/// that life has sent and received.
///
/// A document has one id for as long as it is loaded, and lives one after the other under it. A life begins with number
/// 1 in both directions. It ends when native gives the page up, and when the page finds another store of pages.
package struct PageSign: Sendable {
    package let id: String
    /// Which life it is, from 1 on.
    package let life: Int
    /// The number of the last message that the page has sent in this life before, by any way.
    let sent: Int
    /// The number of the last message from native that the page has applied in this life.
    package let received: Int
    /// The store of pages that the page spoke to last.
    package let epoch: String

    /// Whether nothing was sent or received in this life, so that native may not know of it yet.
    package var isFresh: Bool { sent == 0 && received == 0 }

    /// - Parameters:
    ///   - json: the members `page`, `life`, `n`, `received` and `epoch`.
    ///   - id: the page's id where it is not in the JSON.
    package init(_ json: JSON, id: String? = nil) throws(HTTPError) {
        guard let id = id ?? json["page"]?.stringValue, Self.isID(id) else {
            throw HTTPError(.badRequest, "page: must be the id of a page, 32 hexadecimal digits")
        }
        guard let life = json["life"]?.numberValue?.intValue, Self.counts.contains(life) else {
            throw HTTPError(.badRequest, "life: must be the number of the page's life, 1 for its first")
        }
        self.id = id
        self.life = life
        sent = max(0, json["n"]?.numberValue?.intValue ?? 0)
        received = max(0, json["received"]?.numberValue?.intValue ?? 0)
        epoch = json["epoch"]?.stringValue ?? ""
    }

    /// The numbers of lives and messages, as far as JavaScript can count exactly.
    package static let counts = 1...(1 << 53)

    /// True for 128 bits in hexadecimal digits, as the page runtime draws them.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
    }
}
