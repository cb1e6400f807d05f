// swift-tools-version: 6.2
import PackageDescription

// One program with a target for each parser, on libFuzzer: scripts/fuzz builds and runs it.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "drawbridge", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .systemLibrary(name: "CFuzzer", path: "CFuzzer"),
        .executableTarget(
            name: "fuzzing",
            dependencies: [
                "CFuzzer",
                .product(name: "Drawbridge", package: "drawbridge"),
                .product(name: "DrawbridgeHandlers", package: "drawbridge"),
                .product(name: "DrawbridgeServer", package: "drawbridge"),
                .product(name: "DrawbridgeCommand", package: "drawbridge"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Targets",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .treatAllWarnings(as: .error),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
