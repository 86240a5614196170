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

// A separate package without dependencies: it builds in seconds, and building CardPresent does not need it because its
// output is committed.
let package = Package(
    name: "CodeGeneration",
    targets: [
        .executableTarget(name: "Generate", swiftSettings: strict),
        .testTarget(name: "GenerateTests", dependencies: ["Generate"], swiftSettings: strict),
    ]
)
