import Concurrency
import Networking
import Storage

/// Makes the commands with which ``RefundStore`` creates and reads the refunds of orders and keeps them.
///
/// Each command does one thing, and the store composes them. It knows only the types of their values and errors, so
/// that a test can replace each command.
protocol RefundCommandFactory: Sendable {
    // MARK: At the site

    /// Creates a refund. It is not known whether it exists after an error that may have taken effect.
    func createRefund(siteID: Int64, orderID: Int64, _ draft: RefundDraft) -> any Command<Refund, StoreError>
    func fetchRefund(siteID: Int64, orderID: Int64, refundID: Int64) -> any Command<Refund, StoreError>
    /// Fetches a page of the refunds of an order, newest first. `refundIDs`: only these; nil for all.
    func fetchRefunds(
        siteID: Int64, orderID: Int64, refundIDs: [Int64]?, page: PageRequest
    ) -> any Command<Page<Refund>, StoreError>

    // MARK: In the database

    /// Saves what changed in one transaction.
    func save(_ changes: RefundChanges) -> any Command<Void, StoreError>
}

/// The refunds to save and to delete after a read.
enum RefundChanges: Hashable, Sendable {
    /// These refunds, beside those that are stored.
    case some([Refund])
    /// All refunds of an order: others of it are deleted.
    case all([Refund], siteID: Int64, orderID: Int64)
    /// The site no longer has the refund.
    case gone(siteID: Int64, refundID: Int64)

    func save(in storage: any StorageType) throws {
        switch self {
        case .some(let refunds): try storage.save(refunds)
        case .all(let refunds, let siteID, let orderID):
            try storage.keep(refunds, ofOrder: orderID, siteID: siteID)
        case .gone(let siteID, let refundID):
            try storage.delete(Refund.self) { $0.siteID == siteID && $0.id == refundID }
        }
    }
}

extension StorageType {
    /// Stores all refunds of an order, and deletes the stored ones that the site no longer has.
    func keep(_ refunds: [Refund], ofOrder orderID: Int64, siteID: Int64) throws {
        let refundIDs = refunds.map(\.id)
        try delete(Refund.self) { $0.siteID == siteID && $0.orderID == orderID && !$0.id.isIn(refundIDs) }
        try save(refunds)
    }
}

/// The commands of a site's session.
struct SiteRefundCommands: RefundCommandFactory {
    private let storage: any StorageManagerType
    private let remote: RefundsRemote

    init(_ context: StoreContext) { (storage, remote) = (context.storage, RefundsRemote(context.sender)) }

    func createRefund(siteID: Int64, orderID: Int64, _ draft: RefundDraft) -> any Command<Refund, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.createRefund(siteID: siteID, orderID: orderID, draft)
        }
    }

    func fetchRefund(siteID: Int64, orderID: Int64, refundID: Int64) -> any Command<Refund, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.loadRefund(siteID: siteID, orderID: orderID, refundID: refundID)
        }
    }

    func fetchRefunds(
        siteID: Int64, orderID: Int64, refundIDs: [Int64]?, page: PageRequest
    ) -> any Command<Page<Refund>, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.loadRefunds(siteID: siteID, orderID: orderID, refundIDs: refundIDs, page: page)
        }
    }

    func save(_ changes: RefundChanges) -> any Command<Void, StoreError> {
        StoreCommand(in: storage) { try changes.save(in: $0) }
    }
}
