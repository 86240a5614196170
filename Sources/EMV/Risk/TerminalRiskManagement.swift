internal import Amounts
internal import CardSecrets
internal import Determinism
internal import SmartCard

/// Terminal risk management (EMV Book 3 §10.6, Book 4 §6.3.5).
///
/// Exception file and the merchant's wish hold for every card. Floor limit, random selection and velocity
/// are checked for cards whose AIP asks for it.
struct TerminalRiskManagement {
    let session: CardSession
    let history: (any CardHistory)?
    let random: any RandomSource

    func perform(_ transaction: inout Transaction) async throws(KernelStop) {
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
        _ transaction: borrowing Transaction
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
        _ transaction: borrowing Transaction
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
