public import Determinism
public import Money
public import Payments

/// The record of every attempt to move money, written before the money can move.
///
/// A normal approved sale takes three durable commits: ``begin(siteID:orderID:amount:hostName:at:)``,
/// ``markAuthorizing(_:details:at:)`` before anything is sent, and ``finish(_:as:details:receipt:detail:at:)``. Every
/// step writes the attempt's state, an entry of its history, and the payment's derived state in one transaction. Each
/// call blocks its thread while the disk flushes; see ``StorageManagerType``.
public struct PaymentJournal: Sendable {
    let storage: any StorageManagerType
    let lease: ProcessLease

    /// Opens the journal of a database. New attempts belong to `lease`, a lease of the same database.
    public init(storage: any StorageManagerType, lease: ProcessLease) {
        (self.storage, self.lease) = (storage, lease)
    }

    /// Opens the journal of a database that is open for reading only. It takes over no attempts.
    public init(reading storage: any StorageManagerType) {
        (self.storage, lease) = (storage, ProcessLease(ofReader: storage))
    }

    /// Records a new payment and its first sale attempt. `heldUntil` is the end of a pre-authorization; nil for a
    /// payment that is captured at once. `tillRequest` is the name of the till's request that it is for, which gets
    /// the attempt in the same transaction.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func begin(
        siteID: Int64, orderID: Int64?, amount: Money, heldUntil: Timestamp? = nil, hostName: String,
        tillRequest: String? = nil, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            let payment = try storage.insertNewObject(
                Payment(siteID: siteID, orderID: orderID, amount: amount, heldUntil: heldUntil, createdAt: moment))
            // A new payment is written with the state after its first attempt, so there is nothing to update.
            let attempt = try add(.sale, of: amount, to: payment, hostName: hostName, at: moment, in: storage)
            try bind(tillRequest, to: attempt, in: storage)
            return JournalEntry(payment: payment, attempt: attempt, receipt: nil)
        }
    }

    /// Records a new payment of an order at a store site, its first sale attempt, and the planned notification of the
    /// site.
    ///
    /// - Throws: ``JournalError/orderHasPayment(order:_:_:)`` when another payment of the order succeeded, or may have;
    ///   ``JournalError/storage(_:)``
    public func begin(
        _ order: OrderToPay, amount: Money, hostName: String, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            try checkIsFree(order.orderID, siteID: order.siteID, besides: nil, in: storage)
            let payment = try storage.insertNewObject(
                Payment(siteID: order.siteID, orderID: order.orderID, amount: amount, createdAt: moment))
            try storage.insertNewObject(OrderPaymentNotification(order, of: payment, lease: lease.number))
            let attempt = try add(.sale, of: amount, to: payment, hostName: hostName, at: moment, in: storage)
            return JournalEntry(payment: payment, attempt: attempt, receipt: nil)
        }
    }

    /// Records another sale attempt of a payment whose earlier attempts certainly moved no money. A pre-authorization
    /// then lasts as long from now as the one before, and has no increments.
    ///
    /// - Throws: ``JournalError/notRetriable(_:_:)`` while the outcome is open or unknown, and after the payment
    ///   succeeded; ``JournalError/orderHasPayment(order:_:_:)`` when the order has another payment in the meantime.
    public func retry(
        _ id: PaymentID, hostName: String, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            var payment = try load(id, from: storage)
            let sales = try attempts(of: id, in: storage).filter { $0.kind == .sale }
            guard sales.allSatisfy(\.state.movedNothing) else { throw JournalError.notRetriable(id, payment.state) }
            // After the backup, the payment may have been retried with success.
            let restored = try restoredThrough(in: storage)
            guard sales.allSatisfy({ $0.id > restored }) else {
                throw JournalError.notRetriable(id, payment.state)
            }
            if let order = payment.orderID,
                try storage.loadObject(ofType: OrderPaymentNotification.self, with: id) != nil
            {
                try checkIsFree(order, siteID: payment.siteID, besides: id, in: storage)
            }
            if payment.preauthorization != nil, let last = sales.last {
                payment.preauthorization?.begin(at: moment, after: last.createdAt)
                try storage.updateObject(payment)
            }
            let amount = payment.requestedAmount ?? payment.amount
            let attempt = try add(.sale, of: amount, to: payment, hostName: hostName, at: moment, in: storage)
            let updated = try updatePayment(after: attempt, among: sales + [attempt], at: moment, in: storage)
            return JournalEntry(payment: updated, attempt: attempt, receipt: nil)
        }
    }

    /// Records a refund attempt. Refunds that are in progress, or whose outcome is unknown, count as refunded. `lines`
    /// are those of the order that the refund names; the caller has compared their sum with `amount`. `tillRequest` is
    /// the name of the till's request that it is for.
    ///
    /// - Throws: ``JournalError/notRefundable(_:_:)``, ``JournalError/refundTooLarge(_:requested:available:)``,
    ///   ``JournalError/money(_:)`` when the currency differs.
    public func beginRefund(
        of id: PaymentID, amount: Money, lines: [RefundedLine] = [], hostName: String, tillRequest: String? = nil,
        at moment: Timestamp
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
            let attempt = try add(
                .refund, of: amount, lines: lines, to: payment, hostName: hostName, at: moment, in: storage)
            try bind(tillRequest, to: attempt, in: storage)
            let updated = try updatePayment(after: attempt, among: attempts + [attempt], at: moment, in: storage)
            return JournalEntry(payment: updated, attempt: attempt, receipt: nil)
        }
    }

    /// Records that the request is about to be sent, with the card data known so far, and with what later messages must
    /// repeat of it. The history has why it goes to another host than its route says.
    ///
    /// - Throws: ``JournalError/illegalTransition(attempt:from:to:)``, ``JournalError/notOurs(attempt:lease:)``,
    ///   ``JournalError/attemptNotFound(_:)``, ``JournalError/storage(_:)``, like all steps below.
    @discardableResult
    public func markAuthorizing(
        _ attempt: Int64, details: PaymentDetails = PaymentDetails(), identity: MessageIdentity? = nil,
        at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try move(attempt, to: .authorizing, details: details, identity: identity, at: moment)
    }

    /// Records the end of an attempt, with the card data, the answer, and the receipt, in one commit. The state is
    /// final, or `.authorized` or `.authorizedOnly` when the capture is still to come; `amount` is what the host
    /// approved, nil for all; `detail` is the reason for the attempt's history, `advice` the advice that must still be
    /// sent to the host, as JSON text, and `offlineCard` a card that approved offline; see ``CardRegister``. An
    /// approved increment raises what its sale holds, which then expires at `heldUntil`; nil when that stays as it was.
    /// `identity` is that of an advice that is the attempt's first message.
    @discardableResult
    public func finish(
        _ attempt: Int64, as state: AttemptState, amount: Money? = nil, details: PaymentDetails = PaymentDetails(),
        hostReference: String? = nil, receipt: ReceiptDraft? = nil, detail: String? = nil, advice: String? = nil,
        offlineCard: CardFingerprint? = nil, heldUntil: Timestamp? = nil, identity: MessageIdentity? = nil,
        at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            try move(
                attempt, to: state, amount: amount, details: details, identity: identity, hostReference: hostReference,
                receipt: receipt, detail: detail, advice: advice, offlineCard: offlineCard, heldUntil: heldUntil,
                at: moment, in: storage)
        }
    }

    /// Records that the attempt is about to be reversed, and why. Call it again after a reversal without an answer.
    @discardableResult
    public func markReversing(
        _ attempt: Int64, reason: String, details: PaymentDetails = PaymentDetails(), at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try move(attempt, to: .reversing, details: details, detail: reason, at: moment)
    }

    /// Records that the outcome of the attempt is unknown. Call it again after an inquiry without an answer.
    @discardableResult
    public func markUnknown(
        _ attempt: Int64, reason: String, details: PaymentDetails = PaymentDetails(), receipt: ReceiptDraft? = nil,
        at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try move(attempt, to: .unknown, details: details, receipt: receipt, detail: reason, at: moment)
    }

    private func move(
        _ id: Int64, to state: AttemptState, details: PaymentDetails, identity: MessageIdentity? = nil,
        receipt: ReceiptDraft? = nil, detail: String? = nil, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            try move(
                id, to: state, amount: nil, details: details, identity: identity, receipt: receipt, detail: detail,
                at: moment, in: storage)
        }
    }

    /// Writes a step within a transaction.
    func move(
        _ id: Int64, to state: AttemptState, amount: Money?, details: PaymentDetails, identity: MessageIdentity? = nil,
        hostReference: String? = nil, receipt: ReceiptDraft? = nil, detail: String? = nil, advice: String? = nil,
        offlineCard: CardFingerprint? = nil, heldUntil: Timestamp? = nil, at moment: Timestamp,
        in storage: any StorageType
    ) throws -> JournalEntry {
        var attempts = try attempts(withSiblingsOf: id, in: storage)
        guard let place = attempts.firstIndex(where: { $0.id == id }) else {
            throw JournalError.attemptNotFound(id)
        }
        var attempt = attempts[place]
        // No process works on a pre-authorization before a person asks for it.
        guard attempt.lease == lease.number || attempt.state == .authorizedOnly else {
            throw JournalError.notOurs(attempt: id, lease: attempt.lease)
        }
        guard attempt.state.successors.contains(state) else {
            throw JournalError.illegalTransition(attempt: id, from: attempt.state, to: state)
        }
        // The advice of an authorized attempt belongs to its approval.
        attempt.advice = advice ?? (attempt.state == .authorized ? nil : attempt.advice)
        if attempt.state == .authorizedOnly {
            attempt.lease = lease.number
            if state == .authorized { attempt.completion = try newCompletion(in: storage) }
        }
        attempt.state = state
        attempt.amount = amount ?? attempt.amount
        attempt.transitions += 1
        attempt.updatedAt = moment
        attempt.identity = identity ?? attempt.identity
        // What no later message can need is wiped in the same commit.
        attempt.identity = attempt.identity?.keeping(attempt.sealedCardData)
        attempt.hostReference = hostReference ?? details.card?.hostReference ?? attempt.hostReference
        attempt.lastError = details.errorMessage ?? detail ?? attempt.lastError
        if state == .authorizedOnly {
            attempt.identity = attempt.identity?.answered(
                reference: attempt.hostReference, authorizationCode: details.card?.authorizationCode)
        }
        try storage.updateObject(attempt)
        // Why it goes to another host is no failure of the attempt.
        let words = detail ?? (state == .authorizing ? identity?.detour : nil)
        try storage.insertNewObject(AttemptTransition(of: attempt, detail: words))
        if let offlineCard {
            try storage.insertNewObject(OfflineSale(attempt, card: offlineCard, madeAt: moment))
        }
        attempts[place] = attempt
        var payment = try updatePayment(after: attempt, among: attempts, details: details, at: moment, in: storage)
        if attempt.kind == .increment, state == .authorizedOnly {
            payment = try raise(payment, by: attempt, among: attempts, heldUntil: heldUntil, at: moment, in: storage)
        }
        try updateNotification(of: payment, after: attempt, in: storage)
        try planRefundNotification(of: attempt, at: moment, in: storage)
        let stored = try receipt.map { try issue($0, of: payment, attempt, at: moment, in: storage) }
        return JournalEntry(payment: payment, attempt: attempt, receipt: stored)
    }

    func add(
        _ kind: PaymentAttempt.Kind, of amount: Money, lines: [RefundedLine] = [], to payment: Payment,
        hostName: String, at moment: Timestamp, in storage: any StorageType
    ) throws -> PaymentAttempt {
        var identity = try DatabaseIdentity.load(from: storage)
        let (number, key, stan) = identity.nextAttempt()
        try storage.updateObject(identity)
        let attempt = try storage.insertNewObject(
            PaymentAttempt(
                id: number, paymentID: payment.id, kind: kind, key: key, stan: stan,
                hostName: hostName, amount: amount, lease: lease.number, lines: lines, createdAt: moment,
                updatedAt: moment))
        try storage.insertNewObject(AttemptTransition(of: attempt, detail: nil))
        return attempt
    }

    /// Updates a payment from all its attempts after one of them has changed.
    private func updatePayment(
        after attempt: PaymentAttempt, among attempts: [PaymentAttempt], details: PaymentDetails = PaymentDetails(),
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
        // A refund does not change the card details of the payment, and a new attempt has none yet: the details of the
        // earlier attempt stay with that attempt.
        if attempt.kind == .sale {
            payment.details = attempt.state == .created ? details : payment.details.merging(details)
            payment.takeAmount(of: attempt)
        }
        payment.updatedAt = moment
        try storage.updateObject(payment)
        return payment
    }

    /// The notification becomes due in the same commit as the approval.
    private func updateNotification(
        of payment: Payment, after attempt: PaymentAttempt, in storage: any StorageType
    ) throws {
        guard payment.orderID != nil, attempt.kind == .sale,
            var capture = try storage.loadObject(ofType: OrderPaymentNotification.self, with: payment.id),
            capture.follow(attempt)
        else { return }
        try storage.updateObject(capture)
    }

    /// Two payments of one order would charge the customer twice.
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

    /// Returns an attempt and the others of its payment, oldest first.
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
