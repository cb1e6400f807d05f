@testable import Drawbridge
@testable import DrawbridgeDocuments
@testable import DrawbridgePageRuntime

/// Policies of pages, which are opened for the page runtime.
enum PolicyTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let policies = ContentSecurityPolicy.list(bytes)
        check(policies.text == bytes, "it is written otherwise than it was read")
        let access = RuntimeAccess(policies, socket: "ws://localhost:8080")
        if let nonce = access.nonce {
            check(nonce.wholeMatch(of: /[A-Za-z0-9+\/\-_=]+/) != nil, "\(nonce) cannot stand in a tag")
        }
        guard let opened = access.opened(bytes) else { return }
        check(access.opened(opened) == nil, "it is opened twice: \(String(decoding: opened, as: UTF8.self))")
        let after = ContentSecurityPolicy.list(opened)
        check(after.count == policies.count, "a policy came or went")
        let again = RuntimeAccess(after, socket: nil)
        check(!again.hasOwnNonce && (again.nonce == nil) == (access.nonce == nil), "the nonce is another")
        // No directive goes, and no new one but the two that fall back.
        for (policy, opened) in zip(policies, after) {
            for name in ["script-src", "connect-src"] where !policy.has("default-src") {
                check(policy.has(name) == opened.has(name), "\(name) came or went")
            }
            for name in ["default-src", "script-src-elem", "img-src", "sandbox", "frame-ancestors"] {
                check(policy.has(name) == opened.has(name), "\(name) came or went")
            }
        }
    }
}
