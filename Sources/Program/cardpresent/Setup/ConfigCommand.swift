import ArgumentParser
import CardSecrets
import HostSecurity
import Hosts
import ISO8583
import Mail
import Receipts
import Settings
import TillConfiguration
import Yosemite

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
        discussion: """
            EXAMPLES:
              cardpresent config show
              cardpresent config show --config till.yaml
              cardpresent config show --json

            With --json, each setting is a value under 'configuration'.
            """)

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
        discussion: """
            EXAMPLES:
              cardpresent config check
              cardpresent config check till.yaml
              cardpresent config check till.yaml --json

            Lists every mistake in the file, and exits with 78 when there is one. Also checks what other commands need \
            only later: the logo's file, the sender of e-mail, and the key for card data that a host's profile demands \
            in reversals and advices.
            """)

    @Argument(
        help: "File to check. Default: the file that the other commands use.",
        completion: .file(extensions: ["yaml", "yml"]))
    var file: String?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard file == nil || configurationOptions.config == nil else {
            throw ValidationError("--config cannot be used with a file to check")
        }
    }

    func execute() throws {
        guard let file = file ?? configurationOptions.path() else {
            let json: JSONObject = ["valid": true, "file": String?.none]
            return try output.write(json, text: "there is no configuration file, and the defaults are valid\n")
        }
        let mistakes = ConfigurationFile.mistakes(file).map { CommandFailure($0) }
        guard let first = mistakes.first else {
            let json: JSONObject = ["valid": true, "file": file]
            return try output.write(json, text: "\(CardNumberMask.masked(file)) is valid\n")
        }
        for mistake in mistakes { mistake.report() }
        if output.json {
            try StandardOutput.write(json: ["error": first.json, "mistakes": mistakes.map(\.json)] as JSONObject)
        }
        throw ExitCode(ExitStatus.configuration.rawValue)
    }
}

/// A configuration file with all that it refers to.
enum ConfigurationFile {
    /// Finds every mistake: those that prevent a start, and those that show only when a receipt is rendered or mailed.
    static func mistakes(_ path: String) -> [SettingsError] {
        SettingsDocument.mistakes(path: path) { root throws(SettingsError) in
            let configuration = try TillConfiguration(root)
            try checkCardData(configuration, root)
            guard let receipt = try root.optional("receipt") else { return }
            if let node = try receipt.optional("logo") {
                do throws(ReceiptError) { _ = try configuration.receipt.openLogo() } catch {
                    let failure = CommandFailure(error)
                    throw node.error(failure.message, fix: failure.fix)
                }
            }
            if let node = try receipt.optional("sender"), let sender = configuration.receipt.sender {
                do throws(MailAddressError) { _ = try Mailbox(sender) } catch {
                    throw node.error(
                        "not an e-mail address: \(error)",
                        fix: error.fix ?? "use an address such as Corner Shop <till@shop.example>")
                }
            }
        }
    }
}

extension ConfigurationFile {
    /// Finds a host whose profile demands card data in later messages that the till does not keep, or can't without a
    /// key. A profile or a key
    /// file that can't be read is a matter of 'host check', and so is a key in a token.
    private static func checkCardData(
        _ configuration: TillConfiguration, _ root: SettingsNode
    ) throws(SettingsError) {
        for (place, acquirer) in configuration.acquirers.enumerated() {
            guard let profile = try? ProfileFile.load(acquirer.settings.profile),
                let node = try root.optional(place == 0 ? "host" : "hosts")
            else { continue }
            var keys: HostKeys?
            if let path = acquirer.settings.keys {
                guard !TokenURI.names(path), let file = try? HostKeys(path: path) else { continue }
                keys = file
            }
            guard let obstacle = profile.cardDataObstacle(with: keys) else { continue }
            throw node.error(obstacle.message(about: profile), fix: obstacle.advice)
        }
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
