internal import ArgumentParser
internal import Hardware

/// `config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Shows and checks the configuration of the till.",
        subcommands: [ShowConfiguration.self, CheckConfiguration.self])
}

/// `config show`
struct ShowConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints the configuration in force as a file that can be edited.")

    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let configuration = try configurationOptions.load()
            guard !output.json else {
                return try StandardOutput.write(
                    json: ConfigurationView(file: configurationOptions.path(), configuration: configuration.yaml))
            }
            try StandardOutput.write(configuration.yaml)
        }
    }
}

/// The result of `config show`.
struct ConfigurationView: Encodable, Sendable {
    /// nil when no file is read.
    var file: String?
    /// As a configuration file
    var configuration: String
}

/// `config check`
struct CheckConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Reads a configuration file and says whether it can be used.")

    @Argument(help: "The file to check.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            _ = try TillConfiguration.read(file)
            guard !output.json else { return try StandardOutput.write(json: ["valid": true]) }
            try StandardOutput.write("\(file) can be used\n")
        }
    }
}
