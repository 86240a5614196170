public import Determinism
public import Hardware
public import Simulator
internal import Storage
public import StoreSite
internal import Yosemite

extension SimulatedSession {
    /// What has happened so far, in order.
    public var events: [SessionEvent] { world.log.events }

    // MARK: The till's records

    /// The payments with the story of their attempts, oldest first. They are read from the records themselves, whether
    /// or not a process runs.
    ///
    /// - Throws: ``SimulatedSessionError``
    public func payments() throws(SimulatedSessionError) -> [SessionPayment] {
        let records = try openRecords()
        do {
            return try records.read { storage in
                let attempts = try storage.allObjects(
                    ofType: PaymentAttempt.self, matching: nil, sortedBy: "id", limit: nil)
                let steps = try storage.allObjects(
                    ofType: AttemptTransition.self, matching: nil, sortedBy: "attemptID, sequence", limit: nil)
                return try storage.allObjects(ofType: Storage.Payment.self, matching: nil, sortedBy: "id", limit: nil)
                    .map { payment in
                        SessionPayment(
                            payment, attempts: attempts.filter { $0.paymentID == payment.id }, steps: steps)
                    }
            }
        } catch {
            throw .storage(StorageError(error, path: records.path ?? ":memory:"))
        }
    }

    /// Rows of the till's database.
    ///
    /// - Parameter sql: one statement, which can change nothing.
    /// - Returns: for each row its columns and their values as text, in their order.
    /// - Throws: ``SimulatedSessionError/storage(_:)``
    public func rows(_ sql: String) throws(SimulatedSessionError) -> [[(column: String, value: String?)]] {
        let records = try openRecords()
        do throws(StorageError) { return try records.rows(sql) } catch { throw .storage(error) }
    }

    private func openRecords() throws(SimulatedSessionError) -> SQLiteStorageManager {
        try world.checkIsOpen()
        return process.records
    }

    /// A receipt as the till lays it out in lines of text.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - kind: which receipt; nil for the newest of any kind.
    ///   - copy: for whom.
    /// - Returns: the lines, parted by line breaks.
    /// - Throws: ``SimulatedSessionError``
    public func receipt(
        of payment: Int64, kind: ReceiptContent.Kind? = nil, copy: ReceiptCopy = .customer
    ) async throws(SimulatedSessionError) -> String {
        let width = world.plan.till.receiptWidth
        let receipt: StoredReceipt = try await performReceipt {
            .loadReceipt(paymentID: payment, kind: kind, onCompletion: $0)
        }
        return try await performReceipt {
            .generateContent(receiptID: receipt.id, copy: copy, width: width, onCompletion: $0)
        }
    }

    /// What a receipt says, for whoever lays it out otherwise.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - kind: which receipt; nil for the newest of any kind.
    /// - Returns: what the receipt says.
    /// - Throws: ``SimulatedSessionError``
    public func receiptContent(
        of payment: Int64, kind: ReceiptContent.Kind? = nil
    ) async throws(SimulatedSessionError) -> ReceiptContent {
        let receipt: StoredReceipt = try await performReceipt {
            .loadReceipt(paymentID: payment, kind: kind, onCompletion: $0)
        }
        return receipt.content
    }

    // MARK: The other side

    /// The issuer's book.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when it cannot be read.
    public func issuerLedger() async throws(SimulatedSessionError) -> IssuerLedger {
        try await world.issuerLedger()
    }

    /// The till's journal against the issuer's book.
    ///
    /// - Throws: ``SimulatedSessionError``
    public func reconciliation() async throws(SimulatedSessionError) -> IssuerReconciliation {
        IssuerReconciliation(till: try payments().flatMap(\.tillAttempts), issuer: try await issuerLedger())
    }

    /// The numbers of the orders that the plan has as unpaid, in its order.
    public var unpaidOrders: [Int64] { world.site?.unpaid ?? [] }

    /// The store's orders as they are now, by number.
    public var orders: [SiteOrder] { world.site?.site.orders ?? [] }

    /// The money that the store took, oldest first.
    public var siteLedger: [LedgerEntry] { world.site?.site.ledger ?? [] }

    /// What the till asked the store, oldest first.
    public var siteRequests: [SeenRequest] { world.site?.requests ?? [] }

    /// The cryptograms that the session's cards have made, card by card in the order of the plan, oldest first. A
    /// recorded card remembers none.
    public var cryptograms: [MadeCryptogram] {
        world.cards.flatMap { ($0.chip as? SimulatedEMVCard)?.cryptograms ?? [] }
    }

    /// What came to the printer.
    public var printouts: [SessionPrintout] { world.printServer.printouts }

    /// What is waited for that only a person can do, in a payment by hand; nil when nothing is.
    public var need: SessionNeed? { world.person.attendant.need }

    /// How far time may go by before a person has to do something, in a payment by hand; nil when nobody has to.
    public var patience: Timestamp? { world.person.attendant.patience }

    /// The time on the session's clock.
    public var now: Timestamp { world.clock.now() }

    /// The readers that there are, plugged in or not.
    public var readers: [SessionReaderState] {
        get async {
            var states: [SessionReaderState] = []
            for reader in world.readers {
                states.append(
                    SessionReaderState(
                        name: reader.name, model: reader.model.name, isPluggedIn: await reader.seen() != nil,
                        isConnected: reader.name == connected, hasCard: reader.parts.chip?.hasCard() ?? false,
                        ways: (reader.parts.chip == nil ? [] : ["insert"])
                            + (reader.parts.stripe == nil ? [] : ["swipe"])))
            }
            return states
        }
    }

    /// Whether a card is in a reader.
    ///
    /// - Parameter name: nil for the first one.
    /// - Returns: false also for a reader without a slot.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``
    public func hasCard(in name: String? = nil) throws(SimulatedSessionError) -> Bool {
        try world.reader(name).parts.chip?.hasCard() ?? false
    }
}
