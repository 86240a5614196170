extension PaymentJournal {
    /// The attempts that somebody has to bring to an end: this journal's own, and those whose process is
    /// gone, which become this journal's own in the same commit. What a living process works on is not among
    /// them. Oldest first.
    ///
    /// Call it at start, before taking payments; later, leave out the attempts that are being worked on.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func openAttempts() throws(JournalError) -> [PaymentAttempt] {
        let open = try read { try openAttempts(in: $0) }
        guard open.contains(where: { $0.lease != lease.number }) else { return open }
        return try write { storage in
            // What was open a moment ago may have been taken over, or ended, since.
            try openAttempts(in: storage).map { attempt in
                guard attempt.lease != lease.number else { return attempt }
                var taken = attempt
                taken.lease = lease.number
                try storage.updateObject(taken)
                return taken
            }
        }
    }

    private func openAttempts(in storage: any StorageType) throws -> [PaymentAttempt] {
        try storage.allObjects(ofType: PaymentAttempt.self, matching: StoragePredicate("openState IS NOT NULL"))
            .filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
    }
}
