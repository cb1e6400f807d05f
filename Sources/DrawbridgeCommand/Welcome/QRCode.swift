import CQREncode
import Drawbridge

/// A text as a QR code (ISO/IEC 18004), by libqrencode.
struct QRCode {
    /// The modules from the top left, each true where it is dark.
    let rows: [[Bool]]

    /// - Returns: nil where the text is too long, at about 2,900 bytes.
    init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // The lowest bit of each byte says whether the module is dark.
        let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
        rows = (0..<width).map { Array(modules[$0 * width..<($0 + 1) * width]) }
    }

    /// A digit for each module, 1 for a dark one, and a text for each row.
    var json: JSON { .array(rows.map { .string($0.map { $0 ? "1" : "0" }.joined()) }) }

    /// Lines for a terminal that writes light on dark; each shows two rows, with the light border that readers need.
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
