import CMicroHTTPD
import EventLoop

extension LibraryDaemon.Callbacks {
    /// Lets all of them call a worker, which must outlive the daemon.
    func call(_ worker: Worker) {
        pointer.initialize(
            to: dbr_callbacks(
                self: Unmanaged.passUnretained(worker).toOpaque(), target: noteTarget, request: serveRequest,
                completed: requestCompleted, connection: connectionChanged, log: logMessage))
    }
}

/// Calls `body` with the object behind a pointer that was given to the library, and that is retained elsewhere.
private func with<Object: AnyObject, Result>(
    _ box: UnsafeMutableRawPointer, _ type: Object.Type = Object.self, _ body: (Object) -> Result
) -> Result { Unmanaged<Object>.fromOpaque(box)._withUnsafeGuaranteedRef(body) }

private func worker(_ box: UnsafeMutableRawPointer?) -> Worker? {
    box.map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
}

/// Called when the request line has come, before the library looks for a query.
private func noteTarget(
    _ box: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    if let target, let connection, let caller = LibraryConnection(connection).caller {
        caller._withUnsafeGuaranteedRef { $0.take(target) }
    }
    return nil
}

/// Called for a request: first with its head, then with parts of its body, then when it is complete.
private func serveRequest(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let box, let connection, let size, let context, let method else { return .NO }
    guard let known = context.pointee else {
        let (exchange, goesOn) = with(box, Worker.self) {
            $0.begin(LibraryConnection(connection), method: method)
        }
        // Released by `requestCompleted`.
        context.pointee = exchange.map { Unmanaged.passRetained($0).toOpaque() }
        return goesOn ? .YES : .NO
    }
    return with(known, Exchange.self) { exchange in
        guard size.pointee > 0 else { return exchange.complete() ? .YES : .NO }
        let goesOn = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
        size.pointee = 0
        return goesOn ? .YES : .NO
    }
}

/// Called when a request has ended, or its connection has.
private func requestCompleted(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let context, let known = context.pointee else {
        if let connection {
            LibraryConnection(connection).caller?.takeUnretainedValue().enter(.idle(received: nil))
        }
        return
    }
    context.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
    exchange.completed(inFull: code == .REQUEST_TERMINATED_COMPLETED_OK)
}

/// Called when a connection was accepted or closed.
private func connectionChanged(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let worker = worker(box), let connection, let context else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
        // Released below, when the connection closes.
        context.pointee = Unmanaged.passRetained(worker.connectionStarted(LibraryConnection(connection)))
            .toOpaque()
    } else if let known = context.pointee {
        context.pointee = nil
        worker.connectionClosed(Unmanaged<Connection>.fromOpaque(known).takeRetainedValue())
    }
}

/// Called with a message of the library's for the log.
private func logMessage(_ box: UnsafeMutableRawPointer?, _ message: UnsafePointer<CChar>?) {
    guard let worker = worker(box), let message else { return }
    let text = String(cString: message)
    worker.logLibrary(text.hasSuffix("\n") ? String(text.dropLast()) : text)
}
