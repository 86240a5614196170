public import Amounts
public import CardSecrets
public import Determinism
public import EMV
public import Hardware
public import Storage
internal import Synchronization

/// The exception file and the log of offline sales, as the kernel asks for them.
///
/// It stands between the kernel, which knows nothing of storage, and the records. Of a card it keeps a fingerprint and
/// nothing else. A sale is written to the log with the step of the journal that records it, so that neither is
/// without the other.
public final class StoredCardHistory: CardHistory {
    private let register: CardRegister
    private let key: CardKey
    private let window: SplitSaleWindow
    private let time: any TimeSource
    /// The card that was looked up last.
    private let card = Mutex<CardFingerprint?>(nil)

    /// Opens the files of a database, and deletes sales that count no more.
    ///
    /// - Throws: a failure of the database.
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
        // What cannot be read here could not be read for the exception file either: let the issuer decide.
        guard let found, (try? register.isException(found, sequenceNumber: sequenceNumber)) != nil else { return .max }
        guard let start = window.start(at: time) else { return 0 }
        return (try? register.offlineAmount(of: found, in: currency, since: start)) ?? .max
    }

    /// A payment begins: no card has been looked up.
    func begin() { card.withLock { $0 = nil } }

    /// The card of the payment that runs, for the log; nil when none was looked up, or there is no log.
    var offlineCard: CardFingerprint? { window == .none ? nil : card.withLock { $0 } }
}
