import Synchronization

// What is kept of a session outside of the process.
extension ReplyBook {
    private struct Kept: Codable {
        let replies: JSON
        let scenarios: [String]
        let steps: [SessionReplies.Sequence: Int]
        let isTests: Bool
    }

    /// Sets the function that is called for each session whose state changed, or was dropped to make room, on any thread,
    /// while the book is locked.
    package func listen(_ listener: @escaping @Sendable (Session, _ isDropped: Bool) -> Void) {
        state.withLock { $0.onChange = listener }
    }

    /// The state of a session, as ``take(_:for:)`` takes it; the JSON text `null` if nothing was changed.
    package func kept(of session: Session) -> [UInt8] {
        guard let own = state.withLock({ $0.sessions[session] }) else { return Array("null".utf8) }
        let kept = Kept(
            replies: .object(own.own), scenarios: own.scenarios.on, steps: own.steps, isTests: own.isTests)
        return (try? JSON(encoding: kept).bytes) ?? []
    }

    /// Replaces the state of a session; what the files of mocks no longer have is left out.
    ///
    /// - Returns: what is wrong with replies that cannot be set any more.
    package func take(_ kept: [UInt8], for session: Session) -> [ReplyFault] {
        let text = try? LocatedJSON(parsing: kept)
        guard let kept = try? text?.json.decode(Kept.self) else {
            changeOne(session) { $0.sessions[session] = nil }
            guard let text, !text.json.isNull else { return [] }
            return [ReplyFault("it was kept by another version, and is left out", at: text)]
        }
        let (known, fresh) = state.withLock { (Set($0.given.scenarioNames), $0.fresh) }
        var (own, faults) = (fresh, [ReplyFault]())
        for (name, reply) in kept.replies.objectValue ?? [:] {
            do throws(ReplyFault) {
                _ = try own.set(LocatedJSON(parsing: reply.bytes), for: name, in: session, scenarios: known)
            } catch {
                faults.append(error)
            }
        }
        own.scenarios = Scenarios(kept.scenarios).kept(of: known, besides: [])
        own.isTests = kept.isTests
        own.steps = kept.steps.mapValues { max(0, $0) }
        changeOne(session) { state in state.change(session) { $0 = own } }
        return faults
    }
}
