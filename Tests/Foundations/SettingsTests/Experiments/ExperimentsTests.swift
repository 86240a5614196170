import Files
import Foundation
import Testing

@testable import Settings

@Suite struct ABTestTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("till.experiments") }

    init() throws { folder = try TemporaryFolder() }

    @Test func `an assignment stays, also for another identity`() throws {
        let cache = VariationCache(path: path)
        #expect(try cache.assignments() == [:])
        let names = (0..<100).map { "till \($0)" }
        let first = try #require(
            names.first { ABTestService.choice(of: .requestConcurrency, identity: $0) == .control })
        let second = try #require(
            names.first { ABTestService.choice(of: .requestConcurrency, identity: $0) == .treatment })
        #expect(try ABTestService(identity: first, cache: cache).variation(of: .requestConcurrency) == .control)
        #expect(try ABTestService(identity: second, cache: cache).variation(of: .requestConcurrency) == .control)
        #expect(try VariationCache(path: path).assignments() == ["requestConcurrency": .control])
    }

    @Test func `assignments of other experiments survive a new one`() throws {
        let kept = "version: 1\nvariations:\n  \"colour\": \"blue\"\n  \"size\": \"treatment\"\n"
        try FileStorage().replace(path, with: Array(kept.utf8))
        let cache = VariationCache(path: path)
        try ABTestService(identity: "till", cache: cache).start(for: .loggedIn)
        let assignments = try cache.assignments()
        #expect(assignments["colour"] == .customTreatment(name: "blue"))
        #expect(assignments["size"] == .treatment)
        #expect(assignments.count == 3)
    }

    @Test func `tills outside an experiment's context get no assignment`() throws {
        let cache = VariationCache(path: path)
        try ABTestService(identity: "till", cache: cache).start(for: .loggedOut)
        #expect(try cache.assignments() == [:])
    }

    @Test func `both variations are assigned about equally often`() {
        let treated = (0..<1000).count {
            ABTestService.choice(of: .requestConcurrency, identity: "till \($0)") == .treatment
        }
        #expect((400...600).contains(treated))
    }

    @Test func `many processes agree on the assignment`() async throws {
        let path = path
        let results = try await withThrowingTaskGroup(of: Variation.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try ABTestService(identity: "till \(number)", cache: VariationCache(path: path))
                        .variation(of: .requestConcurrency)
                }
            }
            return try await group.reduce(into: Set<Variation>()) { $0.insert($1) }
        }
        #expect(results.count == 1)
    }

    @Test(arguments: [
        "", "version: 0", "variations: {}", "version: 1\nvariations: 7", "version: 1\nvariations:\n  a: \"b c\"",
    ])
    func `a file that cannot be read is an error, and stays as it is`(text: String) throws {
        try FileStorage().replace(path, with: Array(text.utf8))
        let cache = VariationCache(path: path)
        #expect(throws: VariationCacheError.self) { try cache.assignments() }
        #expect(throws: VariationCacheError.self) {
            try ABTestService(identity: "till", cache: cache).variation(of: .requestConcurrency)
        }
        #expect(try FileStorage().contents(of: path) == Array(text.utf8))
    }

    @Test func `a newer program's file is not changed`() throws {
        try FileStorage().replace(path, with: Array("version: 2\nvariations: {}\n".utf8))
        #expect(throws: VariationCacheError.self) { try VariationCache(path: path).assignments() }
    }
}

/// A temporary folder for one test.
final class TemporaryFolder: Sendable {
    private let root: String

    init() throws {
        root = NSTemporaryDirectory() + "/cardpresent-experiments-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }
}

@Suite struct FeatureFlagTests {
    @Test(arguments: FeatureFlag.allCases, [true, false])
    func `the environment has the last word, then the configuration, then the build`(flag: FeatureFlag, isOn: Bool)
        throws
    {
        for build in BuildConfiguration.allCases {
            #expect(DefaultFeatureFlagService(build: build).isEnabled(flag) == flag.isOn(in: build))
            let node = try SettingsDocument(text: "\(flag.rawValue): \(isOn)", file: "f").root
            var overrides = try FeatureOverrides(node)
            let configured = DefaultFeatureFlagService(build: build, overrides: overrides)
            #expect(configured.isEnabled(flag) == isOn)
            #expect(configured.origin(of: flag) == .configuration)
            try overrides.add(environment: "\(isOn ? "-" : "")\(flag.rawValue)")
            let given = DefaultFeatureFlagService(build: build, overrides: overrides)
            #expect(given.isEnabled(flag) != isOn)
            #expect(given.origin(of: flag) == .environment)
        }
    }

    @Test func `a release and a development build differ where they should`() {
        #expect(!DefaultFeatureFlagService(build: .release).isEnabled(.kernelKeyring))
        #expect(DefaultFeatureFlagService(build: .development).isEnabled(.kernelKeyring))
        #expect(DefaultFeatureFlagService(build: .release).isEnabled(.backendReceipts))
    }

    @Test func `several names of the environment count, blanks and empty ones do not`() throws {
        var overrides = FeatureOverrides()
        try overrides.add(environment: " -backendReceipts, kernelKeyring,,")
        let service = DefaultFeatureFlagService(build: .release, overrides: overrides)
        #expect(!service.isEnabled(.backendReceipts))
        #expect(service.isEnabled(.kernelKeyring))
        #expect(service.isEnabled(.concurrentSync))
    }

    @Test func `an unknown name in the environment is an error with a suggestion`() {
        let error = #expect(throws: FeatureOverrideError.self) {
            var overrides = FeatureOverrides()
            try overrides.add(environment: "backendReceipts,-kernelKeyrin")
        }
        #expect(error?.name == "kernelKeyrin")
        #expect(error?.nearest == "kernelKeyring")
    }

    @Test func `an unknown name of the configuration is an error with its line`() throws {
        let node = try SettingsDocument(text: "backendReceipts: true\nkernelKeyrin: true", file: "f").root
        let error = #expect(throws: SettingsError.self) { try FeatureOverrides(node) }
        #expect(error?.location.line == 2)
        #expect(error?.fix == "did you mean 'kernelKeyring'?")
        let word = try SettingsDocument(text: "kernelKeyring: yes", file: "f").root
        #expect(throws: SettingsError.self) { try FeatureOverrides(word) }
    }
}
