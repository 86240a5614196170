internal import ArgumentParser

/// `drawer`
struct DrawerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawer", abstract: "Opens the cash drawer.", subcommands: [OpenDrawer.self])
}
