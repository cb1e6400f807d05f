package import Drawbridge
import HTTPClient
import HTTPTypes
import Synchronization

/// Asks the programs of `$forward` what calls are answered, by POST.
///
/// The address of the very connection decides where it may lead: programs of this machine are free, others are listed,
/// and neither the gateway itself nor a cloud's metadata service is ever asked.
package final class ForwardedReplies: ReplyForwarder {
    private let origins: Set<String>
    private let records = Mutex<[String: UpstreamRecord]>([:])

    /// How long a program may be silent, and how much it may answer.
    private static let patience = Duration.seconds(30)
    private static let mostBytes = 8 << 20

    /// - Parameter origins: of programs elsewhere.
    package init(origins: Set<String>) { self.origins = origins }

    /// Why a program is not asked; nil where it may be.
    package func refusal(of target: ForwardTarget) -> String? {
        guard !target.isLoopback, !origins.contains(target.origin) else { return nil }
        return "$forward leads to another machine; allow it with --forward-to \(target.origin)"
    }

    package func ask(
        _ call: [UInt8], at target: ForwardTarget, for request: Request
    ) async throws -> [UInt8] {
        if let refusal = refusal(of: target) { throw HTTPError(.badGateway, refusal) }
        let url = try UpstreamURL(target.text)
        var options = Upstream.Options()
        options.tellsCaller = false
        options.bringsHome = false
        options.answerTimeout = Self.patience
        let sender = UpstreamSender(url, options, record: record(of: url.name)) {
            bytes, port throws(TransferError) in
            guard let address = IPAddress(bytes: bytes) else {
                throw TransferError(
                    .forbidden, "\(target.text) has no address that is known; name another program")
            }
            if target.isLoopback, !address.isLoopback {
                throw TransferError(.forbidden, "\(target.text) is not on this machine; name its address")
            }
            let targets = ProxyTargets(ownPorts: OwnPorts.all, ownAddresses: IPAddress.ofThisMachine())
            // Whoever wrote the file asks, from this machine.
            if let sentence = targets.refusal(of: address, port: port, for: IPAddress("127.0.0.1")) {
                throw TransferError(.forbidden, sentence)
            }
        }
        // Nothing of the page's goes along, its cookies least of all.
        var asked = Request(
            .post, url.path ?? "/", headers: [.contentType: "application/json", .accept: "application/json"],
            body: .init(call))
        asked.gateway = request.gateway
        let answer = await sender.send(asked, url.path ?? "/", by: nil)
        let body = try await answer.body.collect(upTo: Self.mostBytes)
        guard answer.status.kind == .successful else {
            let why = (try? JSON(parsing: body))?["message"]?.stringValue
            // An answer that is not relayed is of the sender, which tells there why the program was not reached.
            guard answer.isRelayed else {
                throw HTTPError(.badGateway, "\(target.text): \(why ?? "no answer")")
            }
            throw HTTPError(
                .badGateway,
                """
                \(target.text) answers \(answer.status.code)\(why.map { ": \($0)" } ?? ""); it is to answer 200 and \
                a value as JSON
                """)
        }
        do {
            return try JSON(parsing: body).bytes
        } catch {
            throw HTTPError(.badGateway, "\(target.text) answers what is no JSON: \(error)")
        }
    }

    private func record(of name: String) -> UpstreamRecord {
        records.withLock { records in
            let record =
                records[name]
                ?? UpstreamRecord("$forward \(name)", remedy: "start it, or let $forward name where it is")
            records[name] = record
            return record
        }
    }
}
