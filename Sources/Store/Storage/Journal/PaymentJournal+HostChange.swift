public import Determinism
public import Payments

/// A host for which nothing of a request left, so that another one got it.
public struct UnreachedHost: Hashable, Sendable {
    /// The address, `HOST:PORT`.
    public let address: String
    /// When that was noticed, or later.
    public let at: Timestamp
}

extension PaymentJournal {
    /// Records that the request of an attempt goes to another host, before it leaves. Certainly not one byte of it left
    /// for the host before; ``MessageIdentity/passedOver`` names that one. From now on, the attempt is taken back,
    /// captured, and refunded at the new host.
    ///
    /// - Parameters:
    ///   - id: the attempt, in the state `authorizing`.
    ///   - identity: what later messages repeat of the request to the new host.
    ///   - reason: the reason for the attempt's history.
    ///   - moment: now.
    /// - Throws: ``JournalError/attemptNotFound(_:)``, ``JournalError/notOurs(attempt:lease:)``,
    ///   ``JournalError/illegalTransition(attempt:from:to:)`` in another state, ``JournalError/storage(_:)``
    public func changeHost(
        of id: Int64, to identity: MessageIdentity, because reason: String, at moment: Timestamp
    ) throws(JournalError) {
        try write { storage in
            guard var attempt = try storage.loadObject(ofType: PaymentAttempt.self, with: id) else {
                throw JournalError.attemptNotFound(id)
            }
            guard attempt.lease == lease.number else {
                throw JournalError.notOurs(attempt: id, lease: attempt.lease)
            }
            guard attempt.state == .authorizing else {
                throw JournalError.illegalTransition(attempt: id, from: attempt.state, to: .authorizing)
            }
            attempt.identity = identity
            attempt.transitions += 1
            attempt.updatedAt = moment
            try storage.updateObject(attempt)
            try storage.insertNewObject(AttemptTransition(of: attempt, detail: reason))
        }
    }

    /// Returns the hosts for which nothing of a request left since a moment, as the last attempts have them, oldest
    /// first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func unreachedHosts(since moment: Timestamp) throws(JournalError) -> [UnreachedHost] {
        try read { storage in
            try storage.allObjects(
                ofType: PaymentAttempt.self,
                matching: StoragePredicate(
                    """
                    id > (SELECT max(id) FROM paymentAttempt) - 100 AND updatedAt >= ?
                    AND json_extract(messageIdentity, '$.passedOver') IS NOT NULL
                    """, moment.milliseconds)
            ).flatMap { attempt in
                (attempt.identity?.passedOver ?? []).map { UnreachedHost(address: $0, at: attempt.updatedAt) }
            }
        }
    }
}
