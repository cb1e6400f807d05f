import FoundationEssentials
import MicroHTTPD

// What `run()` and a request's body throw; the engine itself imports no Foundation.
extension BodyDropped: DescribedError {}
extension HandlersLeftBehindError: DescribedError {}
extension InvalidUpstream: DescribedError {}
extension ListenError: DescribedError {}
extension StaticFiles.RootError: DescribedError {}
extension SystemError: DescribedError {}
extension WrongLength: DescribedError {}
