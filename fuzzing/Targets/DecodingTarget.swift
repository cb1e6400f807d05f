@testable import Drawbridge
@testable import DrawbridgeJSON

/// What handlers decode of JSON, and encode again.
enum DecodingTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let value = try? JSON(parsing: bytes) else { return }
        decode(value, textMembers: [])
        decode(value, textMembers: Everything.names)
    }

    private static func decode(_ value: JSON, textMembers: Set<String>) {
        let decoded: Everything
        do {
            decoded = try value.decode(Everything.self, textMembers: textMembers)
        } catch let error as DecodingError {
            return check(!error.explanation.isEmpty, "\(error) is not explained")
        } catch {
            fatalError("\(value) is refused with \(error)")
        }
        // Dates out of the years 0 to 9999 are read, and not written.
        guard let written = try? JSON.encode(decoded) else { return }
        guard let again = try? JSON(parsing: written).decode(Everything.self) else {
            fatalError("\(String(decoding: written, as: UTF8.self)) is not read as it was written")
        }
        check((try? JSON.encode(again)) == written, "\(decoded) is not \(again)")
    }
}
