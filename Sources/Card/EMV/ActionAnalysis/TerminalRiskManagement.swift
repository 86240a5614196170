public import CardSecrets
import Determinism
public import Money
import SmartCard

/// Terminal risk management (EMV Book 3 §10.6, Book 4 §6.3.5).
///
/// The exception file and forced online apply to every card. Floor limit, random selection, and velocity are checked if
/// the AIP requires terminal risk management.
struct TerminalRiskManagement {
    let session: CardSession
    let history: (any CardHistory)?
    let random: any RandomSource

    func perform(_ transaction: Transaction) async throws(KernelStop) {
        session.observe(.terminalRiskManagement)
        let known = try await lookUp(transaction)
        if known.isOnExceptionFile { transaction.verificationResults.insert(.cardOnExceptionFile) }
        if transaction.request.forcedOnline, transaction.terminal.type.connectivity != .offlineOnly {
            transaction.verificationResults.insert(.merchantForcedOnline)
        }
        guard transaction.profile.contains(.terminalRiskManagement), let application = transaction.terminalApplication
        else { return }
        let floor = FloorLimitCheck(
            amount: transaction.request.amount.minorUnits, recentAmount: known.recentAmount,
            floorLimit: application.floorLimit, randomSelection: application.randomSelection,
            canGoOnline: transaction.terminal.type.connectivity != .offlineOnly)
        if floor.isExceeded {
            transaction.verificationResults.insert(.floorLimitExceeded)
        } else if floor.isSelected(byNumber: Int(random.number(in: 1...99))) {
            transaction.verificationResults.insert(.randomlySelectedForOnline)
        }
        if application.checksVelocity {
            transaction.verificationResults.formUnion(try await checkVelocity(transaction))
        }
        transaction.statusInformation.insert(.terminalRiskManagementPerformed)
    }

    private func lookUp(
        _ transaction: Transaction
    ) async throws(KernelStop) -> (isOnExceptionFile: Bool, recentAmount: Int64) {
        guard let history else { return (false, 0) }
        do throws(DataObjectError) {
            let pan = try transaction.data.primaryAccountNumber()
            let sequenceNumber = transaction.panSequenceNumber
            return (
                await history.isOnExceptionFile(pan, sequenceNumber: sequenceNumber),
                await history.recentAmount(
                    pan, sequenceNumber: sequenceNumber, currency: transaction.request.amount.currency)
            )
        } catch {
            throw .failed(.data(error))
        }
    }

    private func checkVelocity(
        _ transaction: Transaction
    ) async throws(KernelStop) -> TerminalVerificationResults {
        guard let lower = transaction.data[EMVTag.lowerOfflineLimit]?.first,
            let upper = transaction.data[EMVTag.upperOfflineLimit]?.first
        else { return [] }
        let counter = try await session.getData(EMVTag.transactionCounter)
        let lastOnline = try await session.getData(EMVTag.lastOnlineCounter)
        return VelocityCheck(
            lowerLimit: lower, upperLimit: upper, counter: counter.map(Self.number),
            lastOnlineCounter: lastOnline.map(Self.number)
        ).evaluate()
    }

    /// `getData` has checked that there are two bytes.
    private static func number(_ bytes: [UInt8]) -> UInt16 { bytes.reduce(0) { $0 << 8 | UInt16($1) } }
}

/// Floor limit and random selection (EMV Book 3 §10.6.1, §10.6.2).
struct FloorLimitCheck {
    /// In minor units
    var amount: Int64
    /// The recent payments of the same card, in minor units.
    var recentAmount: Int64
    var floorLimit: UInt32
    var randomSelection: RandomSelection
    /// Whether the terminal can go online. If not, nothing is selected at random.
    var canGoOnline: Bool

    /// Whether the floor limit is reached or exceeded.
    var isExceeded: Bool {
        let (sum, overflow) = amount.addingReportingOverflow(max(0, recentAmount))
        return overflow || sum >= Int64(floorLimit)
    }

    /// The percentage of such transactions selected at random: constant below the threshold, then rising to the maximum
    /// at the floor limit. nil if random selection does not apply.
    var percentage: Int? {
        guard canGoOnline, amount < Int64(floorLimit) else { return nil }
        let threshold = Int64(randomSelection.threshold)
        guard amount >= threshold else { return randomSelection.targetPercentage }
        let span = Int64(floorLimit) - threshold
        let rise = Int64(randomSelection.maximumPercentage - randomSelection.targetPercentage)
        return randomSelection.targetPercentage + Int(rise * (amount - threshold) / max(1, span))
    }

    /// Returns whether a random number within 1...99 selects the transaction.
    func isSelected(byNumber number: Int) -> Bool { percentage.map { number <= $0 } ?? false }
}

/// Velocity checking: the number of offline transactions since the last online one (EMV Book 3 §10.6.3).
struct VelocityCheck {
    /// Tag 9F14
    var lowerLimit: UInt8
    /// Tag 9F23
    var upperLimit: UInt8
    /// Tag 9F36; nil if the card does not return it.
    var counter: UInt16?
    /// Tag 9F13; nil if the card does not return it.
    var lastOnlineCounter: UInt16?

    func evaluate() -> TerminalVerificationResults {
        var results: TerminalVerificationResults = []
        if lastOnlineCounter == 0 { results.insert(.newCard) }
        guard let counter, let lastOnlineCounter else {
            return results.union([.lowerOfflineLimitExceeded, .upperOfflineLimitExceeded])
        }
        guard counter > lastOnlineCounter else {
            return results.union([.lowerOfflineLimitExceeded, .upperOfflineLimitExceeded])
        }
        let offline = counter - lastOnlineCounter
        if offline > UInt16(lowerLimit) { results.insert(.lowerOfflineLimitExceeded) }
        if offline > UInt16(upperLimit) { results.insert(.upperOfflineLimitExceeded) }
        return results
    }
}

/// The terminal's records about a card: exception file and recent payments (EMV Book 4 §6.3.5).
///
/// If the records cannot be read, return the largest number from ``recentAmount(_:sequenceNumber:currency:)``, so that
/// the payment goes online.
public protocol CardHistory: Sendable {
    /// Returns whether the card is on the terminal's exception file of lost, stolen, or otherwise invalid cards.
    func isOnExceptionFile(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) async -> Bool

    /// Returns the sum of the card's recent offline payments, in minor units of `currency`, so that a sale cannot be
    /// split to stay below the floor limit (EMV Book 3 §10.6.1).
    func recentAmount(
        _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, currency: Currency
    ) async -> Int64
}
