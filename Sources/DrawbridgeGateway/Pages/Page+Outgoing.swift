import Synchronization

// Calls and events from native to the page.
extension Page {
    /// Calls a handler of the page, and waits for its answer.
    ///
    /// That is a handler that the page registered with its WebViewJavascriptBridge, its `bridge.handleNativeMsg`, or a
    /// global function of that name; the first that exists, unless `bridge` says which.
    ///
    /// - Parameters:
    ///   - name: the name under which the page registered it.
    ///   - data: the argument of the handler.
    ///   - bridge: the bridge to use; nil for the first that has the handler.
    ///   - deadline: how long it may take; nil for no limit. An `alert()` in the page delays every answer.
    ///   - type: the type of the answer.
    /// - Returns: what the page answered; `null` for nothing.
    /// - Throws: a ``PageError`` if the page does not answer in time, is gone, or answers with an error or another type.
    public func call<Value: Decodable & Sendable>(
        _ name: String, _ data: JSON = .null, by bridge: Bridge? = nil, deadline: Duration? = .seconds(30),
        as type: Value.Type = JSON.self
    ) async throws -> Value {
        let push = note(.push, name, at: bridge?.rawValue ?? "", data.bytes, .waiting)
        let answer = try await noting(push) {
            try await ask("\(name) of the page", deadline) { id in
                Self.call(name, data, bridge, id)
            }
        }
        if let answer = answer as? Value { return answer }
        do {
            return try answer.decode(type)
        } catch let error as DecodingError {
            let problem = "the page's answer to \(name) does not fit: \(error.explanation)"
            throw PageError(.failed(code: 502), problem)
        }
    }

    /// Calls a handler of the page with data of any type, and waits for its answer.
    ///
    /// - Throws: an error of the encoding; a ``PageError`` as for JSON.
    @_disfavoredOverload
    public func call<Value: Decodable & Sendable>(
        _ name: String, _ data: some Encodable & Sendable, by bridge: Bridge? = nil,
        deadline: Duration? = .seconds(30), as type: Value.Type = JSON.self
    ) async throws -> Value {
        try await call(name, JSON(encoding: data), by: bridge, deadline: deadline, as: type)
    }

    /// Calls a handler of the page, and does not wait for its answer.
    ///
    /// The answer is only recorded. If the page has no such handler, or is gone later, the log says so.
    ///
    /// - Throws: a ``PageError`` when the page is gone.
    public func send(_ name: String, _ data: JSON = .null, by bridge: Bridge? = nil) throws {
        _ = try deliver(name, data, by: bridge) { @Sendable [weak self] error in
            guard let self, error.reason != .stopped else { return }
            gateway.logger.warning("\(name) failed in page \(id.prefix(8)) at \(path): \(error)")
        }
    }

    /// Calls a handler of the page with data of any type, and does not wait for its answer.
    ///
    /// - Throws: an error of the encoding; a ``PageError`` when the page is gone.
    @_disfavoredOverload
    public func send(_ name: String, _ data: some Encodable & Sendable, by bridge: Bridge? = nil) throws {
        try send(name, JSON(encoding: data), by: bridge)
    }

    /// Calls a handler of the page, and does not wait for its answer.
    ///
    /// - Returns: the call, which ends when the page has received it.
    package func deliver(
        _ name: String, _ data: JSON, by bridge: Bridge? = nil,
        _ failing: (@Sendable (PageError) -> Void)? = nil
    ) throws(PageError) -> PendingCall {
        try deliver(name, at: bridge?.rawValue ?? "", data, failing) {
            Self.call(name, data, bridge, $0, isHeard: true)
        }
    }

    /// Sends an event, as `emit` does.
    ///
    /// - Returns: the call, which ends when a listener of the page has received it.
    package func deliver(event: String, _ data: JSON) throws(PageError) -> PendingCall {
        try deliver(event, at: "event", data) { id in
            var message: JSON.Object = ["event": .string(event), "data": data]
            if let id { message["id"] = .number(.init(id)) }
            return .object(message)
        }
    }

    /// The most calls and events that a page may leave unconfirmed.
    private static let mostDeliveries = 1000

