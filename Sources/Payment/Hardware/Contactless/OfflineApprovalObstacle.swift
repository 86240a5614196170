import ContactlessKernel8
import EMV
import EntryPoint
import Money
import Payments

/// Why the till does not take a kernel's offline approval. The kernel's action codes come first; these reasons hold
/// when codes or card are wrong.
enum OfflineApprovalObstacle: Hashable, Sendable {
    /// The kernel names an application that the till does not tap.
    case unknownApplication
    case aboveFloorLimit
    /// The kernel does not say what it has verified.
    case noResults
    case cardNotAuthenticated
    /// The cardholder was not verified as the amount demands, or only an issuer could do it.
    case cardholderNotVerified

    /// Judges an approval; nil if nothing stands against it. An unknown kernel's verification results are not read.
    ///
    /// - Parameters:
    ///   - final: The approval.
    ///   - results: The terminal verification results of the kernel (95).
    ///   - amount: The amount of the payment.
    ///   - combinations: The till's applications for taps.
    init?(_ final: FinalOutcome, results: [UInt8]?, amount: Money, in combinations: [ReaderCombination]) {
        let matching = combinations.filter { combination in
            combination.kernel == final.kernel && final.aid?.starts(with: combination.aid) == true
        }
        guard !matching.isEmpty else {
            self = .unknownApplication
            return
        }
        let found =
            matching.lazy.compactMap { Self.obstacle(final.outcome, amount, $0.limits) }.first
            ?? (final.kernel == .kernel8 ? Self.obstacle(results) : nil)
        guard let found else { return nil }
        self = found
    }

    private static func obstacle(_ outcome: ContactlessOutcome, _ amount: Money, _ limits: ContactlessLimits) -> Self? {
        if let floor = limits.floor ?? limits.terminalFloor, amount.minorUnits > floor.minorUnits {
            return .aboveFloorLimit
        }
        let needsVerification = limits.cvmRequired.map { amount.minorUnits >= $0.minorUnits } ?? false
        return switch outcome.cvm {
        case .onlinePIN: .cardholderNotVerified
        case .noCVM, nil: needsVerification ? .cardholderNotVerified : nil
        case .signature, .confirmationCodeVerified: nil
        }
    }

    private static func obstacle(_ bytes: [UInt8]?) -> Self? {
        guard let results = bytes.flatMap({ Kernel8VerificationResults(bytes: $0) }), results.contains(.kernel8) else {
            return .noResults
        }
        let unauthenticated: Kernel8VerificationResults = [
            .localAuthenticationNotPerformed, .localAuthenticationFailed, .relayResistanceThresholdExceeded,
            .relayResistanceTimeLimitsExceeded,
        ]
        guard results.isDisjoint(with: unauthenticated) else { return .cardNotAuthenticated }
        guard results.isDisjoint(with: [.cardholderVerificationFailed, .onlineCVMCaptured]) else {
            return .cardholderNotVerified
        }
        return results.contains(.floorLimitExceeded) ? .aboveFloorLimit : nil
    }

    /// The reason as payments have it.
    var reason: TerminalDeclineReason {
        switch self {
        case .cardNotAuthenticated: .cardNotAuthenticated
        case .unknownApplication, .aboveFloorLimit, .noResults, .cardholderNotVerified: .declinedByTerminal
        }
    }
}
