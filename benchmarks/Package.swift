// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what Drawbridge is measured against costs its users nothing.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "drawbridge", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "ours",
            dependencies: [
                .product(name: "Drawbridge", package: "drawbridge"),
                .product(name: "DrawbridgeServer", package: "drawbridge"),
            ]),
        .executableTarget(
            name: "bare", cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [
                .linkedLibrary("microhttpd"), .linkedLibrary("gnutls"), .linkedLibrary("pthread"),
            ]),
        .executableTarget(
            name: "hummingbird", dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
    ],
    swiftLanguageModes: [.v6]
)
