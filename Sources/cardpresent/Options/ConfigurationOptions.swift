internal import ArgumentParser

/// Which configuration is in force.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file of the till.",
            discussion: """
                Default: $XDG_CONFIG_HOME/cardpresent/cardpresent.yaml, or the same below ~/.config, if it is there.
                """, valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?
}
