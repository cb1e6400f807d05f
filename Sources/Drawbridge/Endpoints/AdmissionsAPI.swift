/// The tester's API for admitted devices: lists them, makes a ticket, ends one or all.
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

    /// Makes a ticket; with `in-app` also decides who answers the pages that are loaded in the app itself from now on.
    static func draw(_ gateway: Gateway, _ request: Request) async throws -> Response {
        if let said = try request.query(of: ["in-app"])["in-app"] {
            guard let inApp = PageRuntime.InApp(rawValue: said) else {
                throw HTTPError(.badRequest, "in-app: must be app or mocks")
            }
            gateway.configure { $0.pageRuntime = $0.pageRuntime?.answered(inApp: inApp) }
            gateway.note(
                request, "lets \(inApp == .app ? "the app's own bridges" : "mocks") answer in the app itself")
        }
        let ticket = gateway.admissions.drawTicket()
        let links = gateway.program.links?(ticket) ?? .array([])
        let inApp = gateway.pageRuntime.map { JSON.string($0.inApp.rawValue) } ?? .null
        return .success(["link": .string("\(OwnPath.enter.path)#\(ticket)"), "links": links, "inApp": inApp])
    }

    static func revoke(_ gateway: Gateway, _ request: Request) async throws -> Response {
        _ = try request.query(of: [])
        let device = request.parameters["device"] ?? ""
        guard Admission.isID(device) else {
            throw HTTPError(
                .notFound,
                "no device has the id \(device.cut(to: 40)); GET \(OwnPath.admissions.path) lists them")
        }
        gateway.admissions.revoke(device)
        try await gateway.shared.now?.waitUntilRevoked()
        return .success(.null)
    }
}
