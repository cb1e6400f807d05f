import CMicroHTTPD

extension LibraryDaemon.Callbacks {
    /// Sets all callbacks to call this worker, which must live longer than the daemon.
    func call(_ worker: Worker) {
        var own = dbr_callbacks(
            self: Unmanaged.passUnretained(worker).toOpaque(), target: nil, request: nil, completed: nil,
            connection: nil, log: nil)
        Self.setRequests(&own)
        own.connection = { box, connection, context, code in
            guard let box, let connection, let context else { return }
            let worker = Unmanaged<Worker>.fromOpaque(box).takeUnretainedValue()
            if code == .CONNECTION_NOTIFY_STARTED {
                // Released when the connection closes, in the next branch.
                context.pointee = Unmanaged.passRetained(
                    worker.connectionStarted(LibraryConnection(connection))
                ).toOpaque()
            } else if let known = context.pointee {
                context.pointee = nil
                worker.connectionClosed(Unmanaged<Connection>.fromOpaque(known).takeRetainedValue())
            }
        }
        own.log = { box, message in
            guard let box, let message else { return }
            let text = String(cString: message)
            Unmanaged<Worker>.fromOpaque(box).takeUnretainedValue()
                .logLibrary(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        }
        pointer.initialize(to: own)
    }

    private static func setRequests(_ own: inout dbr_callbacks) {
        // Called after the request line, before the library parses the query.
        own.target = { _, target, connection in
            if let target, let connection, let caller = LibraryConnection(connection).caller {
                caller._withUnsafeGuaranteedRef { $0.take(target) }
            }
            return nil
        }
        // Called with the head, then with each part of the body, then at the end of the request.
        own.request = { box, connection, _, method, _, data, size, context in
            guard let box, let connection, let size, let context, let method else { return .NO }
            guard let known = context.pointee else {
                let (exchange, goesOn) = Unmanaged<Worker>.fromOpaque(box)._withUnsafeGuaranteedRef {
                    $0.begin(LibraryConnection(connection), method: method)
                }
                // The exchange is released in `completed`.
                context.pointee = exchange.map { Unmanaged.passRetained($0).toOpaque() }
                return goesOn ? .YES : .NO
            }
            return Unmanaged<Exchange>.fromOpaque(known)._withUnsafeGuaranteedRef { exchange in
                guard size.pointee > 0 else { return exchange.complete() ? .YES : .NO }
                let goesOn = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
                size.pointee = 0
                return goesOn ? .YES : .NO
            }
        }
        // Called when a request or its connection has ended.
        own.completed = { _, connection, context, code in
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
    }
}
