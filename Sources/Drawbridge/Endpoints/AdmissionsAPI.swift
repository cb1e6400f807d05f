import HTTPTypes

/// The tester's API for admitted devices: lists them, makes a ticket, ends an admission.
enum AdmissionsAPI {
    static func list(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: [])
        let all = gateway.admissions.all.sorted { $0.id < $1.id }.map { admission -> JSON in
            [
                "id": .string(admission.id), "remoteAddress": admission.address.map(JSON.string) ?? .null,
                "userAgent": .string(admission.browser), "open": .number(JSON.Number(admission.openCount)),
            ]
        }
        return .success(.array(all))
    }

    static func draw(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: [])
        let ticket = gateway.admissions.drawTicket()
        let links = gateway.program.links?(ticket) ?? .array([])
        return .success(["link": .string("\(OwnPath.enter.path)#\(ticket)"), "links": links])
    }

    static func revoke(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: [])
        let device = request.parameters["device"] ?? ""
        if gateway.admissions.revoke(device) { return .success(.null) }
        throw HTTPError(
            .notFound,
            "no device has the id \(device.cut(to: 40)); GET \(OwnPath.admissions.path) lists the admitted ones"
        )
    }
}
