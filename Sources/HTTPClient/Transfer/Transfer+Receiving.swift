import EventLoop
import Glibc
import HTTPTypes

extension Transfer {
    /// The maximum number of bytes per read until the head is complete.
    private static let firstPiece = 32 << 10
    /// The maximum length of a line of the head; a longer line makes the response malformed.
    private static let longestLine = 64 << 10

    func readHead(from connection: ClientConnection) {
        let buffer = UnsafeMutableRawBufferPointer(rebasing: client.buffer[..<Self.firstPiece])
        let count: Int
        switch connection.read(into: buffer) {
        case .nothing: return
        case .end: return broke("the connection was closed")
        case .broken(let why): return broke(why)
        case .bytes(let bytes): count = bytes
        }
        own.value.hasHeard = true
        var rest = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        while case .head = own.value.receiving {
            guard let start = rest.baseAddress,
                let newline = memchr(start, Int32(UInt8(ascii: "\n")), rest.count)
            else { break }
            let end = newline - start
            read(line: UnsafeRawBufferPointer(rebasing: rest[..<end]))
            guard own.value.owner != nil else { return }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[(end + 1)...])
        }
        if case .head = own.value.receiving {
            own.value.line += rest
            if own.value.line.count > Self.longestLine {
                refuse(MalformedResponse("a line of the head has more than 64 KB"))
            }
        } else {
            let taken = own.value.hasSwitched ? rest.count : take(rest)
            if taken > 0 { own.value.early += UnsafeRawBufferPointer(rebasing: rest[..<taken]) }
            endIfOver()
        }
    }

    /// Parses one line, given without its LF.
    private func read(line end: UnsafeRawBufferPointer) {
        guard own.value.line.isEmpty else {
            let whole = own.value.line + end
            own.value.line = []
            return whole.withUnsafeBytes { read(line: $0) }
        }
        let isWithReturn = end.last == UInt8(ascii: "\r")
        let line = isWithReturn ? UnsafeRawBufferPointer(rebasing: end.dropLast()) : end
        do throws(MalformedResponse) {
            guard let head = try own.value.reader.read(line) else { return }
            if head.status == .switchingProtocols {
                try head.checkSwitch(to: request.upgrade)
                own.value.hasSwitched = true
            } else if head.status.kind == .informational {
                return
            }
            begin(head)
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ error: MalformedResponse) {
        end(with: TransferError(.malformed, "the answer of \(request.host) is not HTTP: \(error)"))
    }

    private func begin(_ head: ResponseHead) {
        own.value.receiving = head.body(of: request.method)
        if let time = head.idleTime, case .open(let connection, _) = own.value.way {
            if head.status.code == 401, head.fields.contains(where: \.isConnectionLogin) {
                connection.isLoggedIn = true
            }
            connection.serverKeepsIt(forMilliseconds: time)
        } else {
            own.value.isReusable = false
        }
        owner?.receive(head)
        switch own.value.sending {
        case .stopped: stopSending()
        case .nothing where own.value.outgoing.isEmpty: break
        case .nothing, .bytes, .stream, .waiting: if head.status.code >= 300 { stopSending() }
        }
    }

    /// Reads a part of the body and returns its number of bytes: 0 if none have arrived, and at the end.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while case .open(let connection, _) = own.value.way, connection.canRead {
            var target = buffer
            switch own.value.receiving {
            case .head, .over: return 0
            case .length(let left): target = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(left))
            case .chunks, .toEnd: break
            }
            let count: Int
            switch connection.read(into: target) {
            case .nothing: return 0
            case .bytes(let bytes): count = bytes
            case .end:
                if case .toEnd = own.value.receiving {
                    own.value.receiving = .over
                    own.value.isReusable = false
                    endIfOver()
                } else {
                    broke("the connection was closed")
                }
                return 0
            case .broken(let why):
                broke(why)
                return 0
            }
            own.value.moved = Loop.now
            let taken = take(UnsafeMutableRawBufferPointer(rebasing: target[..<count]))
            endIfOver()
            if taken > 0 { return taken }
        }
        return 0
    }

    /// Moves the bytes of the body to the front of the buffer, and returns their number.
    private func take(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        var (read, taken) = (bytes.count, bytes.count)
        switch own.value.receiving {
        case .head, .toEnd: break
        case .over: (read, taken) = (0, 0)
        case .length(let left):
            taken = min(left, bytes.count)
            read = taken
            own.value.receiving = left == taken ? .over : .length(left: left - taken)
        case .chunks(var chunks):
            do throws(MalformedResponse) {
                (read, taken) = try chunks.read(bytes)
            } catch {
                refuse(error)
                return 0
            }
            own.value.receiving = chunks.isOver ? .over : .chunks(chunks)
        }
        // Bytes after the end of the response: the next request must not take them for its response.
        if read < bytes.count { own.value.isReusable = false }
        return taken
    }
}
