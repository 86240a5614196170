internal import Experiments

/// The result of `features`.
struct FeaturesView: Encodable, Sendable {
    struct Feature: Encodable, Sendable {
        var name: String
        var enabled: Bool
        /// `build`, `configuration` or `environment`
        var origin: String
        var summary: String
    }

    struct Experiment: Encodable, Sendable {
        var name: String
        /// null until something was given.
        @Nullable var variation: String?
        var summary: String

        init(_ test: ABTest, _ variation: Variation?) {
            (name, summary) = (test.rawValue, test.summary)
            _variation = Nullable(wrappedValue: variation?.name)
        }
    }

    var features: [Feature]
    var experiments: [Experiment]

    init(_ service: DefaultFeatureFlagService, _ assignments: [String: Variation]) {
        features = FeatureFlag.allCases.map {
            Feature(
                name: $0.rawValue, enabled: service.isEnabled($0), origin: service.origin(of: $0).rawValue,
                summary: $0.summary)
        }
        experiments = ABTest.allCases.map { Experiment($0, assignments[$0.rawValue]) }
    }

    var text: String {
        features.map { feature in
            "\(feature.enabled ? "on " : "off")  \(feature.name.padded(to: 24))  "
                + "\(feature.origin.padded(to: 13))  \(feature.summary)\n"
        }.joined()
            + experiments.map { experiment in
                "     \(experiment.name.padded(to: 24))  \((experiment.variation ?? "-").padded(to: 13))  "
                    + "\(experiment.summary)\n"
            }.joined()
    }
}
