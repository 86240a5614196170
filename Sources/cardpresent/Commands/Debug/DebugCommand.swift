internal import ArgumentParser

/// `debug`
struct DebugCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug", abstract: "Tools for finding out what a store answers.",
        subcommands: [DecodeAnswer.self])
}
