public import Determinism
public import Money
public import Payments

/// The end of an attempt at the payment host, as a person says it.
public enum AttemptClosing: String, Hashable, Sendable, CaseIterable {
    /// The host has the money, or gave it back for a refund, or holds more after an increment.
    case captured
    /// The host has taken it back.
    case reversed
    /// The host never had it, so that no batch counts it.
    case failed
}

/// Decisions of a person about attempts of which the host will never tell the end, such as those of a restored backup
/// that it has finished, settled, or forgotten since. The program never guesses it, and sends nothing about it.
extension PaymentJournal {
    /// Returns the open attempt of a payment that ``close(_:attempt:as:amount:by:reason:at:)`` would close: one without
    /// a confirmed end; or what is held at a host that knows only messages, if it is of a restored backup, has expired,
    /// or needs card data that may not be there any more.
    ///
    /// - Parameters:
    ///   - id: the payment.
    ///   - number: the number of the attempt; nil for the only one that is open.
    ///   - moment: now.
    /// - Returns: the attempt.
    /// - Throws: ``JournalError/nothingToClose(_:)``, ``JournalError/stillHeld(_:until:)``,
    ///   ``JournalError/severalOpen(_:_:)`` without one of their numbers, ``JournalError/unfinished(_:)`` before
    ///   recovery has looked at it, ``JournalError/notOurs(attempt:lease:)`` while another process works on it,
    ///   ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func attemptToClose(
        of id: PaymentID, attempt number: Int64? = nil, at moment: Timestamp
    ) throws(JournalError) -> PaymentAttempt {
        try read { try attemptToClose(of: id, number, at: moment, in: $0) }
    }

    /// Records in one commit what a person says became of an open attempt, who says it, and why. Nothing is sent about
    /// it any more.
    ///
    /// - Parameters:
    ///   - id: the payment.
    ///   - number: the number of the attempt; nil for the only one that is open.
    ///   - closing: what became of it. A captured increment raises what its sale holds, if that is held still.
    ///   - amount: what was captured of a pre-authorization; nil for all.
    ///   - user: the name of the person's account.
    ///   - reason: why, for people. Digits that may be a card number are masked.
    ///   - moment: the time of the decision.
    /// - Returns: what was written.
    /// - Throws: As ``attemptToClose(of:attempt:at:)``; ``JournalError/captureTooLarge(_:requested:authorized:)``;
    ///   ``JournalError/money(_:)`` when the currency differs.
    public func close(
        _ id: PaymentID, attempt number: Int64? = nil, as closing: AttemptClosing, amount: Money? = nil,
        by user: String, reason: String, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            var attempt = try attemptToClose(of: id, number, at: moment, in: storage)
            let payment = try load(id, from: storage)
            if let amount {
                guard amount.currency == attempt.amount.currency else {
                    throw MoneyError.currencyMismatch(amount.currency.code, attempt.amount.currency.code)
                }
                guard amount.minorUnits <= attempt.amount.minorUnits else {
                    throw JournalError.captureTooLarge(id, requested: amount, authorized: attempt.amount)
                }
            }
            let isHold = attempt.kind == .sale && payment.preauthorization != nil
            // A captured pre-authorization has a completion, also one that this database never sent.
            if isHold, closing == .captured, attempt.state != .authorizedOnly, attempt.completion == nil {
                attempt.completion = try newCompletion(in: storage)
            }
            attempt.lease = lease.number
            try storage.updateObject(attempt)
            let words = "closed as \(closing.rawValue) by \(user): \(PANMasking.maskedAsTyped(reason))"
            let details = Self.details(closing, of: attempt, payment, isHold: isHold, words)
            let way = Self.way(from: attempt.state, closing, kind: attempt.kind)
            for state in way.dropLast() {
                _ = try move(
                    attempt.id, to: state, amount: nil, details: PaymentDetails(), at: moment, in: storage)
            }
            return try move(
                attempt.id, to: way.last ?? .unknown, amount: closing == .captured ? amount : nil, details: details,
                detail: words, at: moment, in: storage)
        }
    }

    private func attemptToClose(
        of id: PaymentID, _ number: Int64?, at moment: Timestamp, in storage: any StorageType
    ) throws -> PaymentAttempt {
        let hold = try load(id, from: storage).preauthorization
        let through = try restoredThrough(in: storage)
        let all = try attempts(of: id, in: storage)
        let open = all.filter { attempt in
            guard attempt.kind == .sale, attempt.state == .authorizedOnly, let identity = attempt.identity else {
                return attempt.state.needsRecovery
            }
            return attempt.id <= through || identity.sealed != nil || (hold.map { $0.expiresAt <= moment } ?? false)
        }
        let chosen = open.filter { number == nil || $0.id == number }
        guard let attempt = chosen.first else {
            guard open.isEmpty else { throw JournalError.severalOpen(id, open.map(\.id)) }
            let isHeld = all.contains { $0.kind == .sale && $0.state == .authorizedOnly && $0.identity != nil }
            if isHeld, let hold { throw JournalError.stillHeld(id, until: hold.expiresAt) }
            throw JournalError.nothingToClose(id)
        }
        guard chosen.count == 1 else { throw JournalError.severalOpen(id, chosen.map(\.id)) }
        guard try attempt.state == .authorizedOnly || attempt.lease == lease.number || !lease.isAlive(attempt.lease)
        else { throw JournalError.notOurs(attempt: attempt.id, lease: attempt.lease) }
        guard attempt.state != .created, attempt.state != .authorizing else { throw JournalError.unfinished(id) }
        return attempt
    }

    /// The states on the way to the end, each of which the one before permits.
    private static func way(
        from state: AttemptState, _ closing: AttemptClosing, kind: PaymentAttempt.Kind
    ) -> [AttemptState] {
        let end: AttemptState =
            switch closing {
            case .captured: kind == .increment ? .authorizedOnly : .captured
            case .reversed: .reversed
            case .failed: .failed
            }
        if state.successors.contains(end) { return [end] }
        guard state == .authorizedOnly else { return [.unknown, end] }
        let first: AttemptState = closing == .captured ? .authorized : .reversing
        return first.successors.contains(end) ? [first, end] : [first, .unknown, end]
    }

    /// What the payment has of the end of its sale.
    private static func details(
        _ closing: AttemptClosing, of attempt: PaymentAttempt, _ payment: Payment, isHold: Bool, _ words: String
    ) -> PaymentDetails {
        // The payment of a refund or an increment stays as it was.
        guard attempt.kind == .sale else { return PaymentDetails() }
        // What was held and is given free is canceled.
        let isCanceled = attempt.state == .authorizedOnly || payment.errorCode == PaymentErrorCode.canceled
        guard closing == .captured || !isHold || !isCanceled else {
            return PaymentDetails(errorCode: PaymentErrorCode.canceled, errorMessage: words)
        }
        return PaymentDetails(errorCode: PaymentErrorCode.closed, errorMessage: words)
    }
}
