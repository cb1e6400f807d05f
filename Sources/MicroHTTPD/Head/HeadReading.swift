import Glibc
import HTTPGrammar
import HTTPTypes

/// How the head of a request is read, and who checks that it is clean.
package enum HeadReading: Sendable {
    /// The raw block in the library's memory, whose layout is known: ``HeadAudit`` sees every byte.
    case block
    /// The fields that the library has read, as strictly as it can; the engine checks only their meaning.
    case fields

    /// The versions whose memory is known.
    private static let known: Set = ["0.9.75"]

    /// The reading that is safe with this process's library, found out once, with a warning for the log.
    static let ofThisLibrary: Result<(reading: HeadReading, problem: String?), ListenError> = {
        let version = LibraryDaemon.version
        return Result { () throws(ListenError) in try choose(version, fault: fault) }
    }()

    /// Chooses the best reading that passes the probe.
    ///
    /// - Parameter fault: what a reading lets through or misreads; nil for nothing.
    /// - Throws: a sentence that says what to install, where no reading is safe.
    package static func choose(
        _ version: String, fault: (HeadReading) -> String?
    ) throws(ListenError) -> (reading: HeadReading, problem: String?) {
        let reason: String
        if !known.contains(version) {
            reason = "is not a version whose memory is known"
        } else if let fault = fault(.block) {
            reason = "has not the memory of that version (\(fault))"
        } else {
            return (.block, nil)
        }
        if let fault = fault(.fields) {
            throw ListenError(
                """
                cannot serve: this libmicrohttpd (\(version)) \(reason), and does not check requests well enough \
                by itself (\(fault)); install libmicrohttpd 0.9.75, which Debian 12 and Drawbridge's release have
                """)
        }
        return (
            .fields,
            """
            this libmicrohttpd (\(version)) \(reason): it checks the heads of requests itself, as strictly as it \
            can; for the whole audit install libmicrohttpd 0.9.75
            """
        )
    }

    /// What it lets through or misreads with the library of this process; nil where it can be trusted.
    package static func fault(of reading: HeadReading) -> String? { HeadProbe.fault(of: reading) }

    /// Whether the library is to check heads as strictly as it can.
    var isLibraryStrict: Bool { self == .fields }

    /// Keeps the target as it was sent, when only the request line has come.
    ///
    /// With a known memory layout, the query is cut off in it, so that the library does not parse arguments, of which
    /// it takes no more than some 480.
    func take(_ target: UnsafePointer<CChar>, into kept: inout [UInt8]) {
        let length = strlen(target)
        let bytes = UnsafeRawBufferPointer(start: target, count: length)
        kept.removeAll(keepingCapacity: length < 256)
        kept += bytes
        if self == .block, let mark = bytes.firstIndex(of: UInt8(ascii: "?")), mark + 1 < length {
            UnsafeMutablePointer(mutating: target)[mark + 1] = 0
        }
    }

    /// Audits the head of a connection's request, on the first call for it.
    ///
    /// - Parameter known: the heads of the same daemon that were audited before.
    func audit(
        _ connection: LibraryConnection, method: UnsafePointer<CChar>, target: [UInt8],
        version: UnsafePointer<CChar>, scheme: String, limits: Limits, known: inout KnownHeads
    ) throws(Refusal) -> AuditedHead {
        let size = connection.headSize
        switch self {
        case .block:
            // The method is where the block begins in the library's buffer.
            let block = UnsafeRawBufferPointer(start: method, count: size)
            let lines = connection.fieldCount
            return try known.head(block, target: target, lines: lines) { () throws(Refusal) in
                try HeadAudit.run(block, lines: lines, target: target, scheme: scheme, limits: limits)
            }
        case .fields:
            return try HeadAudit.check(
                method: String(cString: method), target: target, scheme: scheme,
                version: String(cString: version), fields: Self.fields(of: connection), size: size,
                limits: limits)
        }
    }

    /// The header fields as the library read them, byte for byte.
    private static func fields(
        of connection: LibraryConnection
    ) throws(Refusal) -> [(name: [UInt8], value: [UInt8])] {
        guard let fields = connection.fields,
            fields.allSatisfy({ name, value in
                !name.isEmpty && name.allSatisfy(ASCIISet.token.contains) && value.allSatisfy(\.isFieldByte)
            })
        else {
            throw .malformed("a header field has a name that is no token, or a control character")
        }
        return fields
    }
}
