internal import ArgumentParser
internal import Experiments
internal import Hardware

/// `features`
struct FeaturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "features", abstract: "Shows which features are on, and what experiments gave this till.",
        discussion: """
            A feature is as the program was built, unless 'features' of the configuration says otherwise, or \
            CARDPRESENT_FEATURES does: names joined with commas, with '-' in front of those that are off.
            """)

    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let service = try FeatureSet.service(try configurationOptions.load())
            let cache = VariationCache(path: try data.path() + ".experiments")
            let assignments: [String: Variation]
            do throws(VariationCacheError) { assignments = try cache.assignments() } catch {
                throw CommandFailure(.configuration, code: "experiments", message: error.description)
            }
            let view = FeaturesView(service, assignments)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }
}
