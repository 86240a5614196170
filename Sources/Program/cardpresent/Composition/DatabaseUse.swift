internal import Determinism
internal import Storage
internal import Synchronization

/// What a command does with its database.
enum DatabaseUse: Sendable {
    /// Shows records. A missing database is an error, and one that can't be written is read all the same.
    case reads
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
            guard self == .reads else { return (storage, try lease(storage)) }
            guard !storage.isReadOnly else { return (storage, PaymentJournal(reading: storage)) }
            do throws(StorageError) { return (storage, try lease(storage)) } catch .notWritable(_, let reason) {
                // SQLite opens a file that can't be written, and fails with the first change.
                OpenDatabases.remove(storage)
                let reader = try SQLiteStorageManager(readingAt: path)
                Self.announceReading(path, reason)
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
            // Why it can't be read helps only if it tells more.
            if case .notWritable = error { throw failure }
            throw error
        }
        announceReading(path, reason)
        return storage
    }

    private static func announceReading(_ path: String, _ reason: String) {
        StandardError.write(
            "cardpresent: the database '\(path)' cannot be written (\(reason)): it is only read, and unfinished "
                + "payments stay unfinished\n")
    }
}

/// The databases that the program has open. It closes them at its end, because tasks that hold one end with the process,
/// and SQLite would leave the newest records in the write-ahead log.
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

/// A command that makes records, or keeps what it reads from a store.
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

// MARK: Changing

extension RefundCommand: ChangingCommand {}
extension RecoverPayments: ChangingCommand {}
extension SyncPayments: ChangingCommand {}
extension PrintReceipt: ChangingCommand {}
extension ReprintReceipt: ChangingCommand {}
extension CancelPrint: ChangingCommand {}
extension ShowBackendReceipt: ChangingCommand {}
extension RemoveExceptions: ChangingCommand {}
extension ForgetReader: ChangingCommand {}

// MARK: Creating

extension PayCommand: CreatingCommand {}
extension AddExceptions: CreatingCommand {}
extension RememberReader: CreatingCommand {}
extension WatchReaders: CreatingCommand {}
extension LoginCommand: CreatingCommand {}
// Sign-in data without a database can be left to delete.
extension LogoutCommand: CreatingCommand {}

// These keep what the store answers. They need a session, which a login has stored beside the database.
extension ListSites: CreatingCommand {}
extension UseSite: CreatingCommand {}
extension PreferredGateway: CreatingCommand {}
extension SyncOrders: CreatingCommand {}
extension SearchOrders: CreatingCommand {}
extension CreateOrder: CreatingCommand {}
extension WatchOrders: CreatingCommand {}
extension OrderStatusCommand: CreatingCommand {}
extension AddOrderNote: CreatingCommand {}
extension ListOrderNotes: CreatingCommand {}
extension ListOrderRefunds: CreatingCommand {}
extension SearchCustomers: CreatingCommand {}
extension ShowCustomer: CreatingCommand {}
extension SyncCustomers: CreatingCommand {}
extension SetSetting: CreatingCommand {}
extension SyncSettings: CreatingCommand {}
extension ReadNotifications: CreatingCommand {}
extension SyncNotifications: CreatingCommand {}
extension ListTaxRates: CreatingCommand {}
extension ListTaxClasses: CreatingCommand {}
extension ShowTaxRate: CreatingCommand {}
extension ListShipments: CreatingCommand {}
extension AddShipment: CreatingCommand {}
extension DeleteShipment: CreatingCommand {}
extension ListCarriers: CreatingCommand {}
extension ModerateComment: CreatingCommand {}
extension ReplyToComment: CreatingCommand {}
extension StatsCommand: CreatingCommand {}
