internal import ArgumentParser
internal import Yosemite

/// `settings set`
struct SetSetting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Changes a setting at the store.",
        discussion: "Whether the store takes coupons, and whether it counts what it sells.")

    @Argument(help: "The setting.")
    var name: StoreSwitch
    @Argument(help: "On or off.")
    var value: YesOrNo
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let isEnabled = try await name.set(value == .yes, at: try await shopOptions.open())
            let result: YesOrNo = isEnabled ? .yes : .no
            guard result == value else {
                throw CommandFailure(
                    .badData, code: "not_changed", message: "the store answered, and '\(name)' is still \(result)",
                    fix: "a plug-in of the store may decide it: look at the store's own settings")
            }
            guard !output.json else { return try StandardOutput.write(json: ["\(name)": result.rawValue]) }
            try StandardOutput.write("\(name)  \(result)\n")
        }
    }
}
