import ContactlessKernel8
public import Determinism
public import EMV
import EntryPoint
public import Hardware
public import Money

extension TillConfiguration {
    /// Returns the contactless side of the till's terminal: its applications, with Kernel 8 as a shop has it
    /// (``ContactlessKernel8/Kernel8Configuration/shop(floorLimit:cvmRequiredLimit:relayResistance:)``).
    ///
    /// - Parameters:
    ///   - authorities: Certification authorities' keys for tapped cards beside those of the terminal. A card of
    ///     another authority is not authenticated by the reader, and the issuer is asked.
    ///   - time: The time with which the kernel compares certificates.
    ///   - random: A secure source for the kernel's keys.
    ///   - terminal: The terminal's data for a currency. Public keys and revoked certificates are those of the main
    ///     currency.
    /// - Returns: The contactless side.
    public func contactless(
        authorities: [ECCAuthorityKey] = [], time: any TimeSource, random: any RandomSource,
        terminal: @escaping @Sendable (Currency) -> TerminalConfiguration
    ) -> ContactlessTerminal {
        let main = terminal(currency).adding(ellipticAuthorityKeys: authorities)
        let (keys, revoked) = (main.ellipticAuthorityKeys, Set(main.revokedCertificates))
        let kernel = KernelRegistration(.kernel8) {
            Kernel8(
                authorities: keys, revoked: revoked, now: time.now().civil(offsetSeconds: 0), random: random)
        }
        return .standard(
            kernels: KernelRegistry(kernel),
            kernelData: { [relayResistance] in
                Kernel8Configuration.shop(floorLimit: $0, cvmRequiredLimit: $1, relayResistance: relayResistance)
            }, terminal: terminal)
    }
}
