import Dispatch
import Drawbridge
import Glibc

/// The pipe by which a program that started this one says the tester's token, and, by closing it, that it has ended.
///
/// The kernel closes the pipe of a program that is killed too. Arguments and environment show a token to other programs.
enum ParentPipe {
    /// Reads the token; when the pipe closes later, the command stops as at SIGTERM.
    static func token() throws -> TesterToken {
        let token = try Settings.token(readLine() ?? "", by: "--token-stdin")
        DispatchQueue(label: "drawbridge.parent").async {
            while readLine() != nil {}
            kill(getpid(), SIGTERM)
        }
        return token
    }
}
