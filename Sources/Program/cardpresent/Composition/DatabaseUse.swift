import Determinism
import Storage
import Synchronization

/// The way in which a command uses its database.
enum DatabaseUse: Sendable {
    /// Shows records. A missing database is an error, and one that can't be written is read all the same.
    case reads
    /// Shows what the store answers, and keeps it. A missing database is created if `creating`, otherwise an error. If
    /// it can't be written, the answers are kept in memory until the command ends.
    case keeps(creating: Bool)
    /// Changes records that must exist. A missing database is an error.
    case changes
    /// Makes records. A missing database is created.
    case creates

    /// Opens the database.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - random: The source of a new database's identity.
    /// - Returns: The open database.
    /// - Throws: `CommandFailure`
    func open(
        _ path: String, random: any RandomSource = SystemRandomSource()
    ) throws(CommandFailure) -> SQLiteStorageManager {
        do throws(StorageError) {
            let storage =
                switch self {
                case .creates: try SQLiteStorageManager(path: path, random: random)
                case .changes: try SQLiteStorageManager(existingAt: path)
                case .reads: try Self.existing(path)
                case .keeps(let isCreating): try Self.keeping(path, isCreating, random)
                }
            OpenDatabases.add(storage)
            return storage
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Opens the database with the journal of its payments.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - random: The source of a new database's identity.
    /// - Returns: The open database and its journal.
    /// - Throws: `CommandFailure`
    func openJournal(
        _ path: String, random: any RandomSource
    ) throws(CommandFailure) -> (storage: SQLiteStorageManager, journal: PaymentJournal) {
        func lease(_ storage: SQLiteStorageManager) throws(StorageError) -> PaymentJournal {
            PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        }
        let storage = try open(path, random: random)
        do throws(StorageError) {
            switch self {
            case .changes, .creates: return (storage, try lease(storage))
            case .reads, .keeps: break
            }
            guard !storage.isReadOnly else { return (storage, PaymentJournal(reading: storage)) }
            do throws(StorageError) { return (storage, try lease(storage)) } catch .notWritable(_, let reason) {
                // SQLite opens a file that can't be written, and fails with the first change.
                OpenDatabases.remove(storage)
                let reader = try SQLiteStorageManager(readingAt: path)
                Self.announce(.reads, path, reason)
                return (reader, PaymentJournal(reading: reader))
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Opens the database to read it when it can't be written, and says so.
    private static func existing(_ path: String) throws(StorageError) -> SQLiteStorageManager {
        let failure: StorageError
        do throws(StorageError) { return try SQLiteStorageManager(existingAt: path) } catch { failure = error }
        guard case .notWritable(_, let reason) = failure else { throw failure }
        let storage: SQLiteStorageManager
        do throws(StorageError) { storage = try SQLiteStorageManager(readingAt: path) } catch {
            // The reason helps only if it says more than that.
            if case .notWritable = error { throw failure }
            throw error
        }
        announce(.reads, path, reason)
        return storage
    }

    /// Opens the database, or a copy of it in memory when it can't be written, and says so.
    private static func keeping(
        _ path: String, _ isCreating: Bool, _ random: any RandomSource
    ) throws(StorageError) -> SQLiteStorageManager {
        let failure: StorageError
        do throws(StorageError) {
            let storage =
                isCreating
                ? try SQLiteStorageManager(path: path, random: random) : try SQLiteStorageManager(existingAt: path)
            // SQLite opens a file that can't be written, and fails with the first change.
            do { try storage.performAndSave { _ in } } catch let error as StorageError {
                storage.close()
                throw error
            } catch {
                return storage
            }
            return storage
        } catch {
            failure = error
        }
        guard case .notWritable(_, let reason) = failure else { throw failure }
        let copy: SQLiteStorageManager
        do throws(StorageError) { copy = try SQLiteStorageManager(copying: path) } catch {
            if case .missing = error { throw failure }
            if case .notWritable = error { throw failure }
            throw error
        }
        announce(.keeps(creating: isCreating), path, reason)
        return copy
    }

    private static func announce(_ use: DatabaseUse, _ path: String, _ reason: String) {
        let consequence =
            switch use {
            case .keeps: "what the store answers is not kept"
            case .reads, .changes, .creates: "it is only read, and unfinished payments stay unfinished"
            }
        StandardError.write("cardpresent: the database '\(path)' cannot be written (\(reason)): \(consequence)\n")
    }
}

/// The databases that the program has open. It closes them at its end, because tasks that hold one end with the
/// process, and SQLite would leave the newest records in the write-ahead log.
enum OpenDatabases {
    private static let all = Mutex<[SQLiteStorageManager]>([])

    static func add(_ storage: SQLiteStorageManager) { all.withLock { $0.append(storage) } }

    /// Leaves a database to those who hold it.
    static func remove(_ storage: SQLiteStorageManager) {
        all.withLock { all in all.removeAll { $0 === storage } }
    }

    static func close() {
        let open = all.withLock { all in
            defer { all = [] }
            return all
        }
        for storage in open { storage.close() }
    }
}

/// A command that opens the database.
///
/// All of them are listed below; a command that is not listed can't open a till or a store.
protocol DatabaseCommand {
    static var databaseUse: DatabaseUse { get }
}

/// A command that shows records.
protocol ReadingCommand: DatabaseCommand {}

extension ReadingCommand {
    static var databaseUse: DatabaseUse { .reads }
}

/// A command that changes records which must exist.
protocol ChangingCommand: DatabaseCommand {}

extension ChangingCommand {
    static var databaseUse: DatabaseUse { .changes }
}

/// A command that shows what the store answers, and keeps it.
protocol KeepingCommand: DatabaseCommand {}

extension KeepingCommand {
    static var databaseUse: DatabaseUse { .keeps(creating: true) }
}

/// A command that makes records, or changes them at the store.
protocol CreatingCommand: DatabaseCommand {}

extension CreatingCommand {
    static var databaseUse: DatabaseUse { .creates }
}

// MARK: Reading

// Payments
extension ListPayments: ReadingCommand {}
extension ShowPayment: ReadingCommand {}
extension WatchPayments: ReadingCommand {}
extension MetricsCommand: ReadingCommand {}

// Receipts
extension ListReceipts: ReadingCommand {}
extension ShowReceipt: ReadingCommand {}
extension CheckReceipt: ReadingCommand {}
extension RenderReceipt: ReadingCommand {}
extension PreviewReceipt: ReadingCommand {}
extension EmailReceipt: ReadingCommand {}
extension ListPrints: ReadingCommand {}

// The simulated issuer
extension ShowIssuerLedger: ReadingCommand {}
extension ReconcileIssuer: ReadingCommand {}

// Cards and readers
extension ListExceptions: ReadingCommand {}
extension ListReaders: ReadingCommand {}

// What is stored of a store
extension ListOrders: ReadingCommand {}
extension ShowOrder: ReadingCommand {}
extension ListCustomers: ReadingCommand {}
extension ListSettings: ReadingCommand {}
extension GetSetting: ReadingCommand {}
extension ListNotifications: ReadingCommand {}

// MARK: Changing, beside those that are a PaymentChangeCommand

extension RecoverPayments: ChangingCommand {}
extension SyncPayments: ChangingCommand {}
extension PrintReceipt: ChangingCommand {}
extension ReprintReceipt: ChangingCommand {}
extension CancelPrint: ChangingCommand {}
extension ShowBackendReceipt: ChangingCommand {}
// It reads nothing, and deletes what is stored of a store.
extension LogoutCommand: ChangingCommand {}
extension RemoveExceptions: ChangingCommand {}
extension ForgetReader: ChangingCommand {}
extension ShipLane: ChangingCommand {}

// MARK: Creating

extension PayCommand: CreatingCommand {}
extension AddExceptions: CreatingCommand {}
extension RememberReader: CreatingCommand {}
extension WatchReaders: CreatingCommand {}
extension LoginCommand: CreatingCommand {}
extension EnrollLane: CreatingCommand {}

// They need a session, which a login has stored beside the database.
extension UseSite: CreatingCommand {}
extension SyncOrders: CreatingCommand {}
extension CreateOrder: CreatingCommand {}
extension AddOrderNote: CreatingCommand {}
extension SyncCustomers: CreatingCommand {}
extension SetSetting: CreatingCommand {}
extension SyncSettings: CreatingCommand {}
extension ReadNotifications: CreatingCommand {}
extension SyncNotifications: CreatingCommand {}
extension AddShipment: CreatingCommand {}
extension DeleteShipment: CreatingCommand {}
extension ModerateComment: CreatingCommand {}
extension ReplyToComment: CreatingCommand {}

// MARK: Keeping

// They need a session, too. `orders status` can also change an order, at the store.
extension ListSites: KeepingCommand {}
extension PreferredGateway: KeepingCommand {}
extension SearchOrders: KeepingCommand {}
extension WatchOrders: KeepingCommand {}
extension OrderStatusCommand: KeepingCommand {}
extension ListOrderNotes: KeepingCommand {}
extension ListOrderRefunds: KeepingCommand {}
extension SearchCustomers: KeepingCommand {}
extension ShowCustomer: KeepingCommand {}
extension ListTaxRates: KeepingCommand {}
extension ListTaxClasses: KeepingCommand {}
extension ShowTaxRate: KeepingCommand {}
extension ListShipments: KeepingCommand {}
extension ListCarriers: KeepingCommand {}
extension StatsCommand: KeepingCommand {}
