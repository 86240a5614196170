public import Amounts
public import CardSecrets

/// What the terminal's own files know of a card (EMV Book 4 §6.3.5).
///
/// A history that cannot be read must not let a payment pass unseen: it answers ``recentAmount(_:sequenceNumber:currency:)``
/// with the largest number, so that the issuer is asked.
public protocol CardHistory: Sendable {
    /// Whether the card is on the terminal's exception file: lost, stolen, or otherwise not to be taken.
    func isOnExceptionFile(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) async -> Bool

    /// The sum of what the same card paid shortly before, in minor units of `currency`, without the issuer
    /// being asked: a sale must not be split to stay below the floor limit (EMV Book 3 §10.6.1).
    func recentAmount(
        _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, currency: Currency
    ) async -> Int64
}
