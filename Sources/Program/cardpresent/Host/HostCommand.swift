import ArgumentParser
import ISO8583
import Settings

/// `host`
struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Check payment hosts, and decode and encode their messages (ISO 8583).",
        discussion: """
            EXAMPLES:
              cardpresent host check --config acq.yaml
              cardpresent host status --config acq.yaml
              cardpresent host settle --config acq.yaml
              cardpresent host decode traffic.pcap --profile iso87-bcd-tpdu
              cardpresent host profiles list
            """,
        subcommands: [
            CheckHost.self, HostStatus.self, SettleHost.self, DecodeMessages.self, EncodeMessage.self,
            ProfilesCommand.self,
        ])
}

/// The dialect of a payment host.
struct ProfileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Message profile of the host: a shipped one or a file.",
            discussion: "Shipped: \(MessageProfile.shippedNames.joined(separator: ", ")).", valueName: "profile"),
        completion: .list(MessageProfile.shippedNames))
    var profile: String

    /// - Throws: `CommandFailure`
    func load() throws(CommandFailure) -> MessageProfile { try ProfileFile.load(profile) }
}

/// A message profile by its name or path.
enum ProfileFile {
    /// - Throws: `CommandFailure` with the first mistake.
    static func load(_ name: String) throws(CommandFailure) -> MessageProfile {
        if let shipped = MessageProfile.shipped(name) { return shipped }
        do throws(MessageProfileError) { return try MessageProfile(path: name) } catch {
            guard let first = error.errors.first else { throw unknown(name) }
            // A word without a dot or a slash was meant as a name.
            if case .unreadableFile = first.problem, !name.contains("/"), !name.contains(".") { throw unknown(name) }
            throw failure(first)
        }
    }

    static func failure(_ error: SettingsError) -> CommandFailure {
        CommandFailure(.configuration, code: "malformed_profile", message: error.located, fix: error.fix)
    }

    private static func unknown(_ name: String) -> CommandFailure {
        CommandFailure(
            .usage, code: "unknown_profile", message: "no message profile is called '\(name)'",
            fix: .choice(of: name, among: MessageProfile.shippedNames, called: "give a file, or one of"))
    }
}
