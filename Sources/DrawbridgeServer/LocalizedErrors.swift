import Drawbridge
import MicroHTTPD

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What `run()` and a request's body throw; the engine itself imports no Foundation.
extension BodyDropped: DescribedError {}
extension HandlersLeftBehindError: DescribedError {}
extension InvalidUpstream: DescribedError {}
extension ListenError: DescribedError {}
extension StaticFiles.RootError: DescribedError {}
extension UnusableIdentity: DescribedError {}
extension WrongLength: DescribedError {}
