import HTTPTypes

/// The devices that were let in, over HTTP, for programs: who they are, a new ticket, and to put one out.
struct AdmissionEndpoints: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard OwnPath(of: request) == .admissions, let gateway = request.gateway else { return nil }
        try gateway.authorizeTester(request)
        let path = OwnPath.admissions.path
        let parts = request.path.dropFirst(path.count).split(separator: "/").map(String.init)
        _ = try request.query(of: [])
        let value: JSON
        switch parts.count {
        case 0:
            try request.allow([.get, .post])
            value =
                request.method == .get
                ? .array(gateway.admissions.all.sorted { $0.id < $1.id }.map(Self.describe))
                : ["link": .string("\(OwnPath.enter.path)#\(gateway.admissions.drawTicket())")]
        case 1:
            try request.allow([.delete])
            guard gateway.admissions.revoke(parts[0]) else {
                throw HTTPError(
                    .notFound,
                    "no device is let in as \(parts[0].cut(to: 40)); GET \(path) lists those that are")
            }
            value = .null
        default:
            throw HTTPError(
                .notFound, "nothing at \(request.path); there are GET and POST \(path), and DELETE \(path)/ID"
            )
        }
        return .success(value)
    }

    private static func describe(_ admission: Admission) -> JSON {
        [
            "id": .string(admission.id), "remoteAddress": admission.address.map(JSON.string) ?? .null,
            "userAgent": .string(admission.browser), "open": .number(JSON.Number(admission.openCount)),
        ]
    }
}
