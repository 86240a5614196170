public import CardSecrets
public import Determinism
public import EMV
public import Money
public import Storage
import Synchronization
public import TillConfiguration

/// The exception file and the log of offline sales, for the kernel.
///
/// It connects the kernel, which is independent of storage, with the records. It stores only the fingerprint of a card.
/// A sale is logged in the same commit as its journal entry, so that neither exists without the other.
public final class StoredCardHistory: CardHistory {
    private let register: CardRegister
    private let key: CardKey
    private let window: SplitSaleWindow
    private let time: any TimeSource
    /// The card that was looked up last.
    private let card = Mutex<CardFingerprint?>(nil)

    /// Opens the records of a database, and deletes sales that no longer count.
    ///
    /// - Throws: An error of the database.
    public init(
        register: CardRegister, key: CardKey, window: SplitSaleWindow, time: any TimeSource
    ) throws(StorageError) {
        (self.register, self.key, self.window, self.time) = (register, key, window, time)
        try register.forgetOfflineSales(before: window.start(at: time))
    }

    public func isOnExceptionFile(
        _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?
    ) async -> Bool {
        guard let card = key.fingerprint(pan) else { return false }
        return (try? register.isException(card, sequenceNumber: sequenceNumber)) ?? false
    }

    public func recentAmount(
        _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, currency: Currency
    ) async -> Int64 {
        let found = key.fingerprint(pan)
        card.withLock { $0 = found }
        // When this read fails, the exception file may be unreadable as well: send the payment online.
        guard let found, (try? register.isException(found, sequenceNumber: sequenceNumber)) != nil else { return .max }
        guard let start = window.start(at: time) else { return 0 }
        return (try? register.offlineAmount(of: found, in: currency, since: start)) ?? .max
    }

    /// Resets the card at the start of a payment.
    func begin() { card.withLock { $0 = nil } }

    /// The card of the current payment, for the log; nil when none was looked up, or there is no log.
    var offlineCard: CardFingerprint? { window == .none ? nil : card.withLock { $0 } }
}

/// The terminal's exception file (EMV Book 4 §6.3.5).
public struct ExceptionFile: Sendable {
    private let register: CardRegister
    private let key: CardKey

    /// Looks cards up in `register` by their hashes under `key`.
    public init(register: CardRegister, key: CardKey) { (self.register, self.key) = (register, key) }

    /// Creates an entry for a card, without adding it to the file.
    ///
    /// - Parameters:
    ///   - pan: The card number.
    ///   - sequenceNumber: The PAN sequence number, 0...99; nil for every card with the number.
    ///   - reason: A human-readable reason.
    ///   - moment: The current time.
    /// - Returns: Nil when libcrypto fails.
    public func entry(
        for pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, reason: String?, at moment: Timestamp
    ) -> ExceptionCard? {
        let last4 = pan.lastFour
        return key.fingerprint(pan).map { card in
            ExceptionCard(card: card, sequenceNumber: sequenceNumber, last4: last4, reason: reason, addedAt: moment)
        }
    }

    /// Adds entries to the file, all or none. Existing entries stay unchanged.
    ///
    /// - Returns: The new entries.
    public func add(_ entries: [ExceptionCard]) throws(StorageError) -> [ExceptionCard] {
        try register.addExceptions(entries)
    }

    /// Removes the cards of these entries from the file, with any sequence number.
    ///
    /// - Returns: The number of entries removed.
    public func remove(_ entries: [ExceptionCard]) throws(StorageError) -> Int {
        try register.removeExceptions(of: entries.map(\.card))
    }
}
