import Drawbridge
import Foundation
import Synchronization
import TestSupport

/// A way to a browser that takes the commands of WebDriver, one after the other.
protocol DriverWire: Sendable {
    /// Sends a command, and gives the value of its answer.
    func send(_ command: DriverCommand, _ parameters: JSON) async throws -> JSON
}

/// What a browser says that did not do what it was told.
struct DriverFailure: Error, CustomStringConvertible { let description: String }

/// WebDriver over HTTP, which Chromium's and WebKit's drivers speak.
final class WebDriverWire: DriverWire {
    private let port: Int
    private let session = Mutex("")

    /// Waits until the driver listens.
    init(port: Int) async throws {
        self.port = port
        guard await eventually({ (try? RawClient(port)) != nil }) else {
            throw DriverFailure(description: "no driver listens on port \(port)")
        }
    }

    func send(_ command: DriverCommand, _ parameters: JSON) async throws -> JSON {
        let body = command.method == "POST" ? parameters.bytes : []
        let path = "/session\(session.withLock { $0 })\(command.path)"
        let head =
            "\(command.method) \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        let port = port
        let reply = try await blocking {
            let client = try RawClient(port)
            try client.send(Array(head.utf8) + body)
            return try client.reply()
        }
        let value = try JSON(parsing: reply.body)["value"] ?? .null
        guard reply.status == 200 else { throw DriverFailure(description: "\(command): \(value)") }
        if command == .newSession, let id = value["sessionId"]?.stringValue {
            session.withLock { $0 = "/\(id)" }
        }
        return value
    }
}

/// Marionette, which Firefox speaks by itself: the same commands in lines of `length:[0, number, name, parameters]`.
final class MarionetteWire: DriverWire {
    private let client: RawClient
    private let last = Mutex(0)

    /// Connects as soon as the browser listens.
    init(port: Int) async throws {
        var client: RawClient?
        _ = await eventually {
            client = try? RawClient(port)
            return client != nil
        }
        guard let client else { throw DriverFailure(description: "Firefox does not listen on port \(port)") }
        self.client = client
        // It says who it is first.
        _ = try await blocking { try Self.message(from: client) }
    }

    func send(_ command: DriverCommand, _ parameters: JSON) async throws -> JSON {
        let number = last.withLock { last in
            last += 1
            return last
        }
        let message: JSON = [
            0, .number(.init(number)), .string("WebDriver:\(command.rawValue)"), parameters,
        ]
        let answer = try await blocking { [client] in
            try client.send(Array("\(message.bytes.count):".utf8) + message.bytes)
            return try Self.message(from: client)
        }
        guard answer[1]?.numberValue?.intValue == number, answer[2] == .null else {
            throw DriverFailure(description: "\(command): \(answer)")
        }
        return answer[3]?["value"] ?? answer[3] ?? .null
    }

    private static func message(from client: RawClient) throws -> JSON {
        var length = 0
        while let digit = try client.bytes(1).first, digit != UInt8(ascii: ":") {
            length = length * 10 + Int(digit) - 48
        }
        return try JSON(parsing: try client.bytes(length))
    }
}
