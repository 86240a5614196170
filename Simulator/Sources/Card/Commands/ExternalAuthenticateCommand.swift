internal import SmartCard

/// EXTERNAL AUTHENTICATE, and the same check for cards that take issuer authentication data by CDOL2
/// (EMV Book 3 §6.5.4 and §10.9).
extension CardOperatingSystem {
    mutating func externalAuthenticate(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard let index = selectedIndex, applications[index].profile.externalAuthenticate,
            var transaction = session.transaction, transaction.phase == .awaitingIssuer,
            transaction.issuerAuthentication == .notPerformed
        else { return .failed(.conditionsNotSatisfied) }
        guard (8...16).contains(command.data.count) else { return .failed(.wrongLength) }
        authenticateIssuer(index, command.data, &transaction)
        session.transaction = transaction
        return transaction.issuerAuthentication == .failed ? .failed(.authenticationFailed) : .succeeded()
    }

    /// Takes tag 91 out of the data of the second GENERATE AC. Zeros stand for a terminal that has none.
    mutating func authenticateIssuerByDataObject(_ index: Int, _ transaction: inout CardTransaction) {
        guard transaction.issuerAuthentication == .notPerformed, let data = transaction.terminalValues[0x91],
            data.contains(where: { $0 != 0 })
        else { return }
        authenticateIssuer(index, data, &transaction)
    }

    private mutating func authenticateIssuer(_ index: Int, _ data: [UInt8], _ transaction: inout CardTransaction) {
        let content = try? IssuerAuthenticationData.verify(
            data,
            IssuerAuthenticationData.Context(
                version: applications[index].profile.cryptogram, atc: transaction.atc,
                unpredictableNumber: transaction.unpredictableNumber, arqc: transaction.arqc ?? []),
            masterKey: applications[index].keys.applicationCryptogram)
        transaction.results.issuerAuthenticationPerformed = true
        guard let content else {
            transaction.issuerAuthentication = .failed
            transaction.results.issuerAuthenticationFailed = true
            return
        }
        transaction.issuerAuthentication = .succeeded(content)
        if case .cardStatusUpdate(let update) = content { obey(update, index, &transaction) }
    }

    /// Does to the card what its issuer says (EMV Book 3 annex C10).
    private mutating func obey(_ update: CardStatusUpdate, _ index: Int, _ transaction: inout CardTransaction) {
        if update.blocksCard { isBlocked = true }
        if update.blocksApplication { memories[index].isBlocked = true }
        if update.updatesPINTryCounter, let limit = applications[index].profile.pin?.tryLimit {
            memories[index].pinTriesLeft = min(update.pinTryCounter, limit)
            transaction.results.pinTriesLeft = memories[index].pinTriesLeft
            transaction.results.pinTryLimitExceeded = memories[index].pinTriesLeft == 0
        }
    }
}
