import Glibc
import Synchronization
import TestSupport

@testable import DrawbridgeStore

/// A store on a Unix socket that answers as the scripts would, or as a test says.
final class PlayedStore: Sendable {
    enum Kind: Sendable { case tick, load, write, owner, records, other }

    /// A command; `session` is the name of the one that it is about.
    struct Asked: Sendable {
        let kind: Kind
        let session: String
        let words: [[UInt8]]

        func text(_ place: Int) -> String { String(decoding: words[place], as: UTF8.self) }
    }

    enum Answer: Sendable {
        case usual
        /// Does it, and breaks the connection off without an answer.
        case broken
        case error(String)
        /// These bytes, and then nothing any more.
        case text(String)
    }

    indirect enum Reply {
        case number(Int)
        case bytes([UInt8])
        case list([Reply])

        var encoded: [UInt8] {
            switch self {
            case .number(let number): ":\(number)\r\n".bytes
            case .bytes(let bytes): "$\(bytes.count)\r\n".bytes + bytes + "\r\n".bytes
            case .list(let list): "*\(list.count)\r\n".bytes + list.flatMap(\.encoded)
            }
        }
    }

    struct Kept: Sendable {
        var owner = ""
        var isOpen = false
        var state: [UInt8] = []
        var from = 0
        var lost = 0
        /// JSON, input and output of each.
        var records: [[[UInt8]]] = []
    }

    struct Content: Sendable {
        var id = "first"
        var numbers = 0
        var sessions: [String: Kept] = [:]
        /// For each gateway the sessions that others ask for.
        var wanted: [String: Set<String>] = [:]
        var answer: @Sendable (Asked) -> Answer = { _ in .usual }
    }

    let asked = Observed<[Asked]>([])
    private let content = Mutex(Content())
    private let folder: Folder
    private let server = Mutex<RawUpstream?>(nil)

    var url: String { "unix:\(folder.path)/store" }

    /// All connections that were ever made to it.
    var connections: [RawConnection] { server.withLock { $0?.connections.value ?? [] } }

    init() throws {
        folder = try Folder()
        let made = try RawUpstream(at: .unix("\(folder.path)/store")) { [weak self] connection in
            while let store = self { try store.answer(connection) }
        }
        server.withLock { $0 = made }
    }

    func change<Value>(_ body: (inout sending Content) -> sending Value) -> sending Value {
        content.withLock(body)
    }

    /// The state of a session, of which only the replies matter.
    static func state(_ replies: String) -> [UInt8] {
        #"{"replies": \#(replies), "scenarios": [], "steps": [], "isTests": true}"#.bytes
    }

    func kept(_ session: String) -> Kept? { content.withLock { $0.sessions[session] } }

    /// Decides how it answers from now on.
    func answers(_ answer: @escaping @Sendable (Asked) -> Answer) { content.withLock { $0.answer = answer } }

    /// Waits until it was asked so often for something, from the beginning on.
    func wait(for count: Int = 1, _ isIt: @escaping @Sendable (Asked) -> Bool) async throws {
        try await asked.wait { $0.count(where: isIt) >= count }
    }

    // MARK: Answering

    private func answer(_ connection: RawConnection) throws {
        let asked = Self.asked(try Self.command(connection))
        let answer = content.withLock { $0.answer }(asked)
        self.asked.change { $0.append(asked) }
        switch answer {
        case .usual: try connection.send(content.withLock { $0.reply(to: asked).encoded })
        case .broken:
            content.withLock { _ = $0.reply(to: asked) }
            connection.close()
        case .error(let text): try connection.send("-\(text)\r\n")
        case .text(let text):
            try connection.send(text)
            try connection.drain()
        }
    }

    private static func command(_ connection: RawConnection) throws -> [[UInt8]] {
        func number() throws -> Int {
            Int(String(decoding: try connection.readLine().dropFirst().dropLast(2), as: UTF8.self)) ?? 0
        }
        return try (0..<number()).map { _ in
            let word = try connection.read(number())
            _ = try connection.read(2)
            return word
        }
    }

    private static func asked(_ words: [[UInt8]]) -> Asked {
        let texts = words.prefix(4).map { String(decoding: $0, as: UTF8.self) }
        let kind: Kind =
            switch (texts[0], texts.count > 1 ? texts[1] : "") {
            case ("EVAL", StoreConnection.tick): .tick
            case ("EVAL", StoreConnection.load): .load
            case ("EVAL", StoreConnection.write): .write
            case ("HGET", _): .owner
            case ("XRANGE", _): .records
            default: .other
            }
        let key = kind == .load || kind == .write ? texts[3] : texts.count > 1 ? texts[1] : ""
        return Asked(kind: kind, session: key.split(separator: ":").last.map(String.init) ?? "", words: words)
    }
}

extension PlayedStore.Content {
    /// What the scripts do, but for gateways that were killed.
    fileprivate mutating func reply(to asked: PlayedStore.Asked) -> PlayedStore.Reply {
        let session = asked.session
        switch asked.kind {
        case .tick:
            let names = wanted.removeValue(forKey: asked.text(9)) ?? []
            return .list([.number(1), .bytes(id.bytes), .list(names.map { .bytes($0.bytes) })])
        case .load:
            var kept = sessions[session] ?? .init()
            let (has, gets) = (Self.gateway(of: kept.owner), Self.gateway(of: asked.text(5)))
            if kept.isOpen, has != gets {
                wanted[has, default: []].insert(session)
                return .list([.number(0)])
            }
            numbers += 1000
            (kept.owner, kept.isOpen) = (asked.text(5), true)
            sessions[session] = kept
            let state: [PlayedStore.Reply] = [.bytes(kept.state), .number(kept.from), .number(kept.lost)]
            return .list([.number(1), .number(asked.text(8) == "0" ? numbers : 0), .list(state)])
        case .write:
            guard var kept = sessions[session], kept.owner == asked.text(5) else { return .number(0) }
            kept.isOpen = asked.text(6) == "1"
            if asked.text(7) == "1" { kept.records = [] }
            (kept.from, kept.lost) = (Int(asked.text(8)) ?? 0, max(kept.lost, Int(asked.text(9)) ?? 0))
            if !asked.words[11].isEmpty { kept.state = asked.words[11] }
            for place in stride(from: 12, to: asked.words.count, by: 4) {
                kept.records.append(Array(asked.words[place + 1..<place + 4]))
            }
            sessions[session] = kept
            return .number(1)
        case .owner: return .bytes((sessions[session]?.owner ?? "").bytes)
        case .records:
            let records = sessions[session]?.records ?? []
            return .list(
                records.map { record in
                    let fields = zip(["r", "i", "o"], record).flatMap {
                        [PlayedStore.Reply.bytes($0.bytes), .bytes($1)]
                    }
                    return .list([
                        .bytes("1-1".bytes), .list([.bytes("n".bytes), .bytes("7".bytes)] + fields),
                    ])
                })
        case .other: return .bytes("OK".bytes)
        }
    }

    private static func gateway(of owner: String) -> String { String(owner.prefix { $0 != ":" }) }
}
