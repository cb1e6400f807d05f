extension DecodingError {
    /// A sentence for the sender of the value, such as `items[2].price: expected a number, got the string "a"`.
    package var explanation: String {
        switch self {
        case .keyNotFound(let key, let context):
            let isOurs = context.debugDescription.hasPrefix("expected ")
            let path = (context.codingPath + [key]).dotted
            return "\(path) is missing" + (isOurs ? ": \(context.debugDescription)" : "")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let path = context.codingPath.dotted
            let problem = context.debugDescription.cut(to: 200)
            return path.isEmpty ? problem : "\(path): \(problem)"
        @unknown default:
            return "\(self)"
        }
    }
}

extension [any CodingKey] {
    /// The path in JavaScript's notation, such as `items[2].price`.
    package var dotted: String {
        var path = ""
        for key in self {
            if let position = key.intValue {
                path += "[\(position)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue.cut(to: 40)
            }
        }
        return path
    }
}
