import Glibc

/// The bytes that libmicrohttpd leaves in its buffer after parsing a request head in place.
///
/// Every version overwrites the byte after each token with a NUL; the versions differ in what they leave of a line end.
package enum HeadLayout: CaseIterable, Sendable {
    /// libmicrohttpd 0.9: CR and LF become NULs. It accepts many malformed heads.
    case nothing
    /// libmicrohttpd 1.0: LF stays, and so does white space between the value's NUL and the CRLF.
    case lineFeeds

    /// The layout of the library that is loaded, determined once.
    static let ofThisLibrary: Result<HeadLayout, ListenError> = {
        let version = LibraryDaemon.version
        return Result { () throws(ListenError) in try choose(version, fault: fault) }
    }()

    /// Returns the first layout without a fault.
    ///
    /// - Parameter fault: what a layout accepts or reads wrongly; nil if it is right.
    /// - Throws: an error that says which library to install, if no layout is right.
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
            cannot serve: this libmicrohttpd (\(version)) parses requests in a way that is unknown here \
            (\(faults.joined(separator: "; "))); install another version, such as 0.9.75 or 1.0.1
            """)
    }

    /// Why heads cannot be read by this layout with the library that is loaded; nil if they can.
    package static func fault(of layout: HeadLayout) -> String? { HeadProbe.fault(of: layout) }

    /// Whether the library's own strict mode is used.
    ///
    /// Not with 0.9.75: in its strict mode that version sends response header fields twice.
    var isLibraryStrict: Bool { self == .lineFeeds }

    /// Copies the request target, when only the request line has been parsed.
    ///
    /// Then it cuts off the query in the library's buffer, because the library would parse its arguments, at most about
    /// 480.
    static func take(_ target: UnsafePointer<CChar>, into kept: inout [UInt8]) {
        let length = strlen(target)
        let bytes = UnsafeRawBufferPointer(start: target, count: length)
        kept.removeAll(keepingCapacity: length < 256)
        kept += bytes
        if let mark = strchr(target, Int32(UInt8(ascii: "?"))), mark[1] != 0 { mark[1] = 0 }
    }

    /// Parses and checks the head, in the access handler's first call for a request.
    ///
    /// - Parameter known: the heads that this daemon has parsed before.
    func audit(
        _ connection: LibraryConnection, method: UnsafePointer<CChar>, target: [UInt8], scheme: String,
        limits: Limits, known: inout KnownHeads
    ) throws(Refusal) -> AuditedHead {
        // The method is the first token of the head, so its pointer is the start of the block.
        let block = UnsafeRawBufferPointer(start: method, count: connection.headSize)
        let lines = connection.fieldCount
        return try known.head(block, target: target, lines: lines) { () throws(Refusal) in
            try HeadAudit.run(block, self, lines: lines, target: target, scheme: scheme, limits: limits)
        }
    }
}
