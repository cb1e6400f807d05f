import Drawbridge
import Synchronization

/// What the one thread does that speaks to the store: it says that the gateway lives, gives up what others ask for, writes
/// and loads.
struct StoreWriter {
    /// They live while it works.
    private unowned let store: SharedStore
    private unowned let gateway: Gateway
    private let id = String.random128()
    private var connection: StoreConnection?
    private var lastTick = ContinuousClock.now
    private var lastFailure: ContinuousClock.Instant?
    private var storeID: String?
    private var hasNumbers = false
    private var owners = 0
    /// What was revoked by the last tick, here or elsewhere, and when.
    private var revoked: [String: Int] = [:]
    /// How many sessions were asked for as soon as they had come; the log is told once.
    private var tossed = 0

    init?(_ store: SharedStore?, _ gateway: Gateway?) {
        guard let store, let gateway else { return nil }
        (self.store, self.gateway) = (store, gateway)
    }

    private var next: Int { gateway.journal.ends(of: [.call]).next }

    private func key(_ words: String) -> String { "{drawbridge}:\(words)" }

    /// Does what is to be done now.
    mutating func work() {
        if let lastFailure, lastFailure.duration(to: .now) < .milliseconds(250) { return }
        do throws(StoreFailure) {
            let isNew = connection == nil
            if connection == nil { connection = try StoreConnection(store.address) }
            guard let link = connection else { return }
            if isNew || lastTick.duration(to: .now) > .milliseconds(50) { try tick(link, checks: isNew) }
            try write(link)
            try load(link)
            isGone(nil)
        } catch {
            (connection, lastFailure) = (nil, .now)
            isGone(error.why)
        }
    }

    /// Notes why the last work was not done; the log is told when that begins and when it ends.
    private func isGone(_ why: String?) {
        let wasGone = store.state.withLock { state in
            defer { state.isGone = why != nil }
            return state.isGone
        }
        if wasGone, why == nil { gateway.logger.notice("the shared store at \(store.address) answers again") }
        guard !wasGone, let why else { return }
        gateway.logger.error(
            """
            the shared store at \(store.address) does not answer: \(why); sessions of this gateway keep their mocks, and \
            changes are a 503 until it does
            """)
    }

    /// - Parameter checks: whether others may have taken sessions, or the store was emptied.
    private mutating func tick(_ link: StoreConnection, checks: Bool) throws(StoreFailure) {
        let keys = [key("id"), key("alive:\(id)"), key("wanted:\(id)"), key("revoked")]
        let news = gateway.admissions.revoked.filter { revoked[$0.key] != $0.value }
        let words = [String.random128(), key(""), id] + news.flatMap { [$0.key, "\($0.value)"] }
        let reply = try link.ask([StoreConnection.run(StoreConnection.tick, keys, words.map(\.bytes))])[0]
        lastTick = .now
        revoked = [:]
        for place in stride(from: 0, to: reply[3].list.count, by: 2) {
            let (id, second) = (reply[3][place].text, reply[3][place + 1].number)
            revoked[id] = second
            gateway.admissions.revoke(id, at: second)
        }
        store.state.withLock { $0.ticks += 1 }
        let now = reply[1].text
        let isEmptied = storeID.map { $0 != now } ?? false
        storeID = now
        if isEmptied || checks || reply[0].number == 0 { try dropWhatMoved(link, isEmptied: isEmptied) }
        let wanted = reply[2].list.compactMap { Session($0.text) }
        tossed += store.state.withLock { state in
            wanted.reduce(0) { count, session in
                guard let held = state.held[session] else {
                    // It was given to this gateway when the connection broke, and is given up when it has come.
                    state.wanted.insert(session)
                    return count
                }
                guard held.isHere else { return count }
                state.held[session]?.leave()
                return count + (held.since.duration(to: .now) < .milliseconds(500) ? 1 : 0)
            }
        }
        guard tossed > 2, let session = wanted.first else { return }
        tossed = .min / 2
        gateway.logger.warning("sessions go back and forth: \(SharedStore.moved(session).message)")
    }

    /// Forgets the sessions that have another owner now; in a store that was emptied, all of them.
    private mutating func dropWhatMoved(_ link: StoreConnection, isEmptied: Bool) throws(StoreFailure) {
        let held = store.state.withLock { $0.held.mapValues(\.owner) }.map { ($0, $1) }
        let owners = try link.ask(held.map { ["HGET", key("session:\($0.0.name)"), "owner"].map(\.bytes) })
        let moved = zip(held, owners).filter { $0.0.1 != $0.1.text }.map { $0.0.0 }
        let lost = next - 1
        for session in moved {
            drop(session)
            // It comes back at once, so that the store knows what it has lost.
            if isEmptied { store.state.withLock { $0.miss(session, lost) } }
        }
        if isEmptied {
            hasNumbers = false
            gateway.logger.error(
                "the shared store at \(store.address) was emptied: all sessions start again, and what tests had set is gone"
            )
        } else if let first = moved.first {
            gateway.logger.warning(
                "\(moved.count) sessions were taken by other gateways: \(SharedStore.moved(first).message)")
        }
    }

    private func drop(_ session: Session) {
        store.state.withLock { $0.held[session] = nil }
        gateway.take([], for: session)
    }

