// swift-tools-version: 6.2
import PackageDescription

let cardPresent = "CardPresent"

let package = Package(
    name: "TinyTill",
    dependencies: [.package(name: cardPresent, path: "../..")],
    targets: [
        // The till. It does not depend on the simulator.
        .target(
            name: "TinyTill",
            dependencies: [
                .product(name: "Foundations", package: cardPresent),
                .product(name: "USB", package: cardPresent),
                .product(name: "EMV", package: cardPresent),
                .product(name: "Hardware", package: cardPresent),
                .product(name: "Networking", package: cardPresent),
                .product(name: "Storage", package: cardPresent),
                .product(name: "Yosemite", package: cardPresent),
            ]),
        // The environment of a simulated shop, for tests and demonstrations.
        .target(
            name: "TinyTillSimulation",
            dependencies: [
                "TinyTill", .product(name: "Sessions", package: cardPresent),
                .product(name: "Simulator", package: cardPresent),
            ]),
        .executableTarget(name: "tiny-till", dependencies: ["TinyTill", "TinyTillSimulation"]),
        .testTarget(
            name: "TinyTillTests",
            dependencies: [
                "TinyTill", "TinyTillSimulation", .product(name: "SimulatorTesting", package: cardPresent),
            ],
            exclude: ["Scenarios"]),
    ]
)
