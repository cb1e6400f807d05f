// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "orders",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "drawbridge", path: "../..")  // where Drawbridge lies
    ],
    targets: [
        .target(
            name: "OrdersHandlers", dependencies: [.product(name: "Drawbridge", package: "drawbridge")]),
        .testTarget(
            name: "OrdersTests",
            dependencies: ["OrdersHandlers", .product(name: "DrawbridgeTesting", package: "drawbridge")]),
    ]
)

#if os(Linux)  // On a Mac you build the handlers and their tests.
package.targets.append(
    .executableTarget(
        name: "Orders",
        dependencies: ["OrdersHandlers", .product(name: "DrawbridgeCommand", package: "drawbridge")]))
#endif
