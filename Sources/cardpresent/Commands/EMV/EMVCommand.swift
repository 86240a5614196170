internal import ArgumentParser

/// `emv`
struct EMVCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emv", abstract: "Tools for EMV data: keys, cards' data, recorded exchanges.",
        subcommands: [DecodeCommand.self, ReplayCommand.self, CheckODA.self, ListCAPublicKeys.self])
}
