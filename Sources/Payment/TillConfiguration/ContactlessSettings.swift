public import ContactlessKernel8
public import Determinism
public import EMV
import EntryPoint
public import Hardware
public import Money

extension TillConfiguration {
    /// Returns the contactless side of the till's terminal: its applications, with Kernel 8 as a shop has it
    /// (``ContactlessKernel8/Kernel8Configuration/shop(floorLimit:cvmRequiredLimit:)``).
    ///
    /// - Parameters:
    ///   - authorities: The certification authorities' keys for tapped cards. A card of another authority is not
    ///     authenticated by the reader, and the issuer is asked.
    ///   - time: The time with which the kernel compares certificates.
    ///   - random: A secure source for the kernel's keys.
    ///   - terminal: The terminal's data for a currency. The revoked certificates of the main currency count.
    /// - Returns: The contactless side.
    public func contactless(
        authorities: [ECCAuthorityKey], time: any TimeSource, random: any RandomSource,
        terminal: @escaping @Sendable (Currency) -> TerminalConfiguration
    ) -> ContactlessTerminal {
        let revoked = Set(terminal(currency).revokedCertificates)
        let kernel = KernelRegistration(.kernel8) {
            Kernel8(
                authorities: authorities, revoked: revoked, now: time.now().civil(offsetSeconds: 0), random: random)
        }
        return .standard(
            kernels: KernelRegistry(kernel),
            kernelData: { Kernel8Configuration.shop(floorLimit: $0, cvmRequiredLimit: $1) }, terminal: terminal)
    }
}
