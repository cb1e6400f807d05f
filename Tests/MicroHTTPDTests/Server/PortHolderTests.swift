import Glibc
import Testing

@testable import MicroHTTPD

@Suite struct PortHolderTests {
    @Test func theProgramThatListensOnAPortIsNamed() throws {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 1)
        let holder = try #require(PortHolder.of(port: socket.port))
        #expect(!holder.hasPrefix(" ") && holder.hasSuffix(" (process \(getpid()))"))
        do {
            _ = try ListeningSocket(host: "127.0.0.1", port: socket.port, backlog: 1)
            Issue.record("one port was taken twice")
        } catch let error as ListenError {
            #expect(error.holder == holder && error.description.contains("\(holder) uses it"))
        }
        socket.close()
        #expect(PortHolder.of(port: socket.port) == nil)
    }

    @Test func onlyListeningSocketsAreReported() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0
               1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 4243 1 0
               2: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4244 1 0
               3: torn
               4: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 4245 1
            """
        #expect(PortHolder.listening(at: 8080, in: table) == ["socket:[4242]", "socket:[4245]"])
        #expect(PortHolder.listening(at: 80, in: table).isEmpty)
    }
}
