public import Determinism
public import Payments

extension PaymentJournal {
    /// Returns the open attempts of this journal, and of processes that have ended, which this journal takes over in
    /// the same commit. Excludes the attempts of running processes. Oldest first.
    ///
    /// Call it at start, before taking payments; later, ignore the attempts that are in progress.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func openAttempts() throws(JournalError) -> [PaymentAttempt] {
        try takeOver(StoragePredicate("openState IS NOT NULL"))
    }

    /// Returns the matching attempts of this journal, and of processes that have ended, which it takes over.
    private func takeOver(_ predicate: StoragePredicate) throws(JournalError) -> [PaymentAttempt] {
        let found = try read { try available(predicate, in: $0) }
        guard found.contains(where: { $0.lease != lease.number }) else { return found }
        return try write { storage in
            // An attempt may have been taken over or completed in the meantime.
            try available(predicate, in: storage).map { attempt in
                guard attempt.lease != lease.number else { return attempt }
                var taken = attempt
                taken.lease = lease.number
                try storage.updateObject(taken)
                return taken
            }
        }
    }

    private func available(_ predicate: StoragePredicate, in storage: any StorageType) throws -> [PaymentAttempt] {
        try storage.allObjects(ofType: PaymentAttempt.self, matching: predicate)
            .filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
    }
}

extension PaymentJournal {
    /// Stores the advice about an attempt that has ended, as JSON text that the journal does not interpret. It moves no
    /// money; advice that does is stored by ``finish(_:as:details:receipt:detail:advice:at:)``.
    ///
    /// `identity` is what its message repeats, with card data that it demands, enciphered; it counts unless the attempt
    /// has one already.
    ///
    /// - Throws: ``JournalError/attemptNotFound(_:)``, ``JournalError/notOurs(attempt:lease:)``,
    ///   ``JournalError/storage(_:)``
    public func keepAdvice(
        _ advice: String, identity: MessageIdentity? = nil, for attempt: Int64
    ) throws(JournalError) {
        try change(attempt) { attempt in
            attempt.advice = advice
            attempt.identity = attempt.identity ?? identity
        }
    }

    /// Removes an advice that was sent.
    public func forgetAdvice(for attempt: Int64) throws(JournalError) { try change(attempt) { $0.advice = nil } }

    /// Returns the ended attempts with an advice that must still be sent: this journal's own, and those of processes
    /// that have ended, which this journal takes over. Oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func attemptsWithAdvice() throws(JournalError) -> [PaymentAttempt] {
        try takeOver(StoragePredicate("advice IS NOT NULL AND openState IS NULL"))
    }

    /// Stores what later messages must repeat of an attempt's message, before the first one leaves. It can be an
    /// advice; with `isCompletion`, it is the one that captures what the attempt authorized.
    ///
    /// - Returns: What is stored: `identity`, unless the attempt has one already.
    /// - Throws: As ``keepAdvice(_:identity:for:)``.
    public func keepIdentity(
        _ identity: MessageIdentity, for attempt: Int64, isCompletion: Bool = false
    ) throws(JournalError) -> MessageIdentity {
        try change(attempt) { attempt in
            guard !isCompletion else {
                let kept = attempt.completion?.identity ?? identity
                attempt.completion?.identity = kept
                return kept
            }
            let kept = attempt.identity ?? identity
            attempt.identity = kept
            return kept
        }
    }

    /// Returns an attempt.
    ///
    /// - Throws: ``JournalError/attemptNotFound(_:)``, ``JournalError/storage(_:)``
    public func attempt(_ id: Int64) throws(JournalError) -> PaymentAttempt {
        try read { storage in
            guard let attempt = try storage.loadObject(ofType: PaymentAttempt.self, with: id) else {
                throw JournalError.attemptNotFound(id)
            }
            return attempt
        }
    }

    /// Returns every attempt that the host has not finished with, oldest first: those without a result, and those with
    /// an advice to send. It takes none over.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func attemptsAwaitingHost() throws(JournalError) -> [PaymentAttempt] {
        try read { storage in
            try storage.allObjects(
                ofType: PaymentAttempt.self, matching: StoragePredicate("openState IS NOT NULL OR advice IS NOT NULL"),
                sortedBy: "id", limit: nil)
        }
    }

    /// Returns what stands in the queue of an attempt's host before the attempt may add an advice, in one look: the
    /// attempts whose advice waits, and how many payments of other processes that began earlier have no result. Of
    /// several that begin at once, each one counts those before it, so that all of them together keep a limit.
    ///
    /// - Parameter attempt: an attempt that is in the journal.
    /// - Returns: the attempts whose advice waits, and the number of those payments.
    /// - Throws: ``JournalError/storage(_:)``
    public func offlineQueue(
        before attempt: PaymentAttempt
    ) throws(JournalError) -> (waiting: [PaymentAttempt], running: Int) {
        try read { storage in
            let found = try storage.allObjects(
                ofType: PaymentAttempt.self,
                matching: StoragePredicate(
                    "hostName = ? AND (openState IS NOT NULL OR advice IS NOT NULL)", attempt.hostName))
            let running = try found.filter { other in
                guard other.kind == .sale, other.id < attempt.id, other.advice == nil,
                    other.state == .created || other.state == .authorizing
                else { return false }
                return try other.lease != lease.number && lease.isAlive(other.lease)
            }
            return (found.filter { $0.advice != nil }, running.count)
        }
    }

    private func setAdvice(_ advice: String?, for id: Int64) throws(JournalError) {
        try change(id) { $0.advice = advice }
    }

    /// Wipes the enciphered card data of pre-authorizations that have expired. What is held no longer can be captured
    /// or canceled by a person and the acquirer only.
    ///
    /// - Parameter moment: now.
    /// - Throws: ``JournalError/storage(_:)``
    public func wipeExpiredCardData(at moment: Timestamp) throws(JournalError) {
        let expired = StoragePredicate(
            """
            sealedCardData IS NOT NULL AND state = 'authorizedOnly'
            AND paymentID IN (SELECT payment.id FROM payment WHERE payment.holdExpiresAt <= ?)
            """, moment.milliseconds)
        guard try read({ try !$0.allObjects(ofType: PaymentAttempt.self, matching: expired).isEmpty }) else { return }
        try write { storage in
            for var attempt in try storage.allObjects(ofType: PaymentAttempt.self, matching: expired) {
                attempt.identity = attempt.identity?.keeping(nil)
                try storage.updateObject(attempt)
            }
        }
    }

    func change<T>(_ id: Int64, _ body: (inout PaymentAttempt) -> T) throws(JournalError) -> T {
        try write { storage in
            guard var attempt = try storage.loadObject(ofType: PaymentAttempt.self, with: id) else {
                throw JournalError.attemptNotFound(id)
            }
            guard attempt.lease == lease.number else {
                throw JournalError.notOurs(attempt: id, lease: attempt.lease)
            }
            let value = body(&attempt)
            try storage.updateObject(attempt)
            return value
        }
    }
}
