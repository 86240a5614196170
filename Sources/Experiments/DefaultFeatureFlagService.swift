/// Features by what the program was built for, unless somebody says otherwise.
public struct DefaultFeatureFlagService: FeatureFlagService {
    private let build: BuildConfiguration
    private let overrides: FeatureOverrides

    public init(build: BuildConfiguration = .current, overrides: FeatureOverrides = FeatureOverrides()) {
        (self.build, self.overrides) = (build, overrides)
    }

    public func isEnabled(_ flag: FeatureFlag) -> Bool { overrides.value(of: flag) ?? flag.isOn(in: build) }

    /// Who decided whether a feature is on.
    public func origin(of flag: FeatureFlag) -> FeatureOverrides.Origin { overrides.origin(of: flag) }
}
