import Drawbridge
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import TestSupport
import Testing

/// What a `URLProtocol` class tells its client, as the HTTP caller gets it.
@Suite(.timeLimit(.minutes(5))) struct ResponseTests {
    @Test func theResponseAndItsDataReachTheCaller() async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(201, ["Content-Type": "text/plain", "X-Own": "a, b"])
            scripted.load("one ")
            scripted.load("two")
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.status == .created)
        #expect(response.headers[.contentType] == "text/plain")
        #expect(response.headers[HTTPField.Name("X-Own")!] == "a, b")
        #expect(try await response.text() == "one two")
    }

    @Test func theCallerReadsDataWhileTheInstanceLoadsMore() async throws {
        let read = Event()
        let path = ScriptedProtocol.script { scripted in
            scripted.receive()
            scripted.load("first")
            Task {
                await read.wait()
                scripted.load("second")
                scripted.finish()
            }
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        let journal = Notebook()
        try await response.body.write(
            to: Client { chunk in
                journal.note(String(decoding: chunk, as: UTF8.self))
                read.happen()
            })
        #expect(journal.entries == ["first", "second"])
    }

    @Test func tenThousandChunksOfAnotherThreadComeWholeAndInOrder() async throws {
        let path = ScriptedProtocol.script { scripted in
            DispatchQueue.global().async {
                scripted.receive()
                for number in 0..<10_000 { scripted.load("\(number)\n") }
                scripted.finish()
            }
        }
        let text = try await Gateway.scripted().respond(to: Request(path)).text()
        #expect(text == (0..<10_000).map { "\($0)\n" }.joined())
    }

    @Test func theContentLengthIsThatOfTheResponse() async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(200, ["Content-Length": "4"])
            scripted.load("four")
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.body.length == 4)
        #expect(response.headers[.contentLength] == nil, "the server writes it")
        #expect(try await response.text() == "four")
    }

    @Test func aBodyThatFoundationDecodedIsNotLabelledAsEncoded() async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(
                200,
                [
                    "Content-Encoding": "gzip", "Content-Length": "3", "Transfer-Encoding": "chunked",
                    "Connection": "close", "ETag": "\"a\"",
                ])
            scripted.load("decoded")
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.body.length == nil)
        for name in [HTTPField.Name.contentEncoding, .transferEncoding, .connection] {
            #expect(response.headers[name] == nil)
        }
        #expect(response.headers[.eTag] == "\"a\"")
        #expect(try await response.text() == "decoded")
    }

    @Test func aResponseThatIsNotOfHTTPIsA200OfItsType() async throws {
        let path = ScriptedProtocol.script { scripted in
            let response = URLResponse(
                url: scripted.request.url!, mimeType: "text/html", expectedContentLength: 0,
                textEncodingName: "utf-8")
            scripted.receive(response, policy: .allowed)
            scripted.load("<p>")
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        #expect(try await response.text() == "<p>")
    }

    @Test func aHeadRequestGetsTheHeadAndItsLength() async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(200, ["Content-Length": "1000"])
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(.head, path))
        #expect(response.body.length == 1000)
        #expect(try await response.text().isEmpty)
    }

    @Test(arguments: [
        (URLCache.StoragePolicy.notAllowed, nil, "no-store"),
        (.notAllowed, "max-age=60", "no-store"),
        (.allowedInMemoryOnly, "max-age=60", "no-store"),
        (.allowed, "max-age=60", "max-age=60"),
        (.allowed, nil, "private"),
    ])
    func theCachingPolicyBecomesCacheControl(
        policy: URLCache.StoragePolicy, own: String?, expected: String
    ) async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(200, own.map { ["Cache-Control": $0] } ?? [:], policy: policy)
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.headers[values: .cacheControl] == [expected])
    }

    @Test func aCachedResponseIsAnAnswer() async throws {
        let path = ScriptedProtocol.script { scripted in
            let response = URLResponse(
                url: scripted.request.url!, mimeType: "text/plain", expectedContentLength: 6,
                textEncodingName: nil)
            scripted.instance.client?.urlProtocol(
                scripted.instance,
                cachedResponseIsValid: CachedURLResponse(
                    response: response, data: Data("cached".utf8), userInfo: nil, storagePolicy: .allowed))
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.headers[.cacheControl] == "private")
        #expect(try await response.text() == "cached")
    }

    @Test func everyCookieHasItsOwnHeaderField() async throws {
        let path = ScriptedProtocol.script { scripted in
            let fields = [
                "Set-Cookie":
                    "a=1; Expires=Wed, 21 Oct 2035 07:28:00 GMT; Path=/, b=2,c=3; HttpOnly, d=x y, z"
            ]
            scripted.receive(200, fields)
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(
            response.headers[values: .setCookie] == [
                "a=1; Expires=Wed, 21 Oct 2035 07:28:00 GMT; Path=/", "b=2", "c=3; HttpOnly", "d=x y, z",
            ])
    }

    @Test func aFailureIsA502WithItsDescription() async throws {
        struct Closed: LocalizedError {
            var errorDescription: String? { "the shop is closed" }
        }
        struct Plain: Error {}
        let failures: [(error: any Error & Sendable, words: String)] = [
            (Closed(), "the shop is closed"), (Plain(), "Plain()"),
            (
                URLError(.cannotFindHost, userInfo: [NSLocalizedDescriptionKey: "no such host"]),
                "no such host"
            ),
        ]
        for (error, words) in failures {
            let path = ScriptedProtocol.script { $0.fail(error) }
            let response = await Gateway.scripted().respond(to: Request(path))
            #expect(response.status == .badGateway)
            #expect(
                try await response.json()
                    == ["code": 502, "message": .string("ScriptedProtocol failed: \(words)")])
        }
    }

    @Test func aFailureAfterSomeDataBreaksOffTheTransfer() async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(200, ["Content-Length": "8"])
            scripted.load("half")
            scripted.fail(URLError(.networkConnectionLost))
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.status == .ok)
        await #expect(throws: HTTPError.self) { try await response.text() }
    }

    @Test func aClassThatSendsNoResponseIsNamedInTheError() async throws {
        let loading = ScriptedProtocol.script { $0.load("data") }
        let finishing = ScriptedProtocol.script { $0.finish() }
        let wrong = ScriptedProtocol.script { $0.receive(0) }
        for (path, words) in [
            (loading, "ScriptedProtocol loaded data before it received a response"),
            (finishing, "ScriptedProtocol finished without a response"),
            (wrong, "0 is not a final HTTP status"),
        ] {
            let response = await Gateway.scripted().respond(to: Request(path))
            #expect(response.status == .badGateway)
            #expect(try await response.json()["message"] == .string(words))
        }
    }
}
