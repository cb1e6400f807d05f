import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

/// An address by which other machines reach this one, and which stays: that of no test's own cable.
func addressForOthers() throws -> String {
    let addresses = (IPAddress.ofThisMachine() ?? [:]).keys.filter { !$0.isLoopback }.map(\.description)
    return try #require(
        addresses.first { $0.contains(".") && !Elsewhere.hasCable(at: $0) },
        "this machine has no address but the loopback ones")
}
