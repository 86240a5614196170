public import Determinism

extension PaymentJournal {
    /// Stores a receipt beside those that came with the payment's own steps.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func saveReceipt(
        _ draft: ReceiptDraft, of id: PaymentID, at moment: Timestamp
    ) throws(JournalError) -> Receipt {
        try write { storage in
            let payment = try load(id, from: storage)
            return try storage.insertNewObject(Receipt(draft, of: payment.id, createdAt: moment))
        }
    }
}
