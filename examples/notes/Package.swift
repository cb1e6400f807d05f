// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "notes",
    dependencies: [
        .package(name: "drawbridge", path: "../..")  // where Drawbridge lies
    ],
    targets: [
        .executableTarget(
            name: "Notes", dependencies: [.product(name: "DrawbridgeCommand", package: "drawbridge")]),
        .testTarget(
            name: "NotesTests",
            dependencies: ["Notes", .product(name: "DrawbridgeTesting", package: "drawbridge")]),
    ]
)
