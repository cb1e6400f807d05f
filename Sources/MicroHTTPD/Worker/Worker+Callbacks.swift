import CMicroHTTPD
import EventLoop

extension LibraryDaemon.Callbacks {
    /// Lets all of them call a worker, which must outlive the daemon.
    func call(_ worker: Worker) {
        var own = dbr_callbacks(
            self: Unmanaged.passUnretained(worker).toOpaque(), target: nil, request: nil, completed: nil,
            connection: nil, log: nil)
        Self.setRequests(&own)
        own.connection = { box, connection, context, code in
            guard let box, let connection, let context else { return }
            let worker = Unmanaged<Worker>.fromOpaque(box).takeUnretainedValue()
            if code == .CONNECTION_NOTIFY_STARTED {
                // Released below, when the connection closes.
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
        // Called when the request line has come, before the library looks for a query.
        own.target = { _, target, connection in
            if let target, let connection, let caller = LibraryConnection(connection).caller {
                caller._withUnsafeGuaranteedRef { $0.take(target) }
            }
            return nil
        }
        // Called first with the head, then with parts of the body, then when the request is complete.
        own.request = { box, connection, _, method, _, data, size, context in
            guard let box, let connection, let size, let context, let method else { return .NO }
            guard let known = context.pointee else {
                let (exchange, goesOn) = Unmanaged<Worker>.fromOpaque(box)._withUnsafeGuaranteedRef {
                    $0.begin(LibraryConnection(connection), method: method)
                }
                // Released when the request has ended, below.
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
        // Called when a request has ended, or its connection has.
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
