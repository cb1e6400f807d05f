#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONText {
    /// Writes a value whose type has a form in JSON; `false`, without writing, for any other type.
    func write<Value: Encodable>(scalar value: Value) throws -> Bool {
        if Value.self == String.self { return done(write(identity(value, as: String.self))) }
        if Value.self == Int.self { return done(write(identity(value, as: Int.self))) }
        if Value.self == Double.self { return done(try write(identity(value, as: Double.self))) }
        if Value.self == Bool.self { return done(write(identity(value, as: Bool.self))) }
        if Value.self == [String].self {
            return done(write(identity(value, as: [String].self)) { write($0) })
        }
        if Value.self == JSON.self { return done(write(identity(value, as: JSON.self))) }
        if Value.self == Date.self {
            if let text = Timestamp.text(of: identity(value, as: Date.self)) { return done(write(text)) }
            throw failure("the date lies outside the years 0000 to 9999", value)
        }
        if Value.self == Decimal.self {
            return done(try write(JSON.Number(identity(value, as: Decimal.self)), value))
        }
        if Value.self == Data.self {
            return done(write(identity(value, as: Data.self).base64EncodedString()))
        }
        if Value.self == URL.self { return done(write(identity(value, as: URL.self).absoluteString)) }
        if Value.self == Float.self {
            return done(try write(JSON.Number(identity(value, as: Float.self)), value))
        }
        if Value.self == Int64.self { return done(write(Int(identity(value, as: Int64.self)))) }
        if Value.self == Int32.self { return done(write(Int(identity(value, as: Int32.self)))) }
        if Value.self == Int16.self { return done(write(Int(identity(value, as: Int16.self)))) }
        if Value.self == Int8.self { return done(write(Int(identity(value, as: Int8.self)))) }
        if Value.self == UInt.self { return done(write(whole: identity(value, as: UInt.self))) }
        if Value.self == UInt64.self { return done(write(whole: identity(value, as: UInt64.self))) }
        if Value.self == UInt32.self { return done(write(Int(identity(value, as: UInt32.self)))) }
        if Value.self == UInt16.self { return done(write(Int(identity(value, as: UInt16.self)))) }
        if Value.self == UInt8.self { return done(write(Int(identity(value, as: UInt8.self)))) }
        if Value.self == [Int].self { return done(write(identity(value, as: [Int].self)) { write($0) }) }
        return false
    }

    @inline(__always)
    private func done(_ written: Void) -> Bool { true }

    private func write(whole value: some BinaryInteger) { write(.number(JSON.Number(value))) }

    private func write(_ value: Double) throws {
        // Whole numbers below 2^53 are written without a fraction; not zero, since `-0` must keep its sign.
        if let whole = Int(exactly: value), whole.magnitude < 1 << 53, whole != 0 { return write(whole) }
        try write(JSON.Number(value), value)
    }

    private func write(_ number: JSON.Number?, _ value: Any) throws {
        guard let number else {
            throw failure("\(value) is not a number in JSON; encode null or a text instead", value)
        }
        write(.number(number))
    }

    private func write<Element>(_ elements: [Element], _ element: (Element) -> Void) {
        write("[" as Unicode.Scalar)
        for (place, value) in elements.enumerated() {
            if place > 0 { write("," as Unicode.Scalar) }
            element(value)
        }
        write("]" as Unicode.Scalar)
    }
}
