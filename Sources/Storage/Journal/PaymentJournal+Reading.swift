extension PaymentJournal {
    /// Payments, newest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func payments(
        matching filter: PaymentFilter = PaymentFilter(), limit: Int? = nil
    ) throws(JournalError) -> [Payment] {
        try read { storage in
            try storage.allObjects(
                ofType: Payment.self, matching: filter.predicate, sortedBy: "id DESC", limit: limit)
        }
    }

    /// One payment.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func payment(_ id: PaymentID) throws(JournalError) -> Payment {
        try read { try load(id, from: $0) }
    }

    /// The attempts of a payment, in the order in which they began.
    public func attempts(of id: PaymentID) throws(JournalError) -> [PaymentAttempt] {
        try read { try attempts(of: id, in: $0) }
    }

    /// The history of an attempt, oldest line first.
    public func transitions(of attempt: Int64) throws(JournalError) -> [AttemptTransition] {
        try read { storage in
            try storage.allObjects(
                ofType: AttemptTransition.self, matching: StoragePredicate("attemptID = ?", attempt),
                sortedBy: "sequence", limit: nil)
        }
    }

    /// The receipts of a payment, or of every payment when `id` is nil, newest first.
    public func receipts(of id: PaymentID? = nil, limit: Int? = nil) throws(JournalError) -> [Receipt] {
        try read { storage in
            try storage.allObjects(
                ofType: Receipt.self, matching: id.map { StoragePredicate("paymentID = ?", $0) }, sortedBy: "id DESC",
                limit: limit)
        }
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

    /// The print jobs of a receipt, in the order in which they were made.
    public func printJobs(of receipt: Int64) throws(JournalError) -> [PrintJob] {
        try read { storage in
            try storage.allObjects(ofType: PrintJob.self, matching: StoragePredicate("receiptID = ?", receipt))
        }
    }
}
