#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONText {
    /// Writes a value that JSON has a form for; `false` for one that encodes itself.
    func write<Value: Encodable>(scalar value: Value) throws -> Bool {
        if Value.self == String.self {
            write(identity(value, as: String.self))
        } else if Value.self == Int.self {
            write(identity(value, as: Int.self))
        } else if Value.self == Double.self {
            try write(identity(value, as: Double.self))
        } else if Value.self == Bool.self {
            write(identity(value, as: Bool.self))
        } else if Value.self == [String].self {
            write(identity(value, as: [String].self)) { write($0) }
        } else if Value.self == JSON.self {
            write(identity(value, as: JSON.self))
        } else if Value.self == Date.self {
            guard let text = Timestamp.text(of: identity(value, as: Date.self)) else {
                throw failure("the date lies outside the years 0000 to 9999", value)
            }
            write(text)
        } else if Value.self == Decimal.self {
            try write(JSON.Number(identity(value, as: Decimal.self)), value)
        } else if Value.self == Data.self {
            write(identity(value, as: Data.self).base64EncodedString())
        } else if Value.self == URL.self {
            write(identity(value, as: URL.self).absoluteString)
        } else if Value.self == Float.self {
            try write(JSON.Number(identity(value, as: Float.self)), value)
        } else if Value.self == Int64.self {
            write(Int(identity(value, as: Int64.self)))
        } else if Value.self == Int32.self {
            write(Int(identity(value, as: Int32.self)))
        } else if Value.self == Int16.self {
            write(Int(identity(value, as: Int16.self)))
        } else if Value.self == Int8.self {
            write(Int(identity(value, as: Int8.self)))
        } else if Value.self == Int128.self {
            try write(JSON.Number(identity(value, as: Int128.self)), value)
        } else if Value.self == UInt.self {
            try write(JSON.Number(identity(value, as: UInt.self)), value)
        } else if Value.self == UInt64.self {
            try write(JSON.Number(identity(value, as: UInt64.self)), value)
        } else if Value.self == UInt32.self {
            write(Int(identity(value, as: UInt32.self)))
        } else if Value.self == UInt16.self {
            write(Int(identity(value, as: UInt16.self)))
        } else if Value.self == UInt8.self {
            write(Int(identity(value, as: UInt8.self)))
        } else if Value.self == UInt128.self {
            try write(JSON.Number(identity(value, as: UInt128.self)), value)
        } else if Value.self == [Int].self {
            write(identity(value, as: [Int].self)) { write($0) }
        } else {
            return false
        }
        return true
    }

    private func write(_ value: Double) throws {
        // Whole numbers below 2^53 are written as integers are; zero is not, so that `-0` keeps its sign.
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
        var isFirst = true
        for value in elements {
            if !isFirst { write("," as Unicode.Scalar) }
            isFirst = false
            element(value)
        }
        write("]" as Unicode.Scalar)
    }
}
