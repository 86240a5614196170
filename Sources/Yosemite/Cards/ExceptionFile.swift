public import CardSecrets
public import Determinism
public import Storage

/// The terminal's exception file, as people fill it (EMV Book 4 §6.3.5).
public struct ExceptionFile: Sendable {
    private let register: CardRegister
    private let key: CardKey

    public init(register: CardRegister, key: CardKey) { (self.register, self.key) = (register, key) }

    /// An entry for a card, which is not on the file yet.
    ///
    /// - Parameters:
    ///   - pan: the card's number.
    ///   - sequenceNumber: the PAN sequence number, 0...99; nil for every card with the number.
    ///   - reason: why, in words.
    ///   - moment: the time that it is.
    /// - Returns: nil when libcrypto fails.
    public func entry(
        for pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, reason: String?, at moment: Timestamp
    ) -> ExceptionCard? {
        let last4 = pan.lastFour
        return key.fingerprint(pan).map { card in
            ExceptionCard(card: card, sequenceNumber: sequenceNumber, last4: last4, reason: reason, addedAt: moment)
        }
    }

    /// Puts entries on the file, all or none. A card that is on it stays as it is.
    ///
    /// - Returns: those that are new.
    public func add(_ entries: [ExceptionCard]) throws(StorageError) -> [ExceptionCard] {
        try register.addExceptions(entries)
    }

    /// Takes the cards of these entries off the file, whatever their sequence numbers.
    ///
    /// - Returns: how many entries there were.
    public func remove(_ entries: [ExceptionCard]) throws(StorageError) -> Int {
        try register.removeExceptions(of: entries.map(\.card))
    }
}
