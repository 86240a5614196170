public import Determinism

extension PaymentJournal {
    /// Issues a new version of a receipt of a payment: of the newest one of its kind. What has none yet is said of the
    /// payment's last attempt.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func saveReceipt(
        _ draft: ReceiptDraft, of id: PaymentID, at moment: Timestamp
    ) throws(JournalError) -> Receipt {
        try write { storage in
            let payment = try load(id, from: storage)
            let attempts = try attempts(of: id, in: storage)
            let newest = try storage.allObjects(
                ofType: Receipt.self, matching: StoragePredicate("paymentID = ? AND kind = ?", id, draft.kind),
                sortedBy: "id DESC", limit: 1
            ).first
            guard let attempt = attempts.first(where: { $0.id == newest?.attemptID }) ?? attempts.last else {
                throw UnreadableRow(table: PaymentAttempt.entityName, column: "paymentID")
            }
            return try issue(draft, of: payment, attempt, at: moment, in: storage)
        }
    }

    /// Writes a receipt: the only way into its table, from which nothing is changed or taken.
    func issue(
        _ draft: ReceiptDraft, of payment: Payment, _ attempt: PaymentAttempt, at moment: Timestamp,
        in storage: any StorageType
    ) throws -> Receipt {
        let earlier = try storage.countObjects(
            ofType: Receipt.self,
            matching: StoragePredicate(
                "paymentID = ? AND kind = ? AND attemptID = ?", payment.id, draft.kind, attempt.id))
        return try storage.insertNewObject(
            Receipt(draft, of: payment, attempt, version: Int64(earlier) + 1, createdAt: moment))
    }

    /// The receipts that a filter means, newest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func receipts(
        matching filter: ReceiptFilter, limit: Int? = nil
    ) throws(JournalError) -> [Receipt] {
        try read { storage in
            try storage.allObjects(
                ofType: Receipt.self, matching: filter.predicate, sortedBy: "id DESC", limit: limit)
        }
    }

    /// How many receipts a filter means.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func countReceipts(matching filter: ReceiptFilter) throws(JournalError) -> Int {
        try read { try $0.countObjects(ofType: Receipt.self, matching: filter.predicate ?? .all) }
    }

    /// The receipts of a payment, or of every payment when `id` is nil, newest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func receipts(of id: PaymentID? = nil, limit: Int? = nil) throws(JournalError) -> [Receipt] {
        try receipts(matching: ReceiptFilter(paymentID: id), limit: limit)
    }

    /// One receipt.
    ///
    /// - Throws: ``JournalError/receiptNotFound(_:)``, ``JournalError/storage(_:)``
    public func receipt(_ id: Int64) throws(JournalError) -> Receipt {
        try read { storage in
            guard let receipt = try storage.loadObject(ofType: Receipt.self, with: id) else {
                throw JournalError.receiptNotFound(id)
            }
            return receipt
        }
    }
}
