import CFuzzer
import Glibc

/// Runs one target under libFuzzer: `fuzzing -max_total_time=60 corpus/json`, with its name in `FUZZ_TARGET`.
///
/// The name is no argument, since libFuzzer starts itself again with the arguments that it got. Without a name the
/// targets are listed, which is how `scripts/fuzz` knows them.
@main
enum Fuzz {
    /// Set once, before the first input.
    nonisolated(unsafe) private static var target: any FuzzTarget.Type = JSONTarget.self

    private static func targets() -> [String: any FuzzTarget.Type] {
        [
            "answer": AnswerTarget.self, "authority": AuthorityTarget.self,
            "chunks": ChunksTarget.self, "conditions": ConditionsTarget.self, "config": ConfigTarget.self,
            "cookies": CookiesTarget.self,
            "decoding": DecodingTarget.self, "encoding": EncodingTarget.self, "files": FilesTarget.self,
            "gateway": GatewayTarget.self, "head": HeadTarget.self, "html": HTMLTarget.self,
            "identity": IdentityTarget.self,
            "input": InputTarget.self, "json": JSONTarget.self, "log": LogTarget.self,
            "missing": MissingTarget.self, "names": NamesTarget.self, "number": NumberTarget.self,
            "page": PageTarget.self,
            "path": PathTarget.self,
            "policy": PolicyTarget.self,
            "query": QueryTarget.self, "range": RangeTarget.self, "replies": RepliesTarget.self,
            "response": ResponseTarget.self, "routes": RoutesTarget.self, "script": ScriptTarget.self,
            "timestamp": TimestampTarget.self, "transfer": TransferTarget.self,
            "websocket": WebSocketTarget.self,
        ]
    }

    static func main() {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let chosen = targets()[name] else {
            print(targets().keys.sorted().joined(separator: "\n"))
            return
        }
        target = chosen
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                Fuzz.target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }
}
