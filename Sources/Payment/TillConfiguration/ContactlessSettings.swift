import ContactlessKernel8
public import Determinism
public import EMV
import EntryPoint
public import Hardware
public import Money
import Settings

extension TillConfiguration {
    /// Returns the contactless side of the till's terminal: its applications, with Kernel 8 as a shop has it
    /// (``ContactlessKernel8/Kernel8Configuration/shop(floorLimit:cvmRequiredLimit:relayResistance:codes:capabilities:)``).
    /// Its capabilities and action codes follow from those of the terminal.
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
            kernels: KernelRegistry(kernel), policy: contactlessPolicy,
            kernelData: { [relayResistance] settings in
                // The kernel verifies above its limit, Entry Point from the limit on.
                Kernel8Configuration.shop(
                    floorLimit: settings.floorLimit,
                    cvmRequiredLimit: settings.verificationLimit - min(1, settings.verificationLimit),
                    relayResistance: relayResistance,
                    codes: Kernel8ActionCodes(
                        settings.application.actionCodes, terminalType: settings.terminal.type),
                    capabilities: Kernel8Capabilities(settings.terminal))
            })
    }
}

/// The section `terminal.contactless`: the limits for tapped cards. A limit is an amount of the till's currency, or a
/// mapping from currency codes to amounts.
enum ContactlessSettings {
    private static let keys = ["transactionLimit", "cvmLimit", "floorLimit", "statusCheck", "zeroAmount"]

    /// Limits that are left out are those of ``Hardware/ContactlessPolicy``.
    static func policy(_ node: SettingsNode?, _ currency: Currency) throws(SettingsError) -> ContactlessPolicy {
        var policy = ContactlessPolicy()
        guard let node else { return policy }
        try node.mapping(allowedKeys: keys)
        policy.transactionLimits = try limits(try node.optional("transactionLimit"), currency)
        policy.verificationLimits = try limits(try node.optional("cvmLimit"), currency)
        policy.floorLimits = try limits(try node.optional("floorLimit"), currency)
        if let node = try node.optional("statusCheck") { policy.checksStatus = try node.bool() }
        if let node = try node.optional("zeroAmount") { policy.allowsZeroAmount = try node.bool() }
        return policy
    }

    private static func limits(_ node: SettingsNode?, _ currency: Currency) throws(SettingsError) -> [Money] {
        guard let node else { return [] }
        guard node.kind == .mapping else { return [try node.money(currency)] }
        var amounts: [Money] = []
        for (key, value) in try node.currencies() { amounts.append(try value.money(key)) }
        guard amounts.contains(where: { $0.currency == currency }) else {
            throw node.error("no amount for the till's own currency", fix: "add one for \(currency.code)")
        }
        return amounts
    }

    /// Returns the section of the policy.
    static func yaml(_ policy: ContactlessPolicy) -> [String] {
        ["  contactless:"] + yaml("transactionLimit", policy.transactionLimits, "every amount can be tapped")
            + yaml("cvmLimit", policy.verificationLimits, "the cardholder is verified from 50 units of the currency on")
            + yaml("floorLimit", policy.floorLimits, "every tap goes online")
            + ["    statusCheck: \(policy.checksStatus)", "    zeroAmount: \(policy.allowsZeroAmount)"]
    }

    private static func yaml(_ key: String, _ limits: [Money], _ standard: String) -> [String] {
        guard !limits.isEmpty else { return ["    # No \(key): \(standard)."] }
        return ["    \(key):"] + limits.map { "      \($0.currency.code): \($0.decimalText)" }
    }
}
