// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "notes",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "drawbridge", path: "../..")  // where Drawbridge lies
    ],
    targets: [
        .target(
            name: "NotesHandlers", dependencies: [.product(name: "Drawbridge", package: "drawbridge")]),
        .testTarget(
            name: "NotesTests",
            dependencies: ["NotesHandlers", .product(name: "DrawbridgeTesting", package: "drawbridge")]),
    ]
)

#if os(Linux)  // On a Mac you build the handlers and their tests.
package.targets.append(
    .executableTarget(
        name: "Notes",
        dependencies: ["NotesHandlers", .product(name: "DrawbridgeCommand", package: "drawbridge")]))
#endif
