public import Determinism

extension PaymentJournal {
    /// Records that a receipt is about to be printed, and whether its paper has to be marked as a duplicate: it has
    /// when the same copy may be on paper already, in whatever version. Call it before anything is handed over.
    ///
    /// - Throws: ``JournalError/receiptNotFound(_:)``, ``JournalError/storage(_:)``
    public func recordPrintJob(_ draft: PrintJobDraft, at moment: Timestamp) throws(JournalError) -> PrintJob {
        try write { storage in
            guard let receipt = try storage.loadObject(ofType: Receipt.self, with: draft.receiptID) else {
                throw JournalError.receiptNotFound(draft.receiptID)
            }
            let printed = Self.printJobs(ofVersionsOf: receipt)
                .and(StoragePredicate("copy = ? AND mayBePrinted = 1", draft.copy))
            let isDuplicate = try draft.isMarked || storage.countObjects(ofType: PrintJob.self, matching: printed) > 0
            let job = try storage.insertNewObject(
                PrintJob(draft, isDuplicate: isDuplicate, lease: lease.number, createdAt: moment))
            try storage.insertNewObject(PrintJobTransition(of: job))
            return job
        }
    }

    /// What tells this database from every other: 16 hexadecimal digits.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func databaseID() throws(JournalError) -> String {
        try read { try StoreIdentity.load(from: $0).databaseID }
    }

    /// Records what was heard of a job, whoever heard it. What says nothing new writes nothing.
    ///
    /// - Throws: ``JournalError/printJobNotFound(_:)``, ``JournalError/illegalPrintJob(_:from:to:)``,
    ///   ``JournalError/storage(_:)``
    @discardableResult
    public func updatePrintJob(
        _ id: Int64, _ report: PrintJobReport, at moment: Timestamp
    ) throws(JournalError) -> PrintJob {
        try write { storage in
            var job = try loadPrintJob(id, from: storage)
            let before = job
            job.state = report.state
            job.jobID = report.jobID ?? job.jobID
            (job.reasons, job.message) = (report.reasons.joined(separator: " "), report.message)
            job.isOpen = !report.state.isFinal && !report.isLastWord
            job.mayBePrinted = job.mayBePrinted && !(report.state == .failed && report.isUnprinted)
            // Asked again, a job that has ended says what it said.
            guard job != before, !(before.state.isFinal && job.state == before.state) else { return before }
            guard before.state.successors.contains(job.state) else {
                throw JournalError.illegalPrintJob(id, from: before.state, to: job.state)
            }
            job.transitions += 1
            job.updatedAt = moment
            try storage.updateObject(job)
            try storage.insertNewObject(PrintJobTransition(of: job))
            return job
        }
    }

    /// The jobs that somebody has to ask about: those of processes that are gone, and this journal's own. Oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func openPrintJobs() throws(JournalError) -> [PrintJob] {
        try read { storage in
            try storage.allObjects(ofType: PrintJob.self, matching: StoragePredicate("isOpen = 1"))
                .filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
        }
    }

    /// Whether another process, which lives, works on a job.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func isBeingPrinted(_ job: PrintJob) throws(JournalError) -> Bool {
        try read { _ in try job.isOpen && job.lease != lease.number && lease.isAlive(job.lease) }
    }

    /// One print job.
    ///
    /// - Throws: ``JournalError/printJobNotFound(_:)``, ``JournalError/storage(_:)``
    public func printJob(_ id: Int64) throws(JournalError) -> PrintJob {
        try read { try loadPrintJob(id, from: $0) }
    }

    /// The print jobs of a receipt in all of its versions, in the order in which they were made.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func printJobs(of receipt: Receipt) throws(JournalError) -> [PrintJob] {
        try read { storage in
            try storage.allObjects(ofType: PrintJob.self, matching: Self.printJobs(ofVersionsOf: receipt))
        }
    }

    /// The print jobs of a payment, or of every payment when `id` is nil, newest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func printJobs(of id: PaymentID?, limit: Int? = nil) throws(JournalError) -> [PrintJob] {
        try read { storage in
            try storage.allObjects(
                ofType: PrintJob.self,
                matching: id.map {
                    StoragePredicate("receiptID IN (SELECT id FROM receipt WHERE paymentID = ?)", $0)
                }, sortedBy: "id DESC", limit: limit)
        }
    }

    /// The history of a print job, oldest line first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func printJobTransitions(of job: Int64) throws(JournalError) -> [PrintJobTransition] {
        try read { storage in
            try storage.allObjects(
                ofType: PrintJobTransition.self, matching: StoragePredicate("printJobID = ?", job),
                sortedBy: "sequence", limit: nil)
        }
    }

    private func loadPrintJob(_ id: Int64, from storage: any StorageType) throws -> PrintJob {
        guard let job = try storage.loadObject(ofType: PrintJob.self, with: id) else {
            throw JournalError.printJobNotFound(id)
        }
        return job
    }

    private static func printJobs(ofVersionsOf receipt: Receipt) -> StoragePredicate {
        StoragePredicate(
            "receiptID IN (SELECT id FROM receipt WHERE paymentID = ? AND kind = ? AND attemptID IS ?)",
            receipt.paymentID, receipt.kind, receipt.attemptID)
    }
}