    /// - Parameter failing: called with an error if the page has not received it. Nil if a caller awaits the
    ///   confirmation; then too many unconfirmed messages are an error.
    private func deliver(
        _ name: String, at bridge: String, _ data: JSON, _ failing: (@Sendable (PageError) -> Void)? = nil,
        _ message: (_ id: Int?) -> JSON
    ) throws(PageError) -> PendingCall {
        let push = note(.push, name, at: bridge, data.bytes, .waiting)
        let journal = gateway.journal
        let (delivery, id) = state.withLock { state -> (PendingCall, id: Int?) in
            state.lastCall += 1
            let delivery = PendingCall(page: self, state.lastCall, what: name) { outcome in
                switch outcome {
                case .success: if let push { journal.end(push, .silent) }
                case .failure(let error):
                    journal.end(push, error)
                    failing?(error)
                }
            }
            guard state.deliveries.count < Self.mostDeliveries else { return (delivery, nil) }
            state.deliveries[state.lastCall] = delivery
            if let push {
                if state.lastDeliveries.count == 100 { state.lastDeliveries.removeFirst() }
                state.lastDeliveries.append((state.lastCall, push))
            }
            return (delivery, state.lastCall)
        }
        do throws(PageError) {
            if id == nil, failing == nil {
                throw PageError(
                    .full,
                    "\(Self.mostDeliveries) messages to the page are not confirmed: it does not run, or shows a dialog"
                )
            }
            delivery.place.store(try post(message(id).bytes), ordering: .relaxed)
        } catch {
            state.withLock { _ = $0.deliveries.removeValue(forKey: delivery.number) }
            journal.end(push, error)
            throw error
        }
        if id == nil { delivery.end(.success(.null)) }
        return delivery
    }

    func told(_ id: Int, _ outcome: Result<JSON, PageError>) {
        let record = state.withLock { $0.lastDeliveries.first { $0.id == id }?.record }
        guard let record else { return }
        switch outcome {
        case .success(let value): gateway.journal.note(told: value.bytes, of: record)
        case .failure(let error): gateway.journal.note(told: JSON.string(error.message).bytes, of: record)
        }
    }

    /// Runs a script in the page and gives its value, awaited if it is a promise.
    ///
    /// A page whose content security policy forbids `eval` runs no script: the call fails, and the error says so.
    ///
    /// - Throws: a ``PageError``, with the script's own message where it threw.
    public func evaluate(_ script: String, deadline: Duration? = .seconds(30)) async throws -> JSON {
        let push = note(.push, "evaluate", at: "script", JSON.string(script).bytes, .waiting)
        return try await noting(push) {
            try await ask("a script in the page", deadline) { id in
                ["evaluate": .string(script), "id": .number(.init(id))]
            }
        }
    }

    /// Sends an event: the page's `addEventListener("drawbridge:name", …)` hears it, with the data as its `detail`.
    ///
    /// - Throws: a ``PageError`` when the page is gone.
    public func emit(_ event: String, _ data: JSON = .null) throws {
        let push = note(.push, event, at: "event", data.bytes, .waiting)
        do throws(PageError) {
            try post((["event": .string(event), "data": data] as JSON).bytes)
            if let push { gateway.journal.end(push, .silent) }
        } catch {
            gateway.journal.end(push, error)
            throw error
        }
    }

    /// Sends an event with data of any type.
    ///
    /// - Throws: an error of the encoding; a ``PageError`` when the page is gone.
    @_disfavoredOverload
    public func emit(_ event: String, _ data: some Encodable & Sendable) throws {
        try emit(event, JSON(encoding: data))
    }

    /// Asks whether the page has this handler or function, or for `event` a listener; false without an answer in time.
    func has(_ name: String, by bridge: String?) async -> Bool {
        let answer = try? await ask("the query for \(name)", gateway.pages.patience) { id in
            ["has": .string(name), "bridge": bridge.map(JSON.string) ?? .null, "id": .number(.init(id))]
        }
        return answer == true
    }

    func reload() { _ = try? post((["reload": true] as JSON).bytes) }

    private func noting(_ push: Int?, _ ask: () async throws -> JSON) async throws -> JSON {
        guard let push else { return try await ask() }
        do {
            let value = try await ask()
            gateway.journal.end(push, .answered, output: value.bytes)
            return value
        } catch let error as PageError {
            gateway.journal.end(push, error, as: error.reason == .deadline ? .expired : .error)
            throw error
        } catch {
            gateway.journal.end(push, .left)
            throw error
        }
    }

    /// - Parameter isHeard: whether the page only confirms that it has received the call.
    private static func call(
        _ name: String, _ data: JSON, _ bridge: Bridge?, _ id: Int?, isHeard: Bool = false
    ) -> JSON {
        var message: JSON.Object = ["call": .string(name)]
        if isHeard { message["hears"] = true }
        if !data.isNull { message["data"] = data }
        if let id { message["id"] = .number(.init(id)) }
        if let bridge { message["bridge"] = .string(bridge.rawValue) }
        return .object(message)
    }

