import CGnuTLS
import Glibc
import TLS
import Testing

/// The records of a session, read and written as `recv` and `send` do it.
@Suite(.timeLimit(.minutes(5))) struct TLSRecordsTests {
    private static let again = SessionPair.Errno(number: EAGAIN)
    private static let broken = SessionPair.Errno(number: EPROTO)

    // MARK: Reading

    @Test(arguments: SessionPair.Version.allCases)
    func recordsOfTheOtherSideAreReadInTheirOrder(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        pair.theySend("one")
        pair.theySend("two")
        #expect(pair.read() == .success(Array("one".utf8)))
        #expect(pair.read() == .success(Array("two".utf8)))
        #expect(pair.read() == .failure(Self.again))
    }

    @Test(arguments: SessionPair.Version.allCases)
    func readingBeforeDataArrivesReportsTryAgain(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        #expect(pair.read() == .failure(Self.again))
        pair.theySend("late")
        #expect(pair.read() == .success(Array("late".utf8)))
        #expect(!pair.records.wasCutOff)
    }

    @Test(arguments: SessionPair.Version.allCases)
    func decryptedBytesBeyondTheBufferStayPending(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        #expect(pair.records.pending().isEmpty)
        pair.theySend("all of it")
        pair.theySend(" and more")
        #expect(pair.read(atMost: 4) == .success(Array("all ".utf8)))
        // What is still on the socket is not decrypted, and so not pending.
        #expect(pair.records.pending() == Array("of it".utf8))
        #expect(pair.records.pending().isEmpty)
        #expect(pair.read() == .success(Array(" and more".utf8)))
    }

    @Test(arguments: SessionPair.Version.allCases)
    func anEndWithCloseNotifyIsANormalEnd(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        pair.theySend("last")
        gnutls_bye(pair.theirs, GNUTLS_SHUT_WR)
        pair.theyLeave()
        #expect(pair.read() == .success(Array("last".utf8)))
        #expect(pair.read() == .success([]))
        #expect(!pair.records.wasCutOff)
    }

    @Test(arguments: SessionPair.Version.allCases)
    func anEndWithoutCloseNotifyIsReportedAsCutOff(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        pair.theySend("half of")
        pair.theyLeave()
        #expect(pair.read() == .success(Array("half of".utf8)))
        #expect(!pair.records.wasCutOff)
        #expect(pair.read() == .success([]))
        #expect(pair.records.wasCutOff)
    }

    @Test(arguments: SessionPair.Version.allCases)
    func bytesThatAreNotARecordAreAnError(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        let bytes = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        #expect(send(pair.theirSocket, bytes, bytes.count, 0) == bytes.count)
        #expect(pair.read() == .failure(Self.broken))
    }

    // MARK: Records without bytes

    @Test func emptyRecordsAreSkipped() throws {
        let pair = try SessionPair(.tls12)
        pair.theySendEmptyRecords(3)
        #expect(pair.read() == .failure(Self.again))
        pair.theySendEmptyRecords(3)
        pair.theySend("then")
        #expect(pair.read() == .success(Array("then".utf8)))
    }

    /// In 1.3 they come of themselves, since keys are made anew.
    @Test func aKeyUpdateDoesNotInterruptReading() throws {
        let pair = try SessionPair(.tls13)
        #expect(gnutls_session_key_update(pair.theirs, 0) == 0)
        #expect(pair.read() == .failure(Self.again))
        pair.theySend("with new keys")
        #expect(pair.read() == .success(Array("with new keys".utf8)))
    }

    @Test(arguments: [(999, true), (1000, false)])
    func aPeerThatSendsOnlyEmptyRecordsIsGivenUp(_ count: Int, isRead: Bool) throws {
        let pair = try SessionPair(.tls12)
        let relay = try RecordBuffer(of: pair.theirs)
        pair.theySendEmptyRecords(count)
        pair.theySend("then")
        try relay.send(to: pair.theirSocket)
        #expect(pair.read() == (isRead ? .success(Array("then".utf8)) : .failure(Self.broken)))
    }

    // MARK: Who reads the socket

    /// GnuTLS would read ahead by itself, as the engine's library has it do.
    @Test func theTLSSessionReadsTheSocketOnlyThroughTheRecords() throws {
        let pair = try SessionPair(.tls12)
        pair.theySend("ours")
        var byte: UInt8 = 0
        #expect(gnutls_record_recv(pair.ours, &byte, 1) == Int(GNUTLS_E_AGAIN))
        #expect(recv(pair.socket, &byte, 1, Int32(MSG_PEEK)) == 1)
        #expect(pair.read() == .success(Array("ours".utf8)))
    }

    @Test func aHandshakeReadsOnlyInsideWhileReading() throws {
        let pair = try SessionPair(.tls13, isConnected: false)
        // Each waits for the other: first ours, which begins, then theirs.
        _ = gnutls_handshake(pair.ours)
        _ = gnutls_handshake(pair.theirs)
        for _ in 0..<3 { #expect(gnutls_handshake(pair.ours) == Int32(GNUTLS_E_AGAIN)) }
        #expect(pair.records.whileReading { gnutls_handshake(pair.ours) } == 0)
        // Only while it is let.
        var byte: UInt8 = 0
        #expect(gnutls_handshake(pair.theirs) == 0)
        pair.theySend("x")
        #expect(gnutls_record_recv(pair.ours, &byte, 1) == Int(GNUTLS_E_AGAIN))
    }

    @Test func whileReadingReturnsTheValueOfItsClosure() throws {
        #expect(try SessionPair(.tls12).records.whileReading { "value" } == "value")
    }

    // MARK: Writing

    @Test(arguments: SessionPair.Version.allCases)
    func writtenBytesArrive(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        #expect(pair.write(Array("one ".utf8)[...]) == .success(4))
        #expect(pair.write(Array("two".utf8)[...]) == .success(3))
        #expect(pair.theyReceive() == Array("one two".utf8))
    }

    /// A record that the socket has no room for waits, and nothing is lost or sent twice.
    @Test(arguments: SessionPair.Version.allCases)
    func bytesThatTheSocketDidNotTakeAreSentLater(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        let all = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 >> 9) }
        var (sent, received, waits) = (0, [UInt8](), 0)
        while sent < all.count {
            switch pair.write(all[sent...]) {
            case .success(let count):
                try #require(count > 0)
                sent += count
            case .failure(let error):
                try #require(error == Self.again)
                waits += 1
                received += pair.theyReceive()
            }
        }
        received += pair.theyReceive()
        #expect(waits > 0)
        #expect(received == all)
    }

    @Test(arguments: SessionPair.Version.allCases)
    func writingToAPeerThatHasLeftIsAnError(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        pair.theyLeave()
        #expect(pair.write([1]) == .failure(Self.broken))
    }

    @Test(arguments: SessionPair.Version.allCases)
    func aSideThatFinishesSendingStillReads(_ version: SessionPair.Version) throws {
        let pair = try SessionPair(version)
        _ = pair.write(Array("last".utf8)[...])
        pair.records.finishSending()
        #expect(pair.theyReceive() == Array("last".utf8))
        // The end by TLS's own word, where the connection stays.
        var byte: UInt8 = 0
        #expect(gnutls_record_recv(pair.theirs, &byte, 1) == 0)
        pair.theySend("still")
        #expect(pair.read() == .success(Array("still".utf8)))
    }
}

/// Gathers what a session sends: so many small records are more than a socket keeps one by one.
private final class RecordBuffer {
    private var bytes: [UInt8] = []

    init(of session: gnutls_session_t) throws {
        gnutls_transport_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
        gnutls_transport_set_push_function(session) { box, bytes, count in
            guard let box, let bytes else { return -1 }
            Unmanaged<RecordBuffer>.fromOpaque(box).takeUnretainedValue()
                .bytes += UnsafeRawBufferPointer(start: bytes, count: count)
            return count
        }
    }

    /// Sends all at once.
    func send(to socket: Int32) throws {
        guard write(socket, bytes, bytes.count) == bytes.count else {
            throw SessionPair.Failure(message: "the socket has no room")
        }
        bytes = []
    }
}
