extension JSONText {
    func path(to place: Int) -> [any CodingKey] {
        let places = own.outer + [own.current]
        return base + keys(in: places.prefix { $0.id != place })
    }

    /// The key of the member or element that is being written in each of these places.
    private func keys(in places: some Sequence<Place>) -> [any CodingKey] {
        let all = own.outer + [own.current]
        return places.enumerated().compactMap { depth, place in
            switch place.shape {
            case .nothing, .value: return nil
            case .array: return JSON.PathKey(intValue: place.count - 1)
            case .object:
                let next = depth + 1 < all.count ? all[depth + 1].firstName : own.names.count
                guard next > place.firstName else { return nil }
                let name = (try? JSON(parsing: Array(own.bytes[own.names[next - 1]])))?.stringValue
                return JSON.PathKey(stringValue: name ?? "")
            }
        }
    }

    /// The error for the value that is being written at the end of the text.
    func failure(_ problem: String, _ value: Any) -> EncodingError {
        let path = base + keys(in: own.outer + [own.current])
        let place = path.isEmpty ? "" : "\(path.dotted): "
        return .invalidValue(value, .init(codingPath: path, debugDescription: place + problem))
    }

    func error(_ problem: String) -> EncodingError {
        .invalidValue(JSON.null, .init(codingPath: path(to: own.current.id), debugDescription: problem))
    }
}
