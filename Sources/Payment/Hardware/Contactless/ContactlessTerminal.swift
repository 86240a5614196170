public import EMV
public import EntryPoint
public import Money
public import SmartCard

/// The contactless side of a terminal: its kernels, and their configuration.
public struct ContactlessTerminal: Sendable {
    let kernels: KernelRegistry
    /// Returns the configuration for a currency and the terminal's data for it; nil if there is none, so that no card
    /// can be tapped.
    public let configuration: @Sendable (Currency, TerminalConfiguration) -> EntryPointConfiguration?

    /// The longest wait for a card that the kernel wants to see again after the host has answered.
    static let secondTapTimeout = Duration.seconds(30)
    /// The most cards that are activated in one payment: someone whose taps fail that often needs another way to pay.
    static let maximumTaps = 16

    /// Takes the kernels, and their configuration for a currency; nil takes no taps in it. A card whose kernel is
    /// missing ends with the request to insert it.
    public init(
        kernels: KernelRegistry, configuration: @escaping @Sendable (Currency) -> EntryPointConfiguration?
    ) {
        self.init(kernels) { currency, _ in configuration(currency) }
    }

    private init(
        _ kernels: KernelRegistry,
        _ configuration: @escaping @Sendable (Currency, TerminalConfiguration) -> EntryPointConfiguration?
    ) {
        (self.kernels, self.configuration) = (kernels, configuration)
    }

    /// What the settings of a kernel for one application follow from.
    public struct KernelSettings: Sendable {
        /// The terminal's data for the currency of the payment.
        public let terminal: TerminalConfiguration
        public let application: TerminalApplication
        /// In the smallest unit of the currency: a higher amount is above the floor limit.
        public let floorLimit: UInt64
        /// In the smallest unit of the currency: an amount of at least this needs a cardholder verification.
        public let verificationLimit: UInt64
    }

    /// Returns the settings of a kernel (``ReaderCombination/kernelData``).
    public typealias KernelData = @Sendable (KernelSettings) -> [BERTag: [UInt8]]

    /// Returns a terminal that takes every application of the contact side with Kernel 8.
    ///
    /// - Parameters:
    ///   - kernels: The kernels.
    ///   - policy: The limits. By default every amount goes online, and from 50 units of the currency on the
    ///     cardholder is verified.
    ///   - kernelData: The settings of the kernel.
    /// - Returns: The contactless side of the terminal.
    public static func standard(
        kernels: KernelRegistry, policy: ContactlessPolicy = ContactlessPolicy(),
        kernelData: @escaping KernelData = { _ in [:] }
    ) -> ContactlessTerminal {
        ContactlessTerminal(kernels) { currency, terminal in
            guard let limits = policy.limits(in: currency), let verification = limits.cvmRequired else { return nil }
            let combinations = terminal.applications.compactMap { application in
                try? ReaderCombination(
                    aid: application.aid, kernel: .kernel8, limits: limits, checksStatus: policy.checksStatus,
                    allowsZeroAmount: policy.allowsZeroAmount,
                    kernelData: kernelData(
                        KernelSettings(
                            terminal: terminal, application: application,
                            floorLimit: UInt64(clamping: limits.floor?.minorUnits ?? 0),
                            verificationLimit: UInt64(clamping: verification.minorUnits))))
            }
            return try? EntryPointConfiguration(terminal: terminal, combinations: [.goodsOrServices: combinations])
        }
    }
}
