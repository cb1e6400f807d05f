import CCurl
import Glibc
import HTTPTypes

/// Header fields as libcurl wants them: a list in memory that is ours, since it only reads.
struct HeaderList: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private let count: Int

    /// - Parameter isWithBody: whether libcurl must be told not to expect a `100 Continue`.
    init(host: String, _ fields: HTTPFields, isWithBody: Bool) {
        var hasAccept = false
        var room = host.utf8.count + 7
        var count = 1
        for field in fields {
            if field.name == .accept { hasAccept = true }
            room += field.name.rawName.utf8.count + 3
            field.withUnsafeBytesOfValue { room += $0.count }
            count += 1
        }
        // A name without a value keeps libcurl from sending what it would by itself.
        if !hasAccept {
            room += 8
            count += 1
        }
        if isWithBody {
            room += 8
            count += 1
        }
        self.count = count
        let nodes = count * MemoryLayout<curl_slist>.stride
        memory = .allocate(byteCount: nodes + room, alignment: MemoryLayout<curl_slist>.alignment)
        var writer = Writer(nodes: memory.assumingMemoryBound(to: curl_slist.self), text: memory + nodes)
        writer.begin()
        writer.write("Host: ")
        writer.write(host)
        for field in fields {
            writer.begin()
            writer.write(field.name.rawName)
            field.withUnsafeBytesOfValue { value in
                if value.isEmpty {
                    writer.write(";")
                } else {
                    writer.write(": ")
                    writer.write(UnsafeRawBufferPointer(value))
                }
            }
        }
        if !hasAccept {
            writer.begin()
            writer.write("Accept:")
        }
        if isWithBody {
            writer.begin()
            writer.write("Expect:")
        }
        writer.end()
    }

    deinit { memory.deallocate() }

    /// Valid as long as this is.
    var first: UnsafeMutablePointer<curl_slist> { memory.assumingMemoryBound(to: curl_slist.self) }
}

/// Writes C strings and the list's nodes that point at them.
private struct Writer {
    let nodes: UnsafeMutablePointer<curl_slist>
    var text: UnsafeMutableRawPointer
    var count = 0

    init(nodes: UnsafeMutablePointer<curl_slist>, text: UnsafeMutableRawPointer) {
        self.nodes = nodes
        self.text = text
    }

    mutating func begin() {
        if count > 0 {
            finish()
            nodes[count - 1].next = nodes + count
        }
        nodes[count] = curl_slist(data: text.assumingMemoryBound(to: CChar.self), next: nil)
        count += 1
    }

    mutating func end() { finish() }

    mutating func write(_ part: String) {
        var part = part
        part.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        text.copyMemory(from: start, byteCount: bytes.count)
        text += bytes.count
    }

    private mutating func finish() {
        text.storeBytes(of: 0, as: UInt8.self)
        text += 1
    }
}
