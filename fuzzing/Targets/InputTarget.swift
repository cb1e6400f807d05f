import HTTPTypes

@testable import Drawbridge
@testable import DrawbridgeMessages

/// Query, form and JSON together as the input of a handler: content type, query, and the body in the lines after.
enum InputTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let (lines, body) = split(bytes, lines: 2)
        var request = Request(.post, "/a?" + lines[1], body: .init(body))
        if !lines[0].isEmpty { request.headers[.contentType] = lines[0] }
        let sent = request
        let (input, _) = wait { (await read(JSON.self, of: sent), await read(Everything.self, of: sent)) }

        var named = sent
        named.parameters = ["id": lines[0]]
        let below = named
        if let id = wait(for: { await read(JSON.self, of: below) })?.objectValue?["id"] {
            check(id.stringValue ?? id.numberValue?.literal == lines[0], "\(id) is not what the path says")
        }

        guard let input, let members = (try? JSON(parsing: body))?.objectValue else { return }
        for (name, value) in members { check(input[name] == value, "\(name) of the body is \(input)") }
        for item in sent.query { check(input[item.name] != nil, "\(item) of the query is lost") }
    }

    private static func read<T: Decodable & Sendable>(_ type: T.Type, of request: Request) async -> T? {
        do {
            return try await request.input(as: type)
        } catch let error as HTTPError {
            check([400, 415].contains(error.status.code), "\(error)")
            return nil
        } catch {
            fatalError("\(type) fails with \(error)")
        }
    }
}
