extension TransferError {
    /// The server did not answer within so many milliseconds.
    package static func noAnswer(of host: String, within milliseconds: Int) -> TransferError {
        TransferError(.late, "\(host) did not answer within \(Duration.milliseconds(milliseconds))")
    }

    /// The server was silent for so many milliseconds, within its answer or while it was sent the request.
    static func silence(of host: String, for milliseconds: Int) -> TransferError {
        TransferError(
            .late,
            "\(host) stood still for \(Duration.milliseconds(milliseconds)); where it needs longer, raise --upstream-timeout"
        )
    }

    /// The server took no connection within so many milliseconds.
    static func noConnection(to host: String, within milliseconds: Int) -> TransferError {
        TransferError(.late, "\(host) took no connection within \(Duration.milliseconds(milliseconds))")
    }
}

extension TransferError {
    /// The server's answer is malformed.
    static func noHTTP(of host: String, _ error: MalformedResponse) -> TransferError {
        TransferError(.malformed, "the answer of \(host) is no HTTP: \(error)")
    }
}
