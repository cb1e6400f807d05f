import HTTPTypes
import Testing

@testable import DrawbridgeServer

@Suite("Hop-by-hop fields")
struct HopByHopTests {
    @Test(arguments: [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization", "TE",
        "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "HTTP2-Settings", "CONNECTION", "te",
        "transfer-ENCODING",
    ])
    func hopByHopFieldsAreDroppedInAnyCase(name: String) throws {
        #expect(try HopByHop(in: [:]).contains(#require(HTTPField.Name(name))))
    }

    @Test(arguments: [
        "Cookie", "Host", "Content-Type", "Content-Encoding", "Via", "Date", "Trailers", "Server", "ETag",
        "Connections", "X-Transfer-Encoding", "Authorization", "WWW-Authenticate", "Sec-WebSocket-Key", "T",
        "Proxy-Status", "Range", "Accept", "Location", "Set-Cookie", "User-Agent",
    ])
    func fieldsThatAreNotHopByHopAreForwarded(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(!HopByHop(in: [:]).contains(name))
        #expect(!HopByHop(in: [.connection: "keep-alive"]).contains(name))
        #expect(!HopByHop(in: [.connection: "close"]).contains(name))
        #expect(!HopByHop(in: [.connection: "Upgrade"]).contains(name))
    }

    @Test(arguments: [
        (["close, Cookie, X-Forwarded-For"], ["cookie", "x-forwarded-for"]),
        (["cookie"], ["Cookie"]), (["COOKIE"], ["Cookie"]), ([" \tCookie\t ,,, X-A"], ["Cookie", "X-A"]),
        (["keep-alive", "Cookie"], ["Cookie"]), (["Cookie", "close"], ["Cookie"]), (["Host"], ["Host"]),
        (["a,b", "c , d"], ["A", "B", "C", "D"]), (["Upgrade, HTTP2-Settings"], ["HTTP2-Settings"]),
        (["Keep-Alive, Close"], ["Close"]),
    ])
    func fieldsNamedByConnectionAreDropped(values: [String], names: [String]) throws {
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .connection, value: value)) }
        let hopByHop = HopByHop(in: fields)
        for name in names { #expect(try hopByHop.contains(#require(HTTPField.Name(name))), "\(name)") }
        #expect(!hopByHop.contains(.accept))
    }

    @Test func aNameAmongThousandsInConnectionIsFoundQuickly() {
        let list = (0..<20_000).map { "n\($0)" }.joined(separator: ",")
        let hopByHop = HopByHop(in: [.connection: list])
        #expect(hopByHop.contains(HTTPField.Name("N19999")!))
        #expect(!hopByHop.contains(HTTPField.Name("N20000")!))
    }
}
