import CQREncode

/// A text as a QR code (ISO/IEC 18004), made by libqrencode.
struct QRCode {
    /// The modules by row, from the top left; true is dark.
    let rows: [[Bool]]

    /// - Returns: nil if the text is too long: the limit is about 2,900 bytes.
    init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // The lowest bit of each byte is 1 for a dark module.
        let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
        rows = (0..<width).map { Array(modules[$0 * width..<($0 + 1) * width]) }
    }

    /// One text per row, with the digit 1 for a dark module and 0 for a light one.
    var json: JSON { .array(rows.map { .string($0.map { $0 ? "1" : "0" }.joined()) }) }

    /// Lines for a terminal with light text on dark, two rows in each, with the light border that scanners need.
    var lines: [String] {
        let border = 4
        let width = rows.count
        func isLight(_ row: Int, _ column: Int) -> Bool {
            rows.indices.contains(row) && rows.indices.contains(column) ? !rows[row][column] : true
        }
        return stride(from: -border, to: width + border, by: 2).map { row in
            (-border..<width + border).map { column in
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }
    }
}
