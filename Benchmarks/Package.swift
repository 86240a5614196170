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

// A separate package, so that building and testing CardPresent does not build the benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "CardPresent", path: "../"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "CMallocCount"),
        .target(name: "CSlowDisk"),
        .target(name: "CHostLine", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CMultiLoop", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "CHostLine", "CMallocCount", "CMultiLoop", "CSlowDisk",
                .product(name: "Foundations", package: "CardPresent"),
                .product(name: "SmartCard", package: "CardPresent"),
                .product(name: "USB", package: "CardPresent"),
                .product(name: "CCID", package: "CardPresent"),
                .product(name: "EMV", package: "CardPresent"),
                .product(name: "EntryPoint", package: "CardPresent"),
                .product(name: "ContactlessKernel8", package: "CardPresent"),
                .product(name: "Hardware", package: "CardPresent"),
                .product(name: "Hosts", package: "CardPresent"),
                .product(name: "ISO8583", package: "CardPresent"),
                .product(name: "Networking", package: "CardPresent"),
                .product(name: "Receipts", package: "CardPresent"),
                .product(name: "Storage", package: "CardPresent"),
                .product(name: "Yosemite", package: "CardPresent"),
                .product(name: "Simulator", package: "CardPresent"),
                .product(name: "PostgreSQL", package: "CardPresent"),
                .product(name: "WorkQueue", package: "CardPresent"),
                .product(name: "Fleet", package: "CardPresent"),
                .product(name: "Sessions", package: "CardPresent"),
                // SQLite itself, for the bare loop that the journal is compared with.
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        // A separate program, because it needs a reader. Scripts/test-usb runs it where there is one.
        .executableTarget(
            name: "ReaderBenchmark",
            dependencies: [
                .product(name: "Foundations", package: "CardPresent"),
                .product(name: "SmartCard", package: "CardPresent"),
                .product(name: "USB", package: "CardPresent"),
                .product(name: "CCID", package: "CardPresent"),
                .product(name: "EMV", package: "CardPresent"),
                .product(name: "EntryPoint", package: "CardPresent"),
                .product(name: "Hardware", package: "CardPresent"),
                // The issuer of the simulated cards, and their authority's keys.
                .product(name: "Simulator", package: "CardPresent"),
            ],
            swiftSettings: strict),
    ]
)
