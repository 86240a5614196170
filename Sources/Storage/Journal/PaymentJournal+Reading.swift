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
}