    /// Writes at most a thousand records of a session, and a megabyte of all, before it loads.
    private mutating func write(_ link: StoreConnection) throws(StoreFailure) {
        let writes = store.state.withLock { state in
            var (writes, room) = ([(session: Session, held: HeldSession, isLast: Bool)](), 1 << 20)
            for (session, held) in state.held where room > 0 && (held.hasWork || held.isReady) {
                let isLast = held.isReady
                guard let write = state.held[session]?.take(isLast ? .max : 1000) else { continue }
                room -= write.bytes
                writes.append((session, write, isLast))
            }
            return writes
        }
        let replies: [StoreReply]
        do throws(StoreFailure) {
            replies = try link.ask(writes.map { command($0.session, $0.held, isLast: $0.isLast) })
        } catch {
            store.state.withLock { state in
                for (session, held, _) in writes { state.held[session]?.putBack(held) }
            }
            throw error
        }
        let last = next - 1
        for ((session, held, isLast), reply) in zip(writes, replies) where reply.number == 1 {
            store.state.withLock { state in
                state.held[session]?.wrote(held)
                guard isLast, let rest = state.held.removeValue(forKey: session) else { return }
                state.notBefore[session] = .now + .milliseconds(100)
                // A call that began after its last write.
                if rest.hasWork || rest.underWay > held.underWay { state.miss(session, last) }
            }
            if isLast { gateway.take([], for: session) }
        }
        if replies.contains(where: { $0.number != 1 }) { try tick(link, checks: true) }
    }

    private func command(_ session: Session, _ held: HeldSession, isLast: Bool) -> StoreConnection.Command {
        // A call that is under way ends where nobody can take its record.
        let lost = isLast && held.underWay > 0 ? next - 1 : held.lost
        var state = held.saved < held.changes ? gateway.replyBook.kept(of: session) : []
        // Dropped meanwhile to make room for others, it has no state that could be kept.
        if store.state.withLock({ $0.held[session]?.changes ?? 0 }) < held.changes { state = [] }
        let numbers = ["\(held.from)", "\(lost)", "\(next - 1)"]
        let words = [held.owner, isLast ? "0" : "1", held.clears ? "1" : "0"] + numbers
        return StoreConnection.run(
            StoreConnection.write, [key("session:\(session.name)"), key("calls:\(session.name)")],
            words.map(\.bytes) + [state]
                + held.records.flatMap {
                    ["\($0.number)".bytes, $0.kept, $0.input.bytes, $0.output.bytes]
                })
    }

    private mutating func load(_ link: StoreConnection) throws(StoreFailure) {
        let wanted = store.state.withLock { state in
            state.notBefore = state.notBefore.filter { $0.value > .now }
            let wanted = state.isEnding ? [] : state.wanted.union(state.missing.keys)
            state.wanted = []
            return wanted.filter { state.held[$0] == nil && state.notBefore[$0] == nil }
        }
        for session in wanted {
            // Others take a gateway for killed that says nothing for a second and a half.
            if lastTick.duration(to: .now) > .milliseconds(500) { try tick(link, checks: false) }
            owners += 1
            let owner = "\(id):\(owners)"
            let reply = try link.ask([
                StoreConnection.run(
                    StoreConnection.load, [key("session:\(session.name)"), key("numbers")],
                    [owner, key(""), session.name, "\(hasNumbers ? next : 0)"].map(\.bytes))
            ])[0]
            if reply[0].number == 1 {
                try take(session, owner, base: reply[1].number, reply[2], link)
            } else {
                store.state.withLock { $0.notBefore[session] = .now + .milliseconds(20) }
            }
        }
    }

    private mutating func take(
        _ session: Session, _ owner: String, base: Int, _ kept: StoreReply, _ link: StoreConnection
    ) throws(StoreFailure) {
        if base > 0 { hasNumbers = true }
        let (records, unread) = try records(of: session, link)
        let missing = store.state.withLock { $0.missing.removeValue(forKey: session) }
        let lost = max(kept[2].number, unread, missing ?? 0)
        var held = HeldSession(owner, from: max(1, kept[1].number), lost: lost)
        if missing != nil { held.change() }
        gateway.take(kept[0].bytes, for: session)
        gateway.journal.take(records, of: session, next: base + 1, from: held.from, lost: held.lost)
        store.state.withLock { state in
            if state.held.count >= Session.most {
                let oldest = state.held.filter { $0.value.isHere }.min { $0.value.since < $1.value.since }
                if let oldest { state.held[oldest.key]?.leave() }
            }
            state.held[session] = held
        }
    }

    /// The records of a session, each as it was last written, and the highest number up to one that cannot be read.
    private func records(
        of session: Session, _ link: StoreConnection
    ) throws(StoreFailure) -> (records: [JournalRecord], lost: Int) {
        var (records, lost) = ([Int: JournalRecord](), 0)
        let words = ["XRANGE", key("calls:\(session.name)"), "-", "+"]
        for item in try link.ask([words.map(\.bytes)])[0].list {
            // The names of the fields are before each value.
            let values = item[1]
            let record = JournalRecord(
                kept: values[3].bytes, input: values[5].bytes, output: values[7].bytes)
            if let record, record.session == session {
                records[record.number] = record
            } else {
                lost = max(lost, values[1].number)
            }
        }
        return (records.values.sorted { $0.number < $1.number }, lost)
    }
}
