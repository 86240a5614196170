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

let package = Package(
    name: "CardPresent",
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"), .package(url: "https://github.com/jpsim/Yams", from: "6.2.2")],
    targets: [
        .systemLibrary(name: "CLibUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCUPS", providers: [.apt(["libcups2-dev"])]),
        .target(name: "Amounts", dependencies: [], swiftSettings: strict),
        .target(name: "Determinism", dependencies: [], swiftSettings: strict),
        .target(name: "Storage", dependencies: [.product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"), "Amounts", "Determinism"], swiftSettings: strict),
        .target(name: "SmartCard", dependencies: [], swiftSettings: strict),
        .target(name: "USB", dependencies: ["CLibUSB", "Determinism"], swiftSettings: strict),
        .target(name: "CCID", dependencies: ["SmartCard", "USB", "Determinism"], swiftSettings: strict),
        .target(name: "CardSecrets", dependencies: [], swiftSettings: strict),
        .target(name: "Cryptography", dependencies: ["COpenSSL", "CardSecrets"], swiftSettings: strict),
        .target(name: "EMV", dependencies: ["SmartCard", "CardSecrets", "Amounts", "Determinism", "Cryptography"], swiftSettings: strict),
        .target(name: "SettingsFile", dependencies: [.product(name: "Yams", package: "Yams")], swiftSettings: strict),
        .target(name: "Hardware", dependencies: ["CCID", "USB", "EMV", "SmartCard", "CCUPS", "Amounts", "Determinism", "CardSecrets", "Cryptography", "SettingsFile"], swiftSettings: strict),
        .target(name: "Yosemite", dependencies: ["Storage", "Hardware", "EMV", "Amounts", "Determinism", "CardSecrets", "SmartCard"], swiftSettings: strict),
        .target(name: "Simulator", dependencies: ["Hardware", "EMV", "SmartCard", "USB", "CCID", "Cryptography", "SettingsFile", "Determinism", "Amounts", "CardSecrets"], path: "Simulator", exclude: [], sources: ["Sources"], resources: [.embedInCode("Cards"), .embedInCode("Keys")], swiftSettings: strict),
        .testTarget(name: "YosemiteTests", dependencies: ["Yosemite", "Storage", "Hardware", "EMV", "Amounts", "Determinism", "CardSecrets", "SmartCard", "Simulator"], swiftSettings: strict),
        .testTarget(name: "SimulatorTests", dependencies: ["Simulator", "Hardware", "EMV", "SmartCard", "USB", "CCID", "Cryptography", "SettingsFile", "Determinism", "Amounts", "CardSecrets"], swiftSettings: strict),
        .testTarget(name: "HardwareTests", dependencies: ["Hardware", "CCID", "USB", "EMV", "SmartCard", "CCUPS", "Amounts", "Determinism", "CardSecrets", "Cryptography", "SettingsFile", "Simulator"], swiftSettings: strict),
        .testTarget(name: "CCIDTests", dependencies: ["CCID", "SmartCard", "USB", "Determinism", "Simulator"], swiftSettings: strict),
        .testTarget(name: "StorageTests", dependencies: ["Storage", .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"), "Amounts", "Determinism"], swiftSettings: strict),
    ]
)
