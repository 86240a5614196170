public import Determinism
import Money
public import Payments

/// The batches of a database that was restored from a backup. What the backup has without a batch may have been settled
/// after it was made, and batches that it lacks may have used the next numbers: the database shows neither.
extension PaymentJournal {
    /// How many numbers of batches and of their messages a restored database leaves out.
    static let restoredBatchGap: Int64 = 100

    /// Returns the transactions of a terminal that a restored backup has without a closed batch, oldest first. They may
    /// be in a batch that the host has closed since. A batch whose totals were sent is none of them: its message is
    /// repeated, and the host answers it as the first time.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func attemptsOfBackupToSettle(at place: SettlementPlace) throws(JournalError) -> [PaymentAttempt] {
        try read { storage in
            let through = try restoredThrough(in: storage)
            guard through > 0 else { return [] }
            let open = try openBatchesOfBackup(at: place, through: through, in: storage)
            var found = try open.flatMap { try attempts(in: $0.id, storage) }
            found += try unsettled(at: place, through: through, in: storage)
            return found.sorted { $0.id < $1.id }
        }
    }

    /// Closes what ``attemptsOfBackupToSettle(at:)`` returns, without a message: a person says that it was settled. It
    /// never belongs to another batch.
    ///
    /// - Parameters:
    ///   - place: the terminal and the host.
    ///   - moment: the time of the decision.
    ///   - request: makes what the journal has of a message, from the number of the batch and that of the message.
    /// - Returns: the closed batches, oldest first.
    /// - Throws: ``JournalError/storage(_:)``
    public func closeBatchesOfBackup(
        at place: SettlementPlace, moment: Timestamp, request: (_ batch: Int64, _ message: Int64) -> MessageIdentity
    ) throws(JournalError) -> [SettlementBatch] {
        try write { storage in
            let through = try restoredThrough(in: storage)
            let reason = "settled before the backup was restored, as a person said"
            var closed: [SettlementBatch] = []
            for var batch in try openBatchesOfBackup(at: place, through: through, in: storage) {
                (batch.state, batch.lastError, batch.closedAt) = (.closed, reason, moment)
                try storage.updateObject(batch)
                closed.append(batch)
            }
            let free = try unsettled(at: place, through: through, in: storage)
            let groups = Dictionary(grouping: free) { $0.amount.currency }
            for (currency, attempts) in groups.sorted(by: { $0.key.code < $1.key.code }) {
                let (number, message) = try nextBatchNumbers(at: place, in: storage)
                let batch = try storage.insertNewObject(
                    SettlementBatch(
                        place: place, number: number, currency: currency, state: .closed,
                        totals: SettlementTotals(of: attempts, countsReversed: true), request: request(number, message),
                        message: message, lastError: reason, openedAt: attempts.first?.createdAt ?? moment,
                        sentAt: moment, closedAt: moment))
                for attempt in attempts {
                    try storage.insertNewObject(BatchAttempt(attemptID: attempt.id, batchID: batch.id))
                }
                closed.append(batch)
            }
            return closed
        }
    }

    /// Returns the numbers of the next batch and of its message. Behind the last batch of a restored backup they leave
    /// some out, because batches that the backup lacks may have them.
    func nextBatchNumbers(
        at place: SettlementPlace, in storage: any StorageType
    ) throws -> (batch: Int64, message: Int64) {
        let through = try restoredThrough(in: storage)
        func gap(behind last: SettlementBatch?) throws -> Int64 {
            guard through > 0 else { return 0 }
            guard let last else { return Self.restoredBatchGap }
            let isOfBackup = try attempts(in: last.id, storage).allSatisfy { $0.id <= through }
            return isOfBackup ? Self.restoredBatchGap : 0
        }
        let batch = try storage.allObjects(ofType: SettlementBatch.self, matching: place.predicate).last
        let message = try storage.allObjects(
            ofType: SettlementBatch.self, matching: nil, sortedBy: "message DESC", limit: 1
        ).first
        let (batchGap, messageGap) = (try gap(behind: batch), try gap(behind: message))
        return (
            SettlementBatch.number(after: batch?.number, skipping: batchGap), (message?.message ?? 0) + messageGap + 1
        )
    }

    private func openBatchesOfBackup(
        at place: SettlementPlace, through: Int64, in storage: any StorageType
    ) throws -> [SettlementBatch] {
        try storage.allObjects(
            ofType: SettlementBatch.self, matching: place.predicate.and(StoragePredicate("state = 'open'"))
        ).filter { batch in
            try attempts(in: batch.id, storage).allSatisfy { $0.id <= through }
        }
    }

    private func unsettled(
        at place: SettlementPlace, through: Int64, in storage: any StorageType
    ) throws -> [PaymentAttempt] {
        try storage.allObjects(
            ofType: PaymentAttempt.self,
            matching: place.transactionsWithoutBatch.and(StoragePredicate("id <= ?", through)))
    }
}
