import CHiredis
import CStoreScripts
import Glibc

/// A connection to Redis or Valkey, by hiredis; who asks is blocked until each reply, for which it waits two seconds.
final class StoreConnection {
    typealias Command = [[UInt8]]

    private static let patience = timeval(tv_sec: 2, tv_usec: 0)
    private let context: UnsafeMutablePointer<redisContext>

    /// - Throws: why there is no connection.
    init(_ address: StoreAddress) throws(StoreFailure) {
        // hiredis writes without MSG_NOSIGNAL, also to a store that has closed.
        signal(SIGPIPE, SIG_IGN)
        let made =
            if let path = address.path {
                redisConnectUnixWithTimeout(path, Self.patience)
            } else {
                redisConnectWithTimeout(address.host, Int32(address.port), Self.patience)
            }
        guard let made else { throw StoreFailure(why: "there is no memory for a connection") }
        context = made
        guard made.pointee.err == 0, redisSetTimeout(made, Self.patience) == REDIS_OK else { throw failure }
        _ = fcntl(made.pointee.fd, F_SETFD, FD_CLOEXEC)
        var words: [[String]] = []
        if address.hasPassword { words.append(["AUTH"] + address.credentials) }
        if address.database != 0 { words.append(["SELECT", "\(address.database)"]) }
        _ = try ask(words.map { $0.map(\.bytes) })
    }

    deinit { redisFree(context) }

    /// Sends commands, a hundred at a time, and reads their replies.
    ///
    /// - Throws: why there are not all replies, or the error that one of them is; then the connection is not used any more.
    func ask(_ commands: [Command]) throws(StoreFailure) -> [StoreReply] {
        var replies: [StoreReply] = []
        while replies.count < commands.count {
            let some = commands[replies.count...].prefix(100)
            for command in some { try send(command) }
            for _ in some { replies.append(try reply()) }
        }
        return replies
    }

    private func send(_ command: Command) throws(StoreFailure) {
        let sent = command.flatMap(\.self).withUnsafeBytes { bytes in
            var place = 0
            var words = command.map { word -> UnsafePointer<CChar>? in
                defer { place += word.count }
                return bytes.baseAddress.map { ($0 + place).assumingMemoryBound(to: CChar.self) }
            }
            return redisAppendCommandArgv(context, Int32(words.count), &words, command.map(\.count))
        }
        guard sent == REDIS_OK else { throw failure }
    }

    private func reply() throws(StoreFailure) -> StoreReply {
        var found: UnsafeMutableRawPointer?
        guard redisGetReply(context, &found) == REDIS_OK, let found else { throw failure }
        defer { freeReplyObject(found) }
        let reply = found.assumingMemoryBound(to: redisReply.self).pointee
        let answer = Self.read(reply)
        guard reply.type != REDIS_REPLY_ERROR else { throw StoreFailure(why: answer.text) }
        return answer
    }

    private static func read(_ reply: redisReply) -> StoreReply {
        switch reply.type {
        case REDIS_REPLY_INTEGER: .number(Int(reply.integer))
        case REDIS_REPLY_ARRAY:
            .list((0..<reply.elements).map { reply.element[$0].map { read($0.pointee) } ?? .nothing })
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS, REDIS_REPLY_ERROR:
            .bytes(Array(UnsafeRawBufferPointer(start: reply.str, count: reply.len)))
        default: .nothing
        }
    }

    private var failure: StoreFailure {
        // When the time is over, a socket that blocks says "Resource temporarily unavailable".
        if context.pointee.err == REDIS_ERR_IO, errno == EAGAIN {
            return StoreFailure(why: "no reply in two seconds")
        }
        return withUnsafeBytes(of: &context.pointee.errstr) {
            StoreFailure(why: String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self))
        }
    }

    /// The command that runs a script, whose comment says which keys and arguments it takes.
    static func run(_ script: String, _ keys: [String], _ arguments: [[UInt8]]) -> Command {
        ["EVAL".bytes, script.bytes, "\(keys.count)".bytes] + keys.map(\.bytes) + arguments
    }

    static let tick = String(cString: dbl_tick_script)
    static let load = String(cString: dbl_load_script)
    static let write = String(cString: dbl_write_script)
}

enum StoreReply {
    case nothing
    case number(Int)
    case bytes([UInt8])
    case list([StoreReply])

    subscript(place: Int) -> StoreReply { list.indices.contains(place) ? list[place] : .nothing }

    var list: [StoreReply] { if case .list(let list) = self { list } else { [] } }
    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var number: Int { if case .number(let number) = self { number } else { Int(text) ?? 0 } }
}

/// Why the store did not answer, for the log.
struct StoreFailure: Error {
    let why: String
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
