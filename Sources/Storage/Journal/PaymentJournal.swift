public import Amounts
public import Determinism

/// The record of every attempt to move money, written before the money can move.
///
/// A normal approved sale takes three durable commits: ``begin(siteID:orderID:amount:hostName:at:)``,
/// ``markAuthorizing(_:details:at:)`` before anything is sent, and ``finish(_:as:details:receipt:detail:at:)``.
/// Every step writes the attempt's state, a line of its history and the payment's derived state in one
/// transaction. Each call blocks its thread while the disk flushes; see ``StorageManagerType``.
public struct PaymentJournal: Sendable {
    let storage: any StorageManagerType
    let lease: ProcessLease

    /// Opens the journal of a database. What it begins is under `lease`, a lease of the same database.
    public init(storage: any StorageManagerType, lease: ProcessLease) {
        (self.storage, self.lease) = (storage, lease)
    }

    /// Records a new payment and the first attempt to take the money.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func begin(
        siteID: Int64, orderID: Int64?, amount: Money, hostName: String, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            let payment = try storage.insertNewObject(
                Payment(siteID: siteID, orderID: orderID, amount: amount, createdAt: moment))
            // A new payment is written as its first attempt leaves it: there is nothing to settle.
            let attempt = try add(.sale, of: amount, to: payment, hostName: hostName, at: moment, in: storage)
            return JournalEntry(payment: payment, attempt: attempt, receipt: nil)
        }
    }

    /// Records a new payment of an order at a store site, the first attempt to take the money, and that the site is to
    /// be told when it is taken.
    ///
    /// - Throws: ``JournalError/orderHasPayment(order:_:_:)`` when another payment has taken the order's money, or may
    ///   have; ``JournalError/storage(_:)``
    public func begin(
        _ order: OrderToPay, amount: Money, hostName: String, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            try checkIsFree(order.orderID, siteID: order.siteID, besides: nil, in: storage)
            let payment = try storage.insertNewObject(
                Payment(siteID: order.siteID, orderID: order.orderID, amount: amount, createdAt: moment))
            try storage.insertNewObject(SiteCapture(order, of: payment, lease: lease.number))
            let attempt = try add(.sale, of: amount, to: payment, hostName: hostName, at: moment, in: storage)
            return JournalEntry(payment: payment, attempt: attempt, receipt: nil)
        }
    }

    /// Records another attempt to take the money of a payment whose earlier attempts certainly took none.
    ///
    /// - Throws: ``JournalError/notRetriable(_:_:)`` while the outcome is open or unknown, and once it is paid;
    ///   ``JournalError/orderHasPayment(order:_:_:)`` when its order has another payment by now.
    public func retry(
        _ id: PaymentID, hostName: String, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            let payment = try load(id, from: storage)
            let sales = try attempts(of: id, in: storage).filter { $0.kind == .sale }
            guard sales.allSatisfy(\.state.movedNothing) else { throw JournalError.notRetriable(id, payment.state) }
            if let order = payment.orderID, try storage.loadObject(ofType: SiteCapture.self, with: id) != nil {
                try checkIsFree(order, siteID: payment.siteID, besides: id, in: storage)
            }
            let attempt = try add(.sale, of: payment.amount, to: payment, hostName: hostName, at: moment, in: storage)
            let settled = try settle(attempt, among: sales + [attempt], at: moment, in: storage)
            return JournalEntry(payment: settled, attempt: attempt, receipt: nil)
        }
    }

    /// Records an attempt to give money back. Refunds that are under way, or whose outcome is unknown, count
    /// as given.
    ///
    /// - Throws: ``JournalError/notRefundable(_:_:)``, ``JournalError/refundTooLarge(_:requested:available:)``,
    ///   ``JournalError/money(_:)`` when the currency is another one.
    public func beginRefund(
        of id: PaymentID, amount: Money, hostName: String, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            let payment = try load(id, from: storage)
            guard amount.currency == payment.amount.currency else {
                throw MoneyError.currencyMismatch(amount.currency.code, payment.amount.currency.code)
            }
            let attempts = try attempts(of: id, in: storage)
            guard attempts.contains(where: { $0.kind == .sale && $0.state == .captured }) else {
                throw JournalError.notRefundable(id, payment.state)
            }
            let committed = attempts.filter { $0.kind == .refund && !$0.state.movedNothing }
                .reduce(Int64(0)) { $0 + $1.amount.minorUnits }
            let left = payment.amount.minorUnits - committed
            guard left > 0, amount.minorUnits > 0 else { throw JournalError.notRefundable(id, payment.state) }
            guard amount.minorUnits <= left else {
                throw JournalError.refundTooLarge(
                    id, requested: amount, available: try Money(minorUnits: left, currency: amount.currency))
            }
            let attempt = try add(.refund, of: amount, to: payment, hostName: hostName, at: moment, in: storage)
            let settled = try settle(attempt, among: attempts + [attempt], at: moment, in: storage)
            return JournalEntry(payment: settled, attempt: attempt, receipt: nil)
        }
    }

    /// Records that the request is about to be sent, with what is known of the card by then.
    ///
    /// - Throws: ``JournalError/illegalTransition(attempt:from:to:)``, ``JournalError/notOurs(attempt:lease:)``,
    ///   ``JournalError/attemptNotFound(_:)``, ``JournalError/storage(_:)``; so do all steps below.
    @discardableResult
    public func markAuthorizing(
        _ attempt: Int64, details: PaymentDetails = PaymentDetails(), at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try move(attempt, to: .authorizing, details: details, at: moment)
    }

    /// Records how the attempt ended, with what is known of the card and the answer, and its receipt, all or
    /// nothing. The state is a final one, or `.authorized` when the capture is still to come; `detail` says why,
    /// in words, in the attempt's history, and `advice`, JSON text, what the host has still to be told. A card that
    /// approved offline is remembered by `offlineCard`; see ``CardRegister``.
    @discardableResult
    public func finish(
        _ attempt: Int64, as state: AttemptState, details: PaymentDetails = PaymentDetails(),
        receipt: ReceiptDraft? = nil, detail: String? = nil, advice: String? = nil,
        offlineCard: CardFingerprint? = nil, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try move(
            attempt, to: state, details: details, receipt: receipt, detail: detail, advice: advice,
            offlineCard: offlineCard, at: moment)
    }

    /// Records that the attempt is about to be taken back, and why. Call it again when a try got no answer.
    @discardableResult
    public func markReversing(
        _ attempt: Int64, reason: String, details: PaymentDetails = PaymentDetails(), at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try move(attempt, to: .reversing, details: details, detail: reason, at: moment)
    }

    /// Records that nobody knows what became of the attempt. Call it again when an inquiry got no answer.
    @discardableResult
    public func markUnknown(
        _ attempt: Int64, reason: String, details: PaymentDetails = PaymentDetails(), receipt: ReceiptDraft? = nil,
        at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try move(attempt, to: .unknown, details: details, receipt: receipt, detail: reason, at: moment)
    }

    private func move(
        _ id: Int64, to state: AttemptState, details: PaymentDetails, receipt: ReceiptDraft? = nil,
        detail: String? = nil, advice: String? = nil, offlineCard: CardFingerprint? = nil, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            var attempts = try attempts(withSiblingsOf: id, in: storage)
            guard let place = attempts.firstIndex(where: { $0.id == id }) else {
                throw JournalError.attemptNotFound(id)
            }
            var attempt = attempts[place]
            guard attempt.lease == lease.number else {
                throw JournalError.notOurs(attempt: id, lease: attempt.lease)
            }
            guard attempt.state.successors.contains(state) else {
                throw JournalError.illegalTransition(attempt: id, from: attempt.state, to: state)
            }
            // What an authorized attempt keeps goes with its approval.
            attempt.advice = advice ?? (attempt.state == .authorized ? nil : attempt.advice)
            attempt.state = state
            attempt.transitions += 1
            attempt.updatedAt = moment
            attempt.hostReference = details.hostReference ?? attempt.hostReference
            attempt.lastError = details.errorMessage ?? detail ?? attempt.lastError
            try storage.updateObject(attempt)
            try storage.insertNewObject(AttemptTransition(of: attempt, detail: detail))
            if let offlineCard {
                try storage.insertNewObject(OfflineSale(attempt, card: offlineCard, madeAt: moment))
            }
            attempts[place] = attempt
            let payment = try settle(attempt, among: attempts, details: details, at: moment, in: storage)
            try updateCapture(of: payment, after: attempt, in: storage)
            let stored = try receipt.map { try issue($0, of: payment, attempt, at: moment, in: storage) }
            return JournalEntry(payment: payment, attempt: attempt, receipt: stored)
        }
    }

    private func add(
        _ kind: PaymentAttempt.Kind, of amount: Money, to payment: Payment, hostName: String, at moment: Timestamp,
        in storage: any StorageType
    ) throws -> PaymentAttempt {
        var identity = try StoreIdentity.load(from: storage)
        let (number, key, stan) = identity.nextAttempt()
        try storage.updateObject(identity)
        let attempt = try storage.insertNewObject(
            PaymentAttempt(
                id: number, payment: payment, kind: kind, idempotencyKey: key, stan: stan, hostName: hostName,
                amount: amount, lease: lease.number, createdAt: moment))
        try storage.insertNewObject(AttemptTransition(of: attempt, detail: nil))
        return attempt
    }

    /// Brings the payment up to date with all of its attempts, one of which has just changed.
    private func settle(
        _ attempt: PaymentAttempt, among attempts: [PaymentAttempt], details: PaymentDetails = PaymentDetails(),
        at moment: Timestamp, in storage: any StorageType
    ) throws -> Payment {
        var payment = try load(attempt.paymentID, from: storage)
        let refunded = attempts.filter { $0.kind == .refund && $0.state == .captured }
            .reduce(Int64(0)) { $0 + $1.amount.minorUnits }
        payment.refundedAmount = try Money(minorUnits: refunded, currency: payment.amount.currency)
        if let lastSale = attempts.last(where: { $0.kind == .sale }) {
            payment.state = PaymentState(
                lastSale: lastSale.state, amount: payment.amount, refunded: payment.refundedAmount)
        }
        // A refund tells nothing of how the payment itself was made, and an attempt that begins knows nothing yet:
        // what was known of the one before it stays with that one.
        if attempt.kind == .sale {
            payment.details = attempt.state == .created ? details : payment.details.merging(details)
        }
        payment.updatedAt = moment
        try storage.updateObject(payment)
        return payment
    }

    /// What the site has to be told is in the commit that makes it true.
    private func updateCapture(
        of payment: Payment, after attempt: PaymentAttempt, in storage: any StorageType
    ) throws {
        guard payment.orderID != nil, attempt.kind == .sale,
            var capture = try storage.loadObject(ofType: SiteCapture.self, with: payment.id),
            capture.follow(attempt)
        else { return }
        try storage.updateObject(capture)
    }

    /// Two payments of one order would charge its customer twice.
    private func checkIsFree(
        _ order: Int64, siteID: Int64, besides own: PaymentID?, in storage: any StorageType
    ) throws {
        let others = try storage.allObjects(
            ofType: Payment.self,
            matching: StoragePredicate(
                """
                siteID = ? AND orderID = ? AND state NOT IN ('declined', 'cancelled', 'failed', 'reversed', 'refunded')
                """, siteID, order))
        if let other = others.first(where: { $0.id != own }) {
            throw JournalError.orderHasPayment(order: order, other.id, other.state)
        }
    }

    func load(_ id: PaymentID, from storage: any StorageType) throws -> Payment {
        guard let payment = try storage.loadObject(ofType: Payment.self, with: id) else {
            throw JournalError.paymentNotFound(id)
        }
        return payment
    }

    func attempts(of id: PaymentID, in storage: any StorageType) throws -> [PaymentAttempt] {
        try storage.allObjects(ofType: PaymentAttempt.self, matching: StoragePredicate("paymentID = ?", id))
    }

    /// An attempt and the others of its payment, in the order in which they began.
    private func attempts(withSiblingsOf id: Int64, in storage: any StorageType) throws -> [PaymentAttempt] {
        try storage.allObjects(
            ofType: PaymentAttempt.self,
            matching: StoragePredicate("paymentID = (SELECT paymentID FROM paymentAttempt WHERE id = ?)", id))
    }

    func write<T>(_ operation: (any StorageType) throws -> T) throws(JournalError) -> T {
        do { return try storage.performAndSave(operation) } catch { throw journalError(error) }
    }

    func read<T>(_ query: (any StorageType) throws -> T) throws(JournalError) -> T {
        do { return try storage.read(query) } catch { throw journalError(error) }
    }

    private func journalError(_ error: any Error) -> JournalError {
        switch error {
        case let error as JournalError: error
        case let error as MoneyError: .money(error)
        default: .storage(StorageError(error, path: storage.path ?? ":memory:"))
        }
    }
}
