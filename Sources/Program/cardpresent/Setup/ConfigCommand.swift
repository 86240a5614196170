internal import ArgumentParser
internal import Settings
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
        commandName: "show", abstract: "Print the current configuration as a YAML file.",
        discussion: "With --json, each setting is a value under 'configuration'.")

    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let configuration = try configurationOptions.load()
        // The file is left out for the default configuration.
        try output.write(try json(configuration), text: configuration.yaml)
    }

    private func json(_ configuration: TillConfiguration) throws(CommandFailure) -> JSONObject {
        do throws(SettingsError) {
            let root = try SettingsDocument(text: configuration.yaml, file: "configuration").root
            return JSONObject(["configuration": try SettingJSON(root)], known: ["file": configurationOptions.path()])
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }
}

/// `config check`
struct CheckConfiguration: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file.",
        discussion: "Lists every mistake in the file, and exits with 78 when there is one.")

    @Argument(help: "File to check.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let mistakes = SettingsDocument.mistakes(path: file) { root throws(SettingsError) in
            _ = try TillConfiguration(root)
        }.map { CommandFailure($0) }
        guard let first = mistakes.first else {
            return try output.write(["valid": true], text: "\(file) is valid\n")
        }
        for mistake in mistakes { mistake.report() }
        if output.json {
            try StandardOutput.write(json: ["error": first.json, "mistakes": mistakes.map(\.json)] as JSONObject)
        }
        throw ExitCode(ExitStatus.configuration.rawValue)
    }
}

/// A part of the configuration as JSON: mappings, lists, texts, booleans, and counts. Amounts, hexadecimal data, and
/// identifiers stay texts.
private enum SettingJSON: Encodable, Sendable {
    case object(JSONObject)
    case list([SettingJSON])
    case text(String)
    case flag(Bool)
    case count(Int)

    /// The keys of whole numbers. The digits of any other key are hexadecimal, decimal, or an identifier.
    private static let counts: Set<String> = [
        "tries", "readerSeconds", "chipFailures", "target", "maximum", "giveUpAfter", "connectTimeout", "connections",
        "width", "columns",
    ]

    /// - Parameters:
    ///   - node: The value.
    ///   - key: The key of the value in its mapping.
    /// - Throws: `SettingsError`
    init(_ node: SettingsNode, key: String = "") throws(SettingsError) {
        switch node.kind {
        case .mapping:
            var members: [(name: String, value: SettingJSON)] = []
            for entry in try node.entries() {
                members.append((name: entry.key, value: try SettingJSON(entry.value, key: entry.key)))
            }
            self = .object(JSONObject(members: members))
        case .list:
            var elements: [SettingJSON] = []
            for element in try node.list() { elements.append(try SettingJSON(element)) }
            self = .list(elements)
        case .nothing: self = .text("")
        case .text:
            if let flag = try? node.bool() {
                self = .flag(flag)
            } else if Self.counts.contains(key), let count = try? node.int() {
                self = .count(count)
            } else {
                self = .text(try node.text(length: 0...Int.max))
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object): try object.encode(to: encoder)
        case .list(let elements): try elements.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        case .flag(let flag): try flag.encode(to: encoder)
        case .count(let count): try count.encode(to: encoder)
        }
    }
}
