// swift-tools-version: 6.2
import PackageDescription

/// Applied to every Swift target of the package, tests included.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "CardPresent",
    products: [
        .executable(name: "cardpresent", targets: ["CardPresentCommand"]),
        .library(name: "SmartCard", targets: ["SmartCard"]),
        .library(name: "USB", targets: ["USB"]),
        .library(name: "CCID", targets: ["CCID"]),
        .library(name: "DFU", targets: ["DFU"]),
        .library(name: "PCSC", targets: ["PCSC"]),
        .library(name: "MagneticStripes", targets: ["HID", "MagneticStripe", "MSR"]),
        .library(name: "EMV", targets: ["EMV"]),
        .library(name: "EMVReplay", targets: ["EMVReplay"]),
        .library(name: "Hardware", targets: ["Hardware"]),
        .library(name: "Receipts", targets: ["Receipts"]),
        .library(name: "Mail", targets: ["Mail"]),
        .library(name: "Networking", targets: ["Networking"]),
        .library(name: "StoreSite", targets: ["StoreSite", "StoreSiteServer"]),
        .library(name: "Storage", targets: ["Storage"]),
        .library(name: "Yosemite", targets: ["Yosemite"]),
        .library(name: "Simulator", targets: ["Simulator", "Sessions", "ScenarioFormat", "ScenarioRunner"]),
        // It needs Swift Testing, and belongs into tests alone.
        .library(name: "SimulatorTesting", targets: ["SimulatorTesting"]),
        .library(name: "Sessions", targets: ["Sessions"]),
        .library(
            name: "Foundations",
            targets: ["Amounts", "CardSecrets", "Commands", "Cryptography", "Determinism", "Flux"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // MARK: C libraries of the system

        .systemLibrary(name: "CLibUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
        // Headers of the kernel alone.
        .systemLibrary(name: "CHIDRaw"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Debian 12's libcups2-dev carries no cups.pc. The library is opened on first use, so only its
        // headers are needed here.
        .systemLibrary(name: "CCUPS", providers: [.apt(["libcups2-dev"])]),
        .systemLibrary(name: "CTimex"),
        // Opened on first use: only its headers are needed here.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // libpcsclite is opened on first use, and its functions are declared here: no package is needed to build.
        .systemLibrary(name: "CPCSC"),
        // Calls of the kernel alone.
        .systemLibrary(name: "CKeyring"),
        // libpangocairo is opened on first use, and its functions are declared here: no package is needed to build.
        .systemLibrary(name: "CCairo"),

        // MARK: Values and services that everything may use

        .target(name: "Amounts", swiftSettings: strict),
        .target(name: "CardSecrets", swiftSettings: strict),
        .target(name: "Determinism", swiftSettings: strict),
        .target(name: "Files", swiftSettings: strict),
        .target(name: "Sockets", swiftSettings: strict),
        .target(name: "Cryptography", dependencies: ["CardSecrets", "COpenSSL", "Determinism"], swiftSettings: strict),
        .target(
            name: "SettingsFile", dependencies: [.product(name: "Yams", package: "Yams")], swiftSettings: strict),

        .target(name: "Flux", swiftSettings: strict),
        .target(name: "Commands", swiftSettings: strict),
        .target(name: "Experiments", dependencies: ["Determinism", "Files", "SettingsFile"], swiftSettings: strict),
        .target(name: "Mail", dependencies: ["Determinism"], swiftSettings: strict),

        .target(
            name: "DeviceAccess", path: "udev", sources: ["InstalledFile.swift"],
            resources: [
                .embedInCode("60-cardpresent.rules"), .embedInCode("61-cardpresent-exclusive.rules"),
                .embedInCode("cardpresent.sysusers.conf"),
            ],
            swiftSettings: strict),

        // MARK: Layers, from the bottom up

        .target(name: "SmartCard", dependencies: ["CardSecrets"], swiftSettings: strict),
        .target(name: "USB", dependencies: ["CLibUSB", "Determinism", "Files"], swiftSettings: strict),
        .target(
            name: "CCID", dependencies: ["CardSecrets", "Determinism", "SmartCard", "USB"], swiftSettings: strict),
        .target(
            name: "PCSC", dependencies: ["CPCSC", "CardSecrets", "Determinism", "Files", "SmartCard"],
            swiftSettings: strict),
        .target(name: "HID", dependencies: ["CHIDRaw", "CardSecrets", "USB"], swiftSettings: strict),
        .target(name: "MagneticStripe", dependencies: ["CardSecrets", "Determinism"], swiftSettings: strict),
        .target(
            name: "MSR", dependencies: ["CardSecrets", "HID", "MagneticStripe", "USB"], swiftSettings: strict),
        .target(name: "DFU", dependencies: ["Determinism", "USB"], swiftSettings: strict),
        .target(
            name: "EMV",
            dependencies: ["Amounts", "CardSecrets", "Cryptography", "Determinism", "SmartCard"],
            swiftSettings: strict
        ),
        .target(
            name: "EMVReplay",
            dependencies: [
                "Amounts", "CardSecrets", "Cryptography", "Determinism", "EMV", "SettingsFile", "SmartCard",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Hardware",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "CCUPS", "Cryptography", "Determinism", "DFU", "EMV", "Experiments",
                "Files", "HID", "MagneticStripe", "MSR", "PCSC", "SettingsFile", "SmartCard", "Sockets", "USB",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Receipts", dependencies: ["Amounts", "CCairo", "Determinism", "EMV", "Hardware"],
            swiftSettings: strict),
        .target(
            name: "CSQLiteSwitches", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")]),
        .target(
            name: "Storage",
            dependencies: [
                "Amounts", "CSQLiteSwitches", "Determinism",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .target(name: "Networking", dependencies: ["Amounts", "CCurl", "Determinism"], swiftSettings: strict),
        .target(
            name: "Vault", dependencies: ["CKeyring", "Determinism", "Files", "Networking"], swiftSettings: strict),
        .target(
            name: "Yosemite",
            dependencies: [
                "Amounts", "CardSecrets", "Commands", "Cryptography", "Determinism", "EMV", "Experiments", "Files",
                "Flux", "Hardware", "Networking", "Receipts", "SmartCard", "Storage",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Simulator",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "Cryptography", "Determinism", "EMV", "EMVReplay", "Hardware",
                "MagneticStripe", "SettingsFile", "SmartCard", "Sockets", "USB",
            ],
            path: "Simulator",
            exclude: [
                "CRunQueue", "Explorer", "HTTPListening", "Recorder", "Scenarios", "ScenarioFormat", "ScenarioRunner",
                "Sessions", "SimulationServer", "Simulator.docc", "StoreSite", "StoreSiteServer", "Testing",
            ],
            sources: ["Sources"],
            resources: [.embedInCode("Cards"), .embedInCode("IssuerRules"), .embedInCode("Keys")],
            swiftSettings: strict
        ),
        .target(
            name: "ScenarioFormat",
            dependencies: ["Amounts", "Determinism", "EMV", "Hardware", "SettingsFile", "Simulator", "StoreSite"],
            path: "Simulator/ScenarioFormat", exclude: ["scenario.schema.json"], swiftSettings: strict),
        // A store without I/O, and what serves it: only the second one links a web server.
        .target(
            name: "StoreSite", dependencies: ["Amounts", "Determinism"], path: "Simulator/StoreSite",
            swiftSettings: strict),
        .target(
            name: "HTTPListening",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Simulator/HTTPListening",
            swiftSettings: strict
        ),
        .target(
            name: "StoreSiteServer",
            dependencies: [
                "Determinism", "HTTPListening", "StoreSite",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Simulator/StoreSiteServer",
            swiftSettings: strict
        ),
        // Who runs the tasks of a simulated session. Swift lets a program say so in C alone: by a variable of its runtime
        // that holds a C function, and with a variable of the thread, which Swift does not have.
        .target(name: "CRunQueue", path: "Simulator/CRunQueue"),
        .target(
            name: "Sessions",
            dependencies: [
                "Amounts", "CRunQueue", "CardSecrets", "Cryptography", "Determinism", "EMV", "Experiments", "Hardware",
                "Networking", "Receipts", "Simulator", "SmartCard", "Storage", "StoreSite", "USB", "Yosemite",
            ],
            path: "Simulator/Sessions",
            swiftSettings: strict
        ),
        // Sessions that clients steer over HTTP; the second target that links a web server.
        .target(
            name: "SimulationServer",
            dependencies: [
                "Amounts", "CardSecrets", "Determinism", "Hardware", "HTTPListening", "Receipts", "Sessions",
                "SettingsFile", "Simulator", "StoreSite", "Yosemite",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Simulator/SimulationServer",
            exclude: ["openapi.json"],
            resources: [.embedInCode("Console/console.html")],
            swiftSettings: strict
        ),
        .target(
            name: "ScenarioRunner",
            dependencies: [
                "Amounts", "Determinism", "Hardware", "ScenarioFormat", "Sessions", "SettingsFile", "Simulator",
                "StoreSite", "Yosemite",
            ],
            path: "Simulator/ScenarioRunner", swiftSettings: strict),
        // Nothing but tests may depend on it.
        .target(
            name: "SimulatorTesting",
            dependencies: ["ScenarioFormat", "ScenarioRunner", "Sessions", "SettingsFile", "Simulator"],
            path: "Simulator/Testing", swiftSettings: strict),
        .target(
            name: "Recorder",
            dependencies: [
                "Amounts", "CardSecrets", "Determinism", "EMV", "Hardware", "ScenarioFormat", "ScenarioRunner",
                "Sessions", "SettingsFile", "Simulator", "SmartCard",
            ],
            path: "Simulator/Recorder", swiftSettings: strict),
        .target(
            name: "Explorer",
            dependencies: [
                "Amounts", "Determinism", "Hardware", "ScenarioFormat", "ScenarioRunner", "Sessions", "SettingsFile",
                "Simulator", "StoreSite",
            ],
            path: "Simulator/Explorer", swiftSettings: strict),
        .target(
            name: "Doctor",
            dependencies: [
                "CCID", "CTimex", "Determinism", "DeviceAccess", "Files", "HID", "Hardware", "MSR", "SettingsFile",
                "Storage", "USB",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "CardPresentCommand",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "Commands", "Cryptography", "Determinism", "DeviceAccess", "DFU",
                "Doctor", "EMV", "EMVReplay", "Experiments", "Explorer", "Files", "Flux", "Hardware", "HTTPListening",
                "Mail", "MSR", "Networking", "PCSC", "Receipts", "Recorder", "ScenarioFormat", "ScenarioRunner",
                "SettingsFile", "SimulationServer", "Simulator", "SmartCard", "Storage", "StoreSite",
                "StoreSiteServer", "USB", "Vault", "Yosemite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/cardpresent",
            swiftSettings: strict
        ),

        // MARK: Tests

        // Made-up values of a store for the tests of several targets.
        .target(
            name: "Fakes", dependencies: ["Amounts", "Determinism", "Networking", "Yosemite"], path: "Tests/Fakes",
            swiftSettings: strict),
        // A receipt printer on a TCP port, and a print server of one's own, for the tests of several targets.
        .target(name: "TestPrinters", path: "Tests/TestPrinters", swiftSettings: strict),
        .testTarget(name: "AmountsTests", dependencies: ["Amounts"], swiftSettings: strict),
        .testTarget(name: "CardSecretsTests", dependencies: ["CardSecrets"], swiftSettings: strict),
        .testTarget(name: "FilesTests", dependencies: ["Files"], swiftSettings: strict),
        .testTarget(name: "SocketsTests", dependencies: ["Sockets"], swiftSettings: strict),
        .testTarget(name: "DeterminismTests", dependencies: ["Determinism"], swiftSettings: strict),
        .testTarget(
            name: "CryptographyTests", dependencies: ["CardSecrets", "Cryptography", "Determinism"],
            swiftSettings: strict),
        .testTarget(name: "FluxTests", dependencies: ["Flux"], swiftSettings: strict),
        .testTarget(name: "CommandsTests", dependencies: ["Commands"], swiftSettings: strict),
        .testTarget(name: "MailTests", dependencies: ["Determinism", "Mail"], swiftSettings: strict),
        .testTarget(
            name: "ExperimentsTests", dependencies: ["Determinism", "Experiments", "Files", "SettingsFile"],
            swiftSettings: strict),
        .testTarget(
            name: "VaultTests", dependencies: ["Determinism", "Files", "Networking", "Vault"], swiftSettings: strict),
        .testTarget(
            name: "StoreSiteTests", dependencies: ["Amounts", "Determinism", "StoreSite"], swiftSettings: strict),
        .testTarget(
            name: "StoreSiteServerTests",
            dependencies: ["Amounts", "Determinism", "HTTPListening", "Networking", "StoreSite", "StoreSiteServer"],
            swiftSettings: strict),
        .testTarget(
            name: "ScenarioFormatTests",
            dependencies: ["Amounts", "Hardware", "ScenarioFormat", "SettingsFile", "Simulator"],
            swiftSettings: strict),
        .testTarget(
            name: "ScenarioRunnerTests",
            dependencies: ["ScenarioFormat", "ScenarioRunner", "SettingsFile"], swiftSettings: strict),
        .testTarget(
            name: "ExplorerTests",
            dependencies: [
                "Determinism", "Explorer", "ScenarioFormat", "ScenarioRunner", "Sessions", "Simulator",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RecorderTests",
            dependencies: [
                "Amounts", "CardSecrets", "Determinism", "EMV", "Hardware", "Recorder", "ScenarioFormat", "Simulator",
                "SmartCard",
            ],
            swiftSettings: strict),
        .testTarget(name: "SettingsFileTests", dependencies: ["SettingsFile"], swiftSettings: strict),
        .testTarget(name: "SmartCardTests", dependencies: ["Determinism", "SmartCard"], swiftSettings: strict),
        .testTarget(name: "USBTests", dependencies: ["CLibUSB", "Determinism", "USB"], swiftSettings: strict),
        .testTarget(
            name: "CCIDTests", dependencies: ["CardSecrets", "CCID", "Determinism", "Simulator", "SmartCard", "USB"],
            swiftSettings: strict),
        // The driver over the real libusb, with readers that umockdev shows it.
        .testTarget(
            name: "ReaderTests",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "Determinism", "EMV", "Hardware", "HID", "MagneticStripe", "MSR",
                "Simulator", "SmartCard", "USB",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MagneticStripeTests", dependencies: ["CardSecrets", "Determinism", "MagneticStripe"],
            swiftSettings: strict),
        .testTarget(name: "HIDTests", dependencies: ["HID", "USB"], swiftSettings: strict),
        .testTarget(
            name: "MSRTests",
            dependencies: ["CardSecrets", "Determinism", "HID", "MagneticStripe", "MSR", "Simulator", "USB"],
            swiftSettings: strict),
        .testTarget(name: "DFUTests", dependencies: ["Determinism", "DFU", "Simulator", "USB"], swiftSettings: strict),
        .testTarget(
            name: "PCSCTests", dependencies: ["CardSecrets", "CPCSC", "Determinism", "PCSC", "SmartCard"],
            swiftSettings: strict),
        .testTarget(
            name: "EMVTests",
            dependencies: ["Amounts", "CardSecrets", "Cryptography", "Determinism", "EMV", "SmartCard"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EMVReplayTests",
            dependencies: [
                "Amounts", "CardSecrets", "Cryptography", "Determinism", "EMV", "EMVReplay", "SettingsFile",
                "SmartCard",
            ],
            resources: [.copy("Traces")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "HardwareTests",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "Cryptography", "Determinism", "DFU", "EMV", "Hardware",
                "MagneticStripe", "MSR", "SettingsFile", "Simulator", "SmartCard", "TestPrinters", "USB",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ReceiptsTests", dependencies: ["Amounts", "Determinism", "Hardware", "Receipts", "TestPrinters"],
            exclude: ["Goldens"], swiftSettings: strict),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Amounts", "Determinism", "Storage",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NetworkingTests", dependencies: ["Amounts", "Determinism", "Networking"], swiftSettings: strict),
        .testTarget(
            name: "YosemiteTests",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "Commands", "Determinism", "DFU", "EMV", "Experiments", "Fakes",
                "Files", "Flux", "Hardware", "Networking", "Receipts", "Simulator", "SmartCard", "Storage", "StoreSite",
                "Yosemite",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DoctorTests",
            dependencies: [
                "CCID", "Determinism", "DeviceAccess", "Doctor", "Hardware", "SettingsFile", "Simulator", "Storage",
                "USB",
            ],
            swiftSettings: strict
        ),
        // They run where Scripts/test-usb runs them, in a guest whose kernel has USB, and are disabled elsewhere.
        .testTarget(
            name: "GuestTests",
            dependencies: [
                "CardSecrets", "CCID", "Determinism", "EMV", "Hardware", "Simulator", "SmartCard", "USB",
            ],
            swiftSettings: strict
        ),
        // It runs the built program and imports nothing of it. The libraries are for a terminal that meets the
        // program's simulated card.
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "Determinism", "EMV", "Hardware", "PCSC", "Simulator", "SmartCard",
                "TestPrinters", "USB",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "Amounts", "Determinism", "Hardware", "Sessions", "Simulator", "SmartCard", "Storage", "StoreSite",
                "Yosemite",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationServerTests",
            dependencies: [
                "CardSecrets", "Determinism", "HTTPListening", "Networking", "Sessions", "SimulationServer",
                "Simulator",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulatorTestingTests",
            dependencies: [
                "Amounts", "CCID", "Determinism", "Hardware", "ScenarioFormat", "ScenarioRunner", "Sessions",
                "SettingsFile", "Simulator", "SimulatorTesting", "SmartCard", "Storage", "StoreSite", "USB",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulatorTests",
            dependencies: [
                "Amounts", "CardSecrets", "CCID", "Cryptography", "Determinism", "EMV", "Hardware", "MagneticStripe",
                "SettingsFile", "Simulator", "SmartCard", "USB",
            ],
            swiftSettings: strict
        ),
    ]
)
