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

// A package of its own without dependencies, so that it is built in seconds and nobody who builds CardPresent builds
// it: what it writes is committed.
let package = Package(
    name: "CodeGeneration",
    targets: [
        .executableTarget(name: "Generate", swiftSettings: strict),
        .testTarget(name: "GenerateTests", dependencies: ["Generate"], swiftSettings: strict),
    ]
)