    private func ask(
        _ what: String, _ deadline: Duration?, _ message: (_ id: Int) -> JSON
    ) async throws -> JSON {
        if let waiting = CallingPage.waiting, waiting.page == id {
            let error = PageError(
                .waiting,
                "the page is blocked by its synchronous request to this handler, and cannot answer \(what); "
                    + "answer first, or let the page use a bridge with a callback")
            gateway.logger.warning("page \(id.prefix(8)) at \(path), called by \(waiting.handler): \(error)")
            throw error
        }
        tellWhereItStandsStill(what)
        let call = try state.withLock { state throws(PageError) in
            if let missing = state.missing, state.goneBy == nil { throw missing }
            state.lastCall += 1
            let call = PendingCall(page: self, state.lastCall, what: what)
            state.calls[state.lastCall] = call
            return call
        }
        do {
            call.place.store(try post(message(call.number).bytes), ordering: .relaxed)
        } catch {
            state.withLock { _ = $0.calls.removeValue(forKey: call.number) }
            throw error
        }
        return try await call.result(within: deadline)
    }

    /// Logs, once for each request, the handlers for whose synchronous answer the page is blocked: if such a handler
    /// waits for this call, even in another task, it is a deadlock.
    private func tellWhereItStandsStill(_ what: String) {
        let handlers = state.withLock { state in
            let new = state.waits.filter { !$0.value.isTold }
            for number in new.keys { state.waits[number]?.isTold = true }
            return new.values.map(\.handler).sorted()
        }
        guard !handlers.isEmpty else { return }
        let names = handlers.joined(separator: ", ")
        gateway.logger.warning(
            """
            page \(id.prefix(8)) at \(path) is blocked by a synchronous request until \(names) has answered, and \
            \(what) waits until then; if \(names) waits for that in turn, it is a deadlock
            """)
    }

    /// Records that the page is blocked by a synchronous request until a handler has answered it.
    package func standStill(for handler: String) -> Int {
        state.withLock { state in
            state.lastWait += 1
            state.waits[state.lastWait] = (handler, false)
            return state.lastWait
        }
    }

    package func goOn(after wait: Int) { state.withLock { _ = $0.waits.removeValue(forKey: wait) } }

    /// Sends a message, now or when the page has connected again.
    ///
    /// - Parameter limit: the most bytes that may wait for the page, including this message.
    @discardableResult
    func post(_ text: [UInt8], upTo limit: Int = Outbox.limit) throws(PageError) -> Int {
        let number = try state.withLock { state throws(PageError) in
            if let gone = state.goneBy { throw gone }
            guard Outbox.fits(text) else {
                throw PageError(.full, "\(text.count) bytes are too many for one message to a page")
            }
            guard state.outbox.hasRoom(for: text, limit: limit) else {
                throw PageError(
                    .full, "the page does not read its messages; \(state.outbox.bytes) bytes wait")
            }
            guard state.outbox.add(text) else { throw PageError(.full, HTTPError.noRoomForPages.message) }
            // Read before sending: the page may acknowledge the message at once.
            let number = state.outbox.last
            state.sendWhatMayGo()
            return number
        }
        tell("SEND", text)
        return number
    }

    /// Logs messages to and from a page, at the level `debug` (contract, section 4).
    func tell(_ direction: String, _ text: @autoclosure () -> [UInt8]) {
        guard gateway.isTelling else { return }
        gateway.logger.debug("page \(id.prefix(8)) \(direction) \(String(shown: text(), gateway.secrets))")
    }

    /// Ends one of native's calls with the page's answer; a second answer, or an unexpected one, is ignored.
    func answered(_ id: Int, _ outcome: Result<JSON, PageError>) {
        state.withLock { $0.calls.removeValue(forKey: id) ?? $0.deliveries.removeValue(forKey: id) }?.end(
            outcome)
    }

    /// Ends a call without an answer; if its message was not sent yet, it is withdrawn.
    func giveUp(_ call: PendingCall, _ error: PageError) {
        state.withLock { state in
            state.calls[call.number] = nil
            state.deliveries[call.number] = nil
            state.outbox.withdraw(call.place.load(ordering: .relaxed))
        }
        call.end(.failure(error))
    }
}

extension Journal {
    fileprivate func end(_ push: Int?, _ error: PageError, as state: JournalRecord.State = .error) {
        if let push { end(push, state, output: JSON.string(error.message).bytes) }
    }
}
