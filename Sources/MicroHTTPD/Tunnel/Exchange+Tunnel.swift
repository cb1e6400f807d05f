import EventLoop
package import HTTPTypes

extension Exchange {
    /// Answers 101 and goes on as a tunnel to an upstream, instead of any other answer.
    ///
    /// The exchange is over when its handler has returned, as with any answer: the tunnel does not hold it.
    ///
    /// - Parameters:
    ///   - fields: those of the upstream's 101, `Upgrade` among them; of `Connection` the caller gets `Upgrade` alone.
    ///   - upstream: used on the exchange's loop only, and owned by the tunnel from now on; closed at once where the
    ///     caller has left or was answered before.
    ///   - first: what the upstream sent behind its head.
    ///   - silentSeconds: how long nothing may come when one direction has ended; then both sides are closed.
    package func tunnel(
        _ fields: HTTPFields, to upstream: any TunnelEnd, first: [UInt8] = [], silentSeconds: Int = 60
    ) {
        let tunnel = Tunnel(to: upstream, first: first, silentSeconds: silentSeconds, in: worker.upgrades)
        let answer = Answer(.switchingProtocols, fields, adding: [], .upgrade)
        loop.perform { [self] in
            if let cutOff = own.value.cutOff {
                cutOff.upgraded = tunnel
                tunnel.onClose { cutOff.over() }
            }
            upgrade(to: tunnel, answer)
        }
    }
}
