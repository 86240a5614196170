public import CardSecrets

/// What the terminal's own files know of a card (EMV Book 4 §6.3.5).
public protocol CardHistory: Sendable {
    /// Whether the card is on the terminal's exception file: lost, stolen, or otherwise not to be taken.
    func isOnExceptionFile(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) async -> Bool

    /// The sum of the amounts, in minor units, that the same card paid shortly before and that are still
    /// at the terminal: a sale must not be split to stay below the floor limit (EMV Book 3 §10.6.1).
    func recentAmount(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) async -> Int64
}
