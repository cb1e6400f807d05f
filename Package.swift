// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Not on other platforms: their headers may warn, and it was never built there.
    .treatAllWarnings(as: .error, .when(platforms: [.linux])),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let command: [Target.Dependency] = ["Drawbridge", "DrawbridgeCommand"]

let package = Package(
    name: "drawbridge",
    // Linux is what it is built and tested on. Handlers and their tests are written for Apple's platforms too, which have
    // to be this new for what the core uses.
    platforms: [.macOS(.v26), .iOS(.v26)],
    products: [
        .library(name: "Drawbridge", targets: ["Drawbridge"]),
        .library(name: "DrawbridgeServer", targets: ["DrawbridgeServer"]),
        .library(name: "DrawbridgeURLProtocol", targets: ["DrawbridgeURLProtocol"]),
        .library(name: "DrawbridgeTesting", targets: ["DrawbridgeTesting"]),
        .library(name: "DrawbridgeStore", targets: ["DrawbridgeStore"]),
        .library(name: "DrawbridgeHandlers", targets: ["DrawbridgeHandlers"]),
        .library(name: "DrawbridgeCommand", targets: ["DrawbridgeCommand"]),
        .executable(name: "drawbridge", targets: ["drawbridge-command"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Scripts, pages and descriptions that are built in. C, because Swift's compiler takes a minute for them.
        .target(name: "CTexts"),

        // JSON as the core reads, writes and keeps it. It knows nothing of HTTP.
        .target(name: "DrawbridgeJSON"),

        // HTML that is changed on its way, and the policies that come with it.
        .target(name: "DrawbridgeDocuments", dependencies: ["HTTPGrammar"]),

        // Requests and responses, who may call, which requests are for native, and how their paths are found.
        .target(
            name: "DrawbridgeMessages",
            dependencies: ["DrawbridgeDocuments", "DrawbridgeJSON", "HTTPGrammar", httpTypes, logging]),

        // What is answered in place of handlers: files of mocks are read, and the reply for a call is found.
        .target(
            name: "DrawbridgeMocks",
            dependencies: ["DrawbridgeMessages"]),

        // What was called of native and what became of it, for tests and people, and the questions that wait for somebody.
        .target(
            name: "DrawbridgeJournal",
            dependencies: ["DrawbridgeMessages"]),

        // What is put into documents, so that their pages reach native, and the messages between the two.
        .target(
            name: "DrawbridgePageRuntime",
            dependencies: [
                "CTexts", "DrawbridgeDocuments", "DrawbridgeJournal", "DrawbridgeMessages", "DrawbridgeMocks",
            ],
            exclude: ["Asking", "Script", "Bridges", "Worker"]),

        // The gateway: handlers at their paths, the pages that speak to it, and what lies behind it.
        .target(
            name: "DrawbridgeGateway",
            dependencies: [
                "DrawbridgeJournal", "DrawbridgeMessages", "DrawbridgeMocks", "DrawbridgePageRuntime",
                httpTypes,
            ]),

        // The core, with the gateway's own endpoints: what a program imports. No C library, no sockets.
        .target(
            name: "Drawbridge",
            dependencies: [
                "DrawbridgeGateway", "DrawbridgeJournal", "DrawbridgeMessages", "DrawbridgeMocks",
                "DrawbridgePageRuntime",
            ],
            exclude: ["Endpoints/enter.js", "Journal/tester-api.openapi.json"]),

        // A thread that waits for sockets, and what belongs to it. Engine and client share it.
        .systemLibrary(name: "CLinux"),
        .target(name: "EventLoop", dependencies: ["CLinux"]),

        // The records of TLS, which engine and client read and write alike.
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .target(name: "TLS", dependencies: ["CGnuTLS"]),

        // The words of HTTP/1.1 that engine and client read alike.
        .target(name: "HTTPGrammar", dependencies: [httpTypes]),

        // The HTTP engine: GNU libmicrohttpd on loops of our own. It knows nothing of bridges.
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .target(
            name: "MicroHTTPD",
            dependencies: [
                "CLinux", "CMicroHTTPD", "CGnuTLS", "EventLoop", "HTTPGrammar", "TLS", httpTypes, logging,
            ]),

        // The HTTP client: HTTP/1.1 over TCP, TLS and Unix sockets, on the same loops. It knows nothing of bridges
        // either.
        .target(
            name: "HTTPClient", dependencies: ["CGnuTLS", "EventLoop", "HTTPGrammar", "TLS", httpTypes]),

        // `gateway.run()`: the core on the engine, files, and what lies behind the gateway.
        .target(
            name: "DrawbridgeServer",
            dependencies: [
                "CTexts", "Drawbridge", "DrawbridgeDocuments", "EventLoop", "HTTPClient", "HTTPGrammar",
                "MicroHTTPD", httpTypes, logging,
            ], exclude: ["Inspector/Page"]),

        // What several gateways share, in Redis or Valkey; apart, because nobody else needs hiredis.
        // Without pkg-config: what that says of it has a flag that SwiftPM takes from no library.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .target(name: "CStoreScripts", exclude: ["load.lua", "tick.lua", "write.lua"]),
        .target(name: "DrawbridgeStore", dependencies: ["CHiredis", "CStoreScripts", "Drawbridge"]),

        // `URLProtocol` both ways; apart, because Foundation's networking costs memory and time to start.
        .target(name: "DrawbridgeURLProtocol", dependencies: ["Drawbridge", httpTypes]),

        // What tests of handlers need: calls in process, a page that is played, a person who is.
        .target(name: "DrawbridgeTesting", dependencies: ["Drawbridge", httpTypes]),

        // What a page may ask of its app, each one file on the public API.
        .target(
            name: "DrawbridgeHandlers", dependencies: ["Drawbridge", httpTypes, logging], path: "handlers",
            exclude: ["openapi.json"]),

        // QR codes, for the links that phones open.
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

        // The command, with its argument parser: nothing below it parses arguments.
        .target(
            name: "DrawbridgeCommand",
            dependencies: [
                "CQREncode", "CTexts", "DrawbridgeServer", "DrawbridgeStore", "DrawbridgeHandlers",
                "EventLoop",
                "MicroHTTPD", logging, argumentParser,
            ],
            exclude: [
                "Init/mine.js", "Init/names.txt", "Manual", "Settings/options.json", "Welcome/welcome.html",
                "Welcome/welcome.css", "Welcome/welcome.js", "Welcome/welcome.json",
            ]),
        .executableTarget(
            name: "drawbridge-command", dependencies: ["DrawbridgeCommand"], path: "Sources/DrawbridgeMain"),

        // Examples, which tests run. `examples/shop` is a page whose app is a file of mocks, which the command serves when it
        // is not told what; `examples/pages` are pages for each bridge.
        .executableTarget(name: "hello", dependencies: command, path: "examples/hello"),
        .executableTarget(name: "handler-kinds", dependencies: command, path: "examples/handler-kinds"),
        .executableTarget(name: "middleware", dependencies: command, path: "examples/middleware"),
        .executableTarget(name: "streaming", dependencies: command, path: "examples/streaming"),
        .target(
            name: "NotesHandlers", dependencies: ["Drawbridge"], path: "examples/notes/Sources/NotesHandlers"),
        .executableTarget(
            name: "Notes", dependencies: ["DrawbridgeCommand", "NotesHandlers"],
            path: "examples/notes/Sources/Notes"),
        .target(
            name: "OrdersHandlers", dependencies: ["Drawbridge"],
            path: "examples/orders/Sources/OrdersHandlers"),
        .executableTarget(
            name: "Orders", dependencies: ["DrawbridgeCommand", "OrdersHandlers"],
            path: "examples/orders/Sources/Orders"),
        .executableTarget(name: "rewriting", dependencies: command, path: "examples/rewriting"),
        .executableTarget(
            name: "driving", dependencies: ["Drawbridge", "DrawbridgeServer"], path: "examples/driving"),
        .executableTarget(
            name: "one-handler", dependencies: ["Drawbridge", "DrawbridgeServer", "DrawbridgeURLProtocol"],
            path: "examples/one-handler"),
        .target(name: "native-names", dependencies: ["Drawbridge"], path: "examples/native-names"),
        .executableTarget(name: "service", dependencies: ["DrawbridgeServer"], path: "examples/service"),
        .testTarget(
            name: "NotesTests", dependencies: ["DrawbridgeTesting", "NotesHandlers"],
            path: "examples/notes/Tests/NotesTests"),
        .testTarget(
            name: "OrdersTests", dependencies: ["DrawbridgeTesting", "OrdersHandlers"],
            path: "examples/orders/Tests/OrdersTests"),

        // Tests. TestSupport has sockets, child processes and waiting; test-server, handlers that only tests need.
        .target(name: "TestSupport", dependencies: ["CGnuTLS", logging], path: "Tests/Support/TestSupport"),
        // The engine with a closure that answers.
        .target(
            name: "EngineSupport", dependencies: ["MicroHTTPD", "TLS", httpTypes, logging],
            path: "Tests/Support/EngineSupport"),
        // A browser, a server and the manual, for tests of programs from outside.
        .target(
            name: "ProgramSupport",
            dependencies: ["Drawbridge", "EngineSupport", "MicroHTTPD", "TestSupport", httpTypes],
            path: "Tests/Support/ProgramSupport"),
        .executableTarget(
            name: "test-server", dependencies: ["CLinux", "Drawbridge", "DrawbridgeCommand", logging],
            path: "Tests/Support/TestServer"),
        // The engine alone, for what a connection costs and as a server behind the gateway.
        .executableTarget(
            name: "echo-server", dependencies: ["EngineSupport", "MicroHTTPD", httpTypes],
            path: "Tests/Support/EchoServer"),
        // A gateway in front of another server, whose memory tests judge.
        .executableTarget(
            name: "fronting-server", dependencies: ["Drawbridge", "DrawbridgeServer"],
            path: "Tests/Support/FrontingServer"),
        // Tells `scripts/test` which files a stage opens, by the kernel's fanotify.
        .systemLibrary(name: "CFanotify", path: "Tests/Support/CFanotify"),
        .executableTarget(name: "file-watch", dependencies: ["CFanotify"], path: "Tests/Support/FileWatch"),
        // What `scripts/soak` sends to it, for minutes.
        .executableTarget(
            name: "soak", dependencies: ["Drawbridge", "TestSupport"], path: "Tests/Support/Soak"),
        // Which tests a bare `swift test` runs.
        .target(name: "BareRun", path: "Tests/Support/BareRun"),
        .testTarget(
            name: "DrawbridgeTests",
            dependencies: [
                "BareRun", "Drawbridge", "DrawbridgeDocuments", "DrawbridgeJSON", "DrawbridgeMessages",
                "DrawbridgeGateway", "DrawbridgeJournal", "DrawbridgeMocks", "DrawbridgePageRuntime",
                "DrawbridgeTesting", "TestSupport", httpTypes, logging,
            ],
            exclude: ["PageRuntime/names.js"]),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "TestSupport"]),
        .testTarget(name: "TLSTests", dependencies: ["CGnuTLS", "TLS"]),
        .testTarget(name: "HTTPGrammarTests", dependencies: ["HTTPGrammar", httpTypes]),
        .testTarget(
            name: "MicroHTTPDTests",
            dependencies: [
                "EngineSupport", "EventLoop", "MicroHTTPD", "echo-server", "TestSupport", httpTypes, logging,
            ]),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: ["CGnuTLS", "EventLoop", "HTTPClient", "TestSupport", httpTypes]),
        .testTarget(
            name: "DrawbridgeServerTests",
            dependencies: [
                "Drawbridge", "DrawbridgeServer", "HTTPGrammar", "MicroHTTPD", "TestSupport", httpTypes,
                logging,
            ]),
        // With a store that is played, and with redis-server; `scripts/shared` tries copies of the command with it.
        .testTarget(
            name: "DrawbridgeStoreTests",
            dependencies: ["Drawbridge", "DrawbridgeStore", "TestSupport", logging]),
        .testTarget(
            name: "DrawbridgeURLProtocolTests",
            dependencies: [
                "Drawbridge", "DrawbridgeServer", "DrawbridgeTesting", "DrawbridgeURLProtocol", "TestSupport",
                httpTypes,
                logging,
            ]),
        // Input and faults that a server meets in the open, each with what must happen: the README there is the list.
        .testTarget(
            name: "HostileTests",
            dependencies: [
                "Drawbridge", "DrawbridgeServer", "MicroHTTPD", "test-server", "TestSupport", httpTypes,
                logging,
            ],
            exclude: ["README.md"]),
        // What lies behind the gateway, hostile and otherwise: servers that follow a script.
        .testTarget(
            name: "UpstreamTests",
            dependencies: [
                "Drawbridge", "DrawbridgeServer", "EngineSupport", "EventLoop", "MicroHTTPD", "TestSupport",
                httpTypes, logging,
            ]),
        // What lies behind the gateway is real here: nginx, Node and Python.
        .testTarget(
            name: "RealUpstreamTests",
            dependencies: [
                "Drawbridge", "DrawbridgeServer", "fronting-server", "TestSupport", httpTypes, logging,
            ],
            exclude: ["dev-server.js", "echo-server.py"]),
        .testTarget(
            name: "DrawbridgeHandlersTests",
            dependencies: ["Drawbridge", "DrawbridgeHandlers", "DrawbridgeTesting", httpTypes]),
        .testTarget(
            name: "DrawbridgeCommandTests",
            dependencies: [
                "Drawbridge", "DrawbridgeCommand", "DrawbridgeHandlers", "DrawbridgeServer", "TestSupport",
                httpTypes,
            ],
            exclude: ["Program"]),
        // The command as a person starts it.
        .testTarget(
            name: "CommandProgramTests",
            dependencies: [
                "Drawbridge", "DrawbridgeCommand", "DrawbridgeServer", "EngineSupport", "MicroHTTPD",
                "ProgramSupport", "TestSupport", "drawbridge-command", "hello", "test-server", httpTypes,
            ],
            path: "Tests/DrawbridgeCommandTests/Program",
            exclude: ["help.txt", "Schema"]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Drawbridge", "DrawbridgeServer", "DrawbridgeCommand", "DrawbridgeURLProtocol",
                "DrawbridgeTesting", "ProgramSupport", "drawbridge-command", "hello", "handler-kinds",
                "middleware",
                "streaming", "Notes",
                "rewriting",
                "driving", "native-names", "one-handler", "service", "test-server", "MicroHTTPD",
                "TestSupport", httpTypes,
            ]),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "Drawbridge", "DrawbridgeServer", "drawbridge-command", "test-server", "TestSupport",
                httpTypes, logging,
            ],
            exclude: ["Pages"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system { target.swiftSettings = settings }

// A build for a sanitizer takes long. So scripts/test names the tests that run in it, and only they are built, with what
// they need.
if let names = Context.environment["DRAWBRIDGE_TESTS"] {
    var needed = names.split(separator: " ").map(String.init)
    for name in needed where !package.targets.contains(where: { $0.name == name }) {
        fatalError("DRAWBRIDGE_TESTS names \(name), and there is no such target")
    }
    var place = 0
    while place < needed.count {
        for target in package.targets where target.name == needed[place] {
            for case .byNameItem(let name, _) in target.dependencies where !needed.contains(name) {
                needed.append(name)
            }
        }
        place += 1
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
