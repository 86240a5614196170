extension PaymentJournal {
    /// Keeps what the host is to be told of an attempt once that has come to an end: JSON text that means
    /// something to its maker only. It moves no money; what does goes with
    /// ``finish(_:as:details:receipt:detail:advice:at:)``.
    ///
    /// - Throws: ``JournalError/attemptNotFound(_:)``, ``JournalError/notOurs(attempt:lease:)``,
    ///   ``JournalError/storage(_:)``
    public func keepAdvice(_ advice: String, for attempt: Int64) throws(JournalError) {
        try setAdvice(advice, for: attempt)
    }

    /// Forgets it: the host has been told.
    public func forgetAdvice(for attempt: Int64) throws(JournalError) { try setAdvice(nil, for: attempt) }

    /// Attempts that have come to an end and of which the host has still to be told something: this journal's own,
    /// and those whose process is gone, which become this journal's own. Oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func attemptsToTell() throws(JournalError) -> [PaymentAttempt] {
        let untold = try read { try attemptsToTell(in: $0) }
        guard untold.contains(where: { $0.lease != lease.number }) else { return untold }
        return try write { storage in
            try attemptsToTell(in: storage).map { attempt in
                guard attempt.lease != lease.number else { return attempt }
                var taken = attempt
                taken.lease = lease.number
                try storage.updateObject(taken)
                return taken
            }
        }
    }

    private func attemptsToTell(in storage: any StorageType) throws -> [PaymentAttempt] {
        try storage.allObjects(
            ofType: PaymentAttempt.self, matching: StoragePredicate("advice IS NOT NULL AND openState IS NULL")
        ).filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
    }

    private func setAdvice(_ advice: String?, for id: Int64) throws(JournalError) {
        try write { storage in
            guard var attempt = try storage.loadObject(ofType: PaymentAttempt.self, with: id) else {
                throw JournalError.attemptNotFound(id)
            }
            guard attempt.lease == lease.number else {
                throw JournalError.notOurs(attempt: id, lease: attempt.lease)
            }
            attempt.advice = advice
            try storage.updateObject(attempt)
        }
    }
}
