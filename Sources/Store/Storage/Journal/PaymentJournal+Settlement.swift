public import Determinism
public import Money
public import Payments

extension PaymentJournal {
    /// Returns the currencies in which a terminal has something to settle at a host: transactions without a batch, and
    /// batches that the host has not agreed to. In alphabetical order.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func currenciesToSettle(at place: SettlementPlace) throws(JournalError) -> [Currency] {
        try read { storage in
            let open = try storage.allObjects(
                ofType: SettlementBatch.self, matching: place.predicate.and(StoragePredicate("state <> 'closed'")))
            let free = try storage.allObjects(
                ofType: PaymentAttempt.self, matching: place.transactionsWithoutBatch)
            return Set(open.map(\.currency) + free.map(\.amount.currency)).sorted { $0.code < $1.code }
        }
    }

    /// Adds up the open batch of a terminal, and records that its totals are about to be sent.
    ///
    /// While a batch was sent and has no answer, nothing is added up: that batch is returned, with one more try, and
    /// its message must be repeated. A transaction gets its batch in the same commit, and never another one.
    ///
    /// - Parameters:
    ///   - place: the terminal and the host.
    ///   - currency: the currency of the batch.
    ///   - countsReversed: whether what was taken back counts, on both sides.
    ///   - moment: the time of the message.
    ///   - request: makes what a repeat has in common with the message, from the number of the batch and that of the
    ///     message.
    /// - Returns: the batch; nil when there is nothing to settle.
    /// - Throws: ``JournalError/storage(_:)``
    public func beginSettlement(
        at place: SettlementPlace, in currency: Currency, countingReversed countsReversed: Bool, moment: Timestamp,
        request: (_ batch: Int64, _ message: Int64) -> MessageIdentity
    ) throws(JournalError) -> SettlementBatch? {
        try write { storage in
            let batches = try storage.allObjects(ofType: SettlementBatch.self, matching: place.predicate)
            let open = batches.last { $0.state != .closed && $0.currency == currency }
            if var sent = open, sent.state == .sent {
                sent.tries += 1
                try storage.updateObject(sent)
                return sent
            }
            let free = try storage.allObjects(
                ofType: PaymentAttempt.self,
                matching: place.transactionsWithoutBatch.and(StoragePredicate("currency = ?", currency.code)))
            guard open != nil || !free.isEmpty else { return nil }
            let next = try nextBatchNumbers(at: place, in: storage)
            let message = next.message
            let others = try open.map { try attempts(in: $0.id, storage) } ?? []
            let totals = SettlementTotals(of: others + free, countsReversed: countsReversed)
            let number = open?.number ?? next.batch
            let identity = request(number, message)
            let batch: SettlementBatch
            if var reopened = open {
                (reopened.state, reopened.totals, reopened.hostTotals) = (.sent, totals, nil)
                (reopened.request, reopened.message, reopened.tries) = (identity, message, 1)
                (reopened.responseCode, reopened.lastError, reopened.sentAt) = (nil, nil, moment)
                try storage.updateObject(reopened)
                batch = reopened
            } else {
                batch = try storage.insertNewObject(
                    SettlementBatch(
                        place: place, number: number, currency: currency, totals: totals, request: identity,
                        message: message, openedAt: free.first?.createdAt ?? moment, sentAt: moment))
            }
            for attempt in free {
                try storage.insertNewObject(BatchAttempt(attemptID: attempt.id, batchID: batch.id))
            }
            return batch
        }
    }

    /// Records that the host agreed with a batch, which closes it. One that is closed already stays as it is.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func closeBatch(
        _ batch: SettlementBatch, code: String, hostTotals: SettlementTotals?, at moment: Timestamp
    ) throws(JournalError) -> SettlementBatch {
        try answered(batch) { batch in
            (batch.state, batch.responseCode, batch.hostTotals) = (.closed, code, hostTotals)
            (batch.lastError, batch.closedAt) = (nil, moment)
        }
    }

    /// Records that the host did not agree: the batch is open again, and the next settlement adds up again.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func reopenBatch(
        _ batch: SettlementBatch, code: String?, hostTotals: SettlementTotals?, reason: String
    ) throws(JournalError) -> SettlementBatch {
        try answered(batch) { batch in
            (batch.state, batch.responseCode, batch.hostTotals) = (.open, code, hostTotals)
            batch.lastError = reason
        }
    }

    /// Closes a batch with the totals that the host told in its last answer, because a person accepts them. Nothing is
    /// sent; the batch keeps our totals beside the host's. What came after it was added up belongs to the next batch.
    ///
    /// - Returns: the batch; as it is stored when it is not open any more, or has another answer by now.
    /// - Throws: ``JournalError/storage(_:)``
    public func acceptHost(_ batch: SettlementBatch, at moment: Timestamp) throws(JournalError) -> SettlementBatch {
        try write { storage in
            guard var stored = try storage.loadObject(ofType: SettlementBatch.self, with: batch.id) else {
                throw UnreadableRow(table: SettlementBatch.databaseTableName, column: "id")
            }
            guard stored.state == .open, stored.message == batch.message, stored.hostTotals == batch.hostTotals,
                stored.hostTotals != nil
            else { return stored }
            (stored.state, stored.closedAt, stored.isHostAccepted) = (.closed, moment, true)
            try storage.updateObject(stored)
            return stored
        }
    }

    /// Records why a batch has no answer. It is repeated later.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func noteUnanswered(_ batch: SettlementBatch, reason: String) throws(JournalError) -> SettlementBatch {
        try answered(batch) { $0.lastError = reason }
    }

    /// Changes a batch, unless another process has sent a later message of it or has closed it.
    private func answered(
        _ batch: SettlementBatch, _ change: (inout SettlementBatch) -> Void
    ) throws(JournalError) -> SettlementBatch {
        try write { storage in
            guard var stored = try storage.loadObject(ofType: SettlementBatch.self, with: batch.id) else {
                throw UnreadableRow(table: SettlementBatch.databaseTableName, column: "id")
            }
            guard stored.state == .sent, stored.message == batch.message else { return stored }
            change(&stored)
            try storage.updateObject(stored)
            return stored
        }
    }

    /// Returns the batches of a terminal, or all, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func batches(at place: SettlementPlace? = nil) throws(JournalError) -> [SettlementBatch] {
        try read { try $0.allObjects(ofType: SettlementBatch.self, matching: place?.predicate ?? .all) }
    }

    /// Returns the attempts that belong to a batch, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func attempts(inBatch id: Int64) throws(JournalError) -> [PaymentAttempt] {
        try read { try attempts(in: id, $0) }
    }

    /// Returns where else transactions wait for a settlement: at addresses, and under numbers of the terminal, that the
    /// configuration had before.
    ///
    /// - Parameters:
    ///   - hostName: the name of the hosts in the journal.
    ///   - places: what the configuration has now.
    /// - Returns: each other place, with the number of its transactions; the place of the oldest one first.
    /// - Throws: ``JournalError/storage(_:)``
    public func unsettledPlaces(
        of hostName: String, besides places: [SettlementPlace]
    ) throws(JournalError) -> [(place: SettlementPlace, count: Int)] {
        let attempts = try read {
            try $0.allObjects(
                ofType: PaymentAttempt.self,
                matching: StoragePredicate(
                    """
                    hostName = ? AND amount > 0 AND kind <> 'increment' AND state = 'captured'
                    AND json_extract(messageIdentity, '$.destination') IS NOT NULL
                    AND id NOT IN (SELECT attemptID FROM batchAttempt)
                    """, hostName))
        }
        var found: [(place: SettlementPlace, count: Int)] = []
        for identity in attempts.compactMap(\.identity) {
            guard let destination = identity.destination else { continue }
            let terminal = String((identity[41] ?? "").reversed().drop { $0 == " " }.reversed())
            let place = SettlementPlace(hostName: hostName, destination: destination, terminal: terminal)
            guard !places.contains(place) else { continue }
            if let index = found.firstIndex(where: { $0.place == place }) {
                found[index].count += 1
            } else {
                found.append((place, 1))
            }
        }
        return found
    }

    /// Returns the transactions of a terminal that belong to no batch yet, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func attemptsWithoutBatch(at place: SettlementPlace) throws(JournalError) -> [PaymentAttempt] {
        try read { try $0.allObjects(ofType: PaymentAttempt.self, matching: place.transactionsWithoutBatch) }
    }

    /// Returns what must end before a terminal settles, oldest first: requests without a result, reversals that are not
    /// confirmed, and advices that the host does not have. What went to another host is left out.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func attemptsBeforeSettlement(at place: SettlementPlace) throws(JournalError) -> [PaymentAttempt] {
        // An authorization whose money is taken later belongs to the batch of that day.
        try attemptsAwaitingHost().filter { attempt in
            attempt.hostName == place.hostName && (attempt.state != .authorized || attempt.advice != nil)
                && attempt.identity?.destination ?? place.destination == place.destination
        }
    }

    func attempts(in batch: Int64, _ storage: any StorageType) throws -> [PaymentAttempt] {
        try storage.allObjects(
            ofType: PaymentAttempt.self,
            matching: StoragePredicate("id IN (SELECT attemptID FROM batchAttempt WHERE batchID = ?)", batch))
    }
}

