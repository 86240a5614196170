import ArgumentParser
import Settings

/// `features`
struct FeaturesCommand: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "features", abstract: "List features and experiments.",
        discussion: """
            EXAMPLES:
              cardpresent features
              CARDPRESENT_FEATURES=-kernelKeyring cardpresent features

            CARDPRESENT_FEATURES overrides 'features' in the configuration, and the configuration overrides the \
            defaults of the build. The variable is a comma-separated list of names; '-' before a name turns the \
            feature off.
            """)

    @OptionGroup var options: CommonOptions

    var output: OutputOptions { options.output }

    func execute() throws {
        let service = try FeatureSet.service(try options.till.settings())
        let cache = VariationCache(path: try options.till.data.path() + ".experiments")
        let assignments: [String: Variation]
        do throws(VariationCacheError) { assignments = try cache.assignments() } catch {
            throw CommandFailure(.configuration, code: "experiments", message: error.description)
        }
        let features = FeatureFlag.allCases.map { flag -> JSONObject in
            [
                "name": flag.rawValue, "enabled": service.isEnabled(flag), "summary": flag.summary,
                // build, configuration, or environment
                "origin": service.origin(of: flag).rawValue,
            ]
        }
        let experiments = ABTest.allCases.map { test -> JSONObject in
            // The variation is null until one is assigned.
            ["name": test.rawValue, "variation": assignments[test.rawValue]?.name, "summary": test.summary]
        }
        let json: JSONObject = ["features": features, "experiments": experiments]
        try output.write(json, text: text(service, assignments))
    }

    private func text(_ service: DefaultFeatureFlagService, _ assignments: [String: Variation]) -> String {
        func row(_ state: String, _ name: String, _ origin: String, _ summary: String) -> String {
            "\(state)  \(name.padded(to: 24))  \(origin.padded(to: 13))  \(summary)\n"
        }
        let features = FeatureFlag.allCases.map { flag in
            row(service.isEnabled(flag) ? "on " : "off", flag.rawValue, service.origin(of: flag).rawValue, flag.summary)
        }
        let experiments = ABTest.allCases.map { test in
            row("   ", test.rawValue, assignments[test.rawValue]?.name ?? "-", test.summary)
        }
        let heads = row("ON ", "NAME", "ORIGIN", "MEANING")
        return ([heads] + features + experiments).joined()
    }
}
