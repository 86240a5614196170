internal import ArgumentParser
internal import TillConfiguration

/// `config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show and check the till configuration.",
        subcommands: [ShowConfiguration.self, CheckConfiguration.self])
}

/// `config show`
struct ShowConfiguration: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the current configuration as a YAML file.")

    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let configuration = try configurationOptions.load()
        // The file is left out for the default configuration.
        let json = JSONObject(["configuration": configuration.yaml], known: ["file": configurationOptions.path()])
        try output.write(json, text: configuration.yaml)
    }
}

/// `config check`
struct CheckConfiguration: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file.")

    @Argument(help: "File to check.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String
    @OptionGroup var output: OutputOptions

    func execute() throws {
        _ = try TillConfiguration.read(file)
        try output.write(["valid": true], text: "\(file) is valid\n")
    }
}