extension SettlementBatch {
    private static let numbers: ClosedRange<Int64> = 1...999_999

    /// The number of the batch behind the one with this number, without as many as `gap`.
    static func number(after last: Int64?, skipping gap: Int64 = 0) -> Int64 {
        ((last ?? 0) + gap) % numbers.upperBound + 1
    }
}

extension SettlementPlace {
    /// The batches of the terminal.
    var predicate: StoragePredicate {
        StoragePredicate("hostName = ? AND destination = ? AND terminal = ?", hostName, destination, terminal)
    }

    /// The attempts of the terminal that moved money, or were taken back, and belong to no batch. Without the parts of
    /// a message, an attempt moved money at the only host that there was. An authorization (class 1) that was given
    /// back never moved any.
    var transactionsWithoutBatch: StoragePredicate {
        StoragePredicate(
            """
            hostName = ? AND amount > 0 AND kind <> 'increment'
            AND (state = 'captured' OR (state = 'reversed'
                AND substr(json_extract(messageIdentity, '$.type'), 2, 1) <> '1'))
            AND coalesce(json_extract(messageIdentity, '$.destination'), ?) = ?
            AND rtrim(coalesce(json_extract(messageIdentity, '$.fields.41'), ?)) = ?
            AND id NOT IN (SELECT attemptID FROM batchAttempt)
            """, hostName, destination, destination, terminal, terminal)
    }
}
