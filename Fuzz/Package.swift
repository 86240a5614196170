// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// Built by Scripts/fuzz, which instruments every module for coverage and links libFuzzer, a part of the Swift
// toolchain. A separate package, so that building and testing CardPresent does not build it.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "CardPresent", path: "../")],
    targets: [
        .target(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer",
                .product(name: "Foundations", package: "CardPresent"),
                .product(name: "SmartCard", package: "CardPresent"),
                .product(name: "CCID", package: "CardPresent"),
                .product(name: "DFU", package: "CardPresent"),
                .product(name: "EMV", package: "CardPresent"),
                .product(name: "ContactlessKernel8", package: "CardPresent"),
                .product(name: "EMVReplay", package: "CardPresent"),
                .product(name: "EntryPoint", package: "CardPresent"),
                .product(name: "Hardware", package: "CardPresent"),
                .product(name: "ISO8583", package: "CardPresent"),
                .product(name: "Mail", package: "CardPresent"),
                .product(name: "Networking", package: "CardPresent"),
                .product(name: "NexoTerminal", package: "CardPresent"),
                .product(name: "Receipts", package: "CardPresent"),
                .product(name: "Simulator", package: "CardPresent"),
                .product(name: "StripeTerminal", package: "CardPresent"),
                .product(name: "USB", package: "CardPresent"),
                .product(name: "MagneticStripes", package: "CardPresent"),
                .product(name: "ZVT", package: "CardPresent"),
            ],
            swiftSettings: strict),
    ]
)
