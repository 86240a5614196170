public import EMV
public import EntryPoint
public import Money
public import SmartCard

/// The contactless side of a terminal: its kernels, and their configuration.
public struct ContactlessTerminal: Sendable {
    let kernels: KernelRegistry
    /// Returns the configuration for a currency; nil if there is none, so that no card can be tapped.
    let configuration: @Sendable (Currency) -> EntryPointConfiguration?

    /// The longest wait for a card that the kernel wants to see again after the host has answered.
    static let secondTapTimeout = Duration.seconds(30)
    /// The most cards that are activated in one payment: someone whose taps fail that often needs another way to pay.
    static let maximumTaps = 16

    /// Takes the kernels, and their configuration for a currency; nil takes no taps in it. A card whose kernel is
    /// missing ends with the request to insert it.
    public init(
        kernels: KernelRegistry, configuration: @escaping @Sendable (Currency) -> EntryPointConfiguration?
    ) {
        (self.kernels, self.configuration) = (kernels, configuration)
    }

    /// The settings of a kernel (``ReaderCombination/kernelData``) for a floor limit and a limit of cardholder
    /// verification, both in the smallest unit of the currency.
    public typealias KernelData =
        @Sendable (_ floorLimit: UInt64, _ verificationLimit: UInt64) -> [BERTag: [UInt8]]

    /// The amount from which a standard terminal verifies the cardholder, in whole units of the currency.
    private static let verificationLimit: Int64 = 50

    /// Returns a terminal that takes every application of the contact side with Kernel 8: every amount goes online, and
    /// from 50 units of the currency on the cardholder is verified.
    ///
    /// - Parameters:
    ///   - kernels: The kernels.
    ///   - kernelData: The settings of the kernel.
    ///   - terminal: The terminal's data for a currency.
    /// - Returns: The contactless side of the terminal.
    public static func standard(
        kernels: KernelRegistry, kernelData: @escaping KernelData = { _, _ in [:] },
        terminal: @escaping @Sendable (Currency) -> TerminalConfiguration
    ) -> ContactlessTerminal {
        ContactlessTerminal(kernels: kernels) { currency in
            let terminal = terminal(currency)
            let unit = (0..<currency.exponent).reduce(Int64(1)) { power, _ in power * 10 }
            guard let floor = try? Money(minorUnits: 0, currency: currency),
                let verification = try? Money(minorUnits: verificationLimit * unit, currency: currency),
                let limits = try? ContactlessLimits(floor: floor, cvmRequired: verification)
            else { return nil }
            let data = kernelData(0, UInt64(verification.minorUnits))
            let combinations = terminal.applications.compactMap { application in
                try? ReaderCombination(aid: application.aid, kernel: .kernel8, limits: limits, kernelData: data)
            }
            return try? EntryPointConfiguration(terminal: terminal, combinations: [.goodsOrServices: combinations])
        }
    }
}
