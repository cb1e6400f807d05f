import Dispatch
import Glibc

/// Standard input as a pipe from the parent process: its first line is the tester's token; its end stops the gateway.
///
/// The kernel closes the pipe even if the parent is killed. Arguments and environment variables would show the token to
/// other programs.
enum ParentPipe {
    /// Reads the token; when the pipe is closed later, the command stops as with SIGTERM.
    static func token() throws -> TesterToken {
        let token = try Settings.token(readLine() ?? "", by: "--token-stdin")
        DispatchQueue(label: "drawbridge.parent").async {
            while readLine() != nil {}
            kill(getpid(), SIGTERM)
        }
        return token
    }
}
