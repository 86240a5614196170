public import Determinism

extension PaymentJournal {
    /// Records that a receipt is about to be printed. Call it before the job is handed to the print server.
    ///
    /// - Throws: ``JournalError/receiptNotFound(_:)``, ``JournalError/storage(_:)``
    public func recordPrintJob(
        receipt id: Int64, printer: String, copy: PrintJob.Copy, copies: Int = 1, at moment: Timestamp
    ) throws(JournalError) -> PrintJob {
        try write { storage in
            guard try storage.loadObject(ofType: Receipt.self, with: id) != nil else {
                throw JournalError.receiptNotFound(id)
            }
            return try storage.insertNewObject(
                PrintJob(receiptID: id, printer: printer, copy: copy, copies: copies, createdAt: moment))
        }
    }

    /// Records what the print server says of a job; `jobID` is its number for the job, once it has given one.
    ///
    /// - Throws: ``JournalError/printJobNotFound(_:)``, ``JournalError/storage(_:)``
    @discardableResult
    public func updatePrintJob(
        _ id: Int64, jobID: Int64? = nil, state: PrintJob.State, stateReasons: String = "", at moment: Timestamp
    ) throws(JournalError) -> PrintJob {
        try write { storage in
            guard var job = try storage.loadObject(ofType: PrintJob.self, with: id) else {
                throw JournalError.printJobNotFound(id)
            }
            job.jobID = jobID ?? job.jobID
            (job.state, job.stateReasons, job.updatedAt) = (state, stateReasons, moment)
            try storage.updateObject(job)
            return job
        }
    }
}
