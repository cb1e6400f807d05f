// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "orders",
    dependencies: [
        .package(name: "drawbridge", path: "../..")  // where Drawbridge lies
    ],
    targets: [
        .executableTarget(
            name: "Orders", dependencies: [.product(name: "DrawbridgeCommand", package: "drawbridge")]),
        .testTarget(
            name: "OrdersTests",
            dependencies: ["Orders", .product(name: "DrawbridgeTesting", package: "drawbridge")]),
    ]
)
