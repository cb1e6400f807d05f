import Glibc

/// How libmicrohttpd leaves the head of a request in its memory, in which it parses.
///
/// Each version puts a NUL in place of the byte behind each token. What it leaves of a line's end tells them apart.
package enum HeadLayout: CaseIterable, Sendable {
    /// Nothing, CR and LF are NULs: 0.9. By itself it takes much that is not a clean head.
    case nothing
    /// The LF, as by libmicrohttpd 1.0: white space after a value is left between the value's NUL and the CRLF.
    case lineFeeds

    /// The layout of this process's library, found out once.
    static let ofThisLibrary: Result<HeadLayout, ListenError> = {
        let version = LibraryDaemon.version
        return Result { () throws(ListenError) in try choose(version, fault: fault) }
    }()

    /// Chooses the layout that passes the probe.
    ///
    /// - Parameter fault: what is let through or misread with a layout; nil for nothing.
    /// - Throws: a sentence that says what to install, where there is none.
    package static func choose(
        _ version: String, fault: (HeadLayout) -> String?
    ) throws(ListenError) -> HeadLayout {
        var faults: [String] = []
        for layout in allCases {
            guard let fault = fault(layout) else { return layout }
            if !faults.contains(fault) { faults.append(fault) }
        }
        throw ListenError(
            """
            cannot serve: this libmicrohttpd (\(version)) does not leave requests in its memory as is known here \
            (\(faults.joined(separator: "; "))); install another version, such as 0.9.75 or 1.0.1
            """)
    }

    /// What is let through or misread with the library of this process; nil where it can be trusted.
    package static func fault(of layout: HeadLayout) -> String? { HeadProbe.fault(of: layout) }

    /// Whether the library itself is to check heads and chunks.
    ///
    /// With 0.9.75 it would send the header block twice, and take spaces before colons.
    var isLibraryStrict: Bool { self == .lineFeeds }

    /// Keeps the target as it was sent, when only the request line has come.
    ///
    /// The query is cut off in the library's memory, so that it does not parse arguments, of which it takes no more
    /// than some 480.
    static func take(_ target: UnsafePointer<CChar>, into kept: inout [UInt8]) {
        let length = strlen(target)
        let bytes = UnsafeRawBufferPointer(start: target, count: length)
        kept.removeAll(keepingCapacity: length < 256)
        kept += bytes
        if let mark = strchr(target, Int32(UInt8(ascii: "?"))), mark[1] != 0 { mark[1] = 0 }
    }

    /// Audits the head of a connection's request, on the first call for it.
    ///
    /// - Parameter known: the heads of the same daemon that were audited before.
    func audit(
        _ connection: LibraryConnection, method: UnsafePointer<CChar>, target: [UInt8], scheme: String,
        limits: Limits, known: inout KnownHeads
    ) throws(Refusal) -> AuditedHead {
        // The method is where the block begins in the library's buffer.
        let block = UnsafeRawBufferPointer(start: method, count: connection.headSize)
        let lines = connection.fieldCount
        return try known.head(block, target: target, lines: lines) { () throws(Refusal) in
            try HeadAudit.run(block, self, lines: lines, target: target, scheme: scheme, limits: limits)
        }
    }
}
