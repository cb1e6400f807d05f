/// Bytes that differ from their neighbours, so that a lost or doubled piece shows.
package func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        for index in 0..<count {
            let position = start + index
            buffer[index] = UInt8(truncatingIfNeeded: position &* 31 &+ position >> 8 &* 7 &+ position >> 16)
        }
        filled = count
    }
}
