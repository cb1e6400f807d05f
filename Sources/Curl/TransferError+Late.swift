extension TransferError {
    /// The other side did not answer in so many milliseconds.
    package static func noAnswer(of host: String, within milliseconds: Int) -> TransferError {
        TransferError(.late, "\(host) did not answer within \(Duration.milliseconds(milliseconds))")
    }

    /// It took no connection in so many milliseconds.
    static func noConnection(to host: String, within milliseconds: Int) -> TransferError {
        TransferError(.late, "\(host) took no connection within \(Duration.milliseconds(milliseconds))")
    }
}
