/// The JSON object of flagged and of `__jsbridge__` requests: `{"code":200,"data":{…},"message":""}`.
///
/// Written by hand: a general encoder would cost more than all the rest of a small request.
enum Envelope {
    private static let null = Array("null".utf8)

    /// The object for an output; `null` is no output and leaves `data` out.
    static func success(_ output: [UInt8], code: Int = 200) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(output.count + 40)
        bytes += #"{"code":"#.utf8
        JSON.write(code, into: &bytes)
        bytes.append(UInt8(ascii: ","))
        if !output.isEmpty, output != Self.null {
            bytes += #""data":"#.utf8
            bytes += output
            bytes.append(UInt8(ascii: ","))
        }
        bytes += #""message":""}"#.utf8
        return bytes
    }

    /// The object for an error.
    static func failure(_ error: HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes += #"{"code":\#(error.code),"message":"#.utf8
        JSON.string(error.message).write(into: &bytes)
        if let data = error.data {
            bytes += #","data":"#.utf8
            data.write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
