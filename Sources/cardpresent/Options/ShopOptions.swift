internal import ArgumentParser

/// Where the records and the session of a store are.
struct ShopOptions: ParsableArguments {
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions

    /// - Throws: `CommandFailure`
    func open() async throws(CommandFailure) -> Shop {
        try await Shop.open(data: data, configuration: configurationOptions)
    }
}
