import SettingsFile
import Testing

@testable import Experiments

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

    @Test func `an unknown name of the environment is an error with the nearest one`() {
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
