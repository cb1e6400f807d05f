extension TransferError {
    /// The other side did not answer in so many milliseconds.
    package static func noAnswer(of host: String, within milliseconds: Int) -> TransferError {
        TransferError(.late, "\(host) did not answer within \(Duration.milliseconds(milliseconds))")
    }

    /// It stood still for so many milliseconds, in the middle of its answer or of what it was sent.
    static func silence(of host: String, for milliseconds: Int) -> TransferError {
        TransferError(
            .late,
            "\(host) stood still for \(Duration.milliseconds(milliseconds)); where it needs longer, raise --upstream-timeout"
        )
    }

    /// It took no connection in so many milliseconds.
    static func noConnection(to host: String, within milliseconds: Int) -> TransferError {
        TransferError(.late, "\(host) took no connection within \(Duration.milliseconds(milliseconds))")
    }
}

extension TransferError {
    /// The server's answer cannot be trusted to mean what it seems to.
    static func noHTTP(of host: String, _ error: MalformedResponse) -> TransferError {
        TransferError(.malformed, "the answer of \(host) is no HTTP: \(error)")
    }
}
