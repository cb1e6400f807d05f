import CMicroHTTPD

extension LibraryDaemon.Callbacks {
    /// Lets all of them call a probe, which must outlive the daemon.
    func call(_ probe: HeadProbe) {
        pointer.initialize(
            to: dbr_callbacks(
                self: Unmanaged.passUnretained(probe).toOpaque(), target: probeTarget, request: probeRequest,
                completed: { _, _, _, _ in }, connection: { _, _, _, _ in }, log: { _, _ in }))
    }
}

private func probe(_ box: UnsafeMutableRawPointer?) -> HeadProbe? {
    box.map { Unmanaged<HeadProbe>.fromOpaque($0).takeUnretainedValue() }
}

/// Called when the request line has come.
private func probeTarget(
    _ box: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    if let target { probe(box)?.take(target) }
    return nil
}

/// Called for a request: first with its head, then with parts of its body, then when it is complete.
private func probeRequest(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let probe = probe(box), let connection, let method, let size, let context else { return .NO }
    if context.pointee == nil {
        context.pointee = box
        return probe.judge(LibraryConnection(connection), method) ? .YES : .NO
    }
    guard size.pointee > 0 else {
        probe.complete()
        return .NO
    }
    probe.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
    size.pointee = 0
    return .YES
}
