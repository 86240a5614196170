import EMV
public import EntryPoint
public import Money

/// The contactless side of a terminal: its kernels, and their configuration.
public struct ContactlessTerminal: Sendable {
    let kernels: KernelRegistry
    /// Returns the configuration for a currency; nil if there is none, so that no card can be tapped.
    let configuration: @Sendable (Currency) -> EntryPointConfiguration?

    /// The longest wait for a card that the kernel wants to see again after the host has answered.
    static let secondTapTimeout = Duration.seconds(30)
    /// The most cards that are activated in one payment: someone whose taps fail that often needs another way to pay.
    static let maximumTaps = 16

    /// Registers kernels.
    ///
    /// - Parameters:
    ///   - kernels: The kernels. Without one, every card ends with the request to insert it.
    ///   - configuration: The configuration for a currency; nil takes no taps.
    /// - Throws: `EntryPointConfigurationError`
    public init(
        kernels: [KernelRegistration], configuration: @escaping @Sendable (Currency) -> EntryPointConfiguration?
    ) throws(EntryPointConfigurationError) {
        self.kernels = try KernelRegistry(kernels)
        self.configuration = configuration
    }
}
