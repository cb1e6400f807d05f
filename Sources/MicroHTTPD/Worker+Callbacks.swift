import CMicroHTTPD
import Glibc
import HTTPTypes

func worker(_ box: UnsafeMutableRawPointer?) -> Worker? {
    box.map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
}

/// The header fields as the library read them.
func headerFields(of connection: OpaquePointer) throws(Refusal) -> [HTTPField] {
    var fields: [HTTPField] = []
    let count = withUnsafeMutablePointer(to: &fields) { fields in
        MHD_get_connection_values(connection, .HEADER_KIND, addField, fields)
    }
    // The walk ends at a name that is none.
    guard Int(count) == fields.count else { throw .malformed("the name of a header field is no token") }
    return fields
}

private func addField(
    _ box: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let box, let name, let field = HTTPField.Name(String(cString: name)) else { return .NO }
    let text = value.map { String(cString: $0) } ?? ""
    box.assumingMemoryBound(to: [HTTPField].self).pointee.append(HTTPField(name: field, value: text))
    return .YES
}

/// The request line is there: keeps the target, and cuts the query off so that the library parses no arguments, of
/// which it takes no more than some 480.
func noteTarget(
    _ box: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let target, let connection, let context = dbr_connection_context(connection) else { return nil }
    let length = strlen(target)
    let bytes = UnsafeRawBufferPointer(start: target, count: length)
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().target = Array(bytes)
    if dbr_is_1_0() == 0, let mark = bytes.firstIndex(of: UInt8(ascii: "?")), mark + 1 < length {
        UnsafeMutablePointer(mutating: target)[mark + 1] = 0
    }
    return nil
}

/// A request: first without, then with its body, then complete.
func serveRequest(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let worker = worker(box), let connection, let size, let context, let method, let version else {
        return .NO
    }
    guard let known = context.pointee else {
        let (exchange, goesOn) = worker.begin(connection, method: method, version: version)
        // Released by `requestCompleted`.
        context.pointee = exchange.map { Unmanaged.passRetained($0).toOpaque() }
        return goesOn ? .YES : .NO
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    guard size.pointee > 0 else { return exchange.complete() ? .YES : .NO }
    let goesOn = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
    size.pointee = 0
    return goesOn ? .YES : .NO
}

/// A request has ended, or its connection has.
func requestCompleted(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let context, let known = context.pointee else {
        if let connection, let own = dbr_connection_context(connection) {
            Unmanaged<Connection>.fromOpaque(own).takeUnretainedValue().enter(.idle(received: nil))
        }
        return
    }
    context.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
    exchange.completed(inFull: code == .REQUEST_TERMINATED_COMPLETED_OK)
}

/// A connection has come or gone.
func connectionChanged(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let worker = worker(box), let connection, let context else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
        // Released below, when the connection closes.
        context.pointee = Unmanaged.passRetained(worker.connectionStarted(connection)).toOpaque()
    } else if let known = context.pointee {
        context.pointee = nil
        worker.connectionClosed(Unmanaged<Connection>.fromOpaque(known).takeRetainedValue())
    }
}

/// The library has something to say.
func logMessage(_ box: UnsafeMutableRawPointer?, _ message: UnsafePointer<CChar>?) {
    guard let worker = worker(box), let message else { return }
    let text = String(cString: message)
    worker.logLibrary(text.hasSuffix("\n") ? String(text.dropLast()) : text)
}
