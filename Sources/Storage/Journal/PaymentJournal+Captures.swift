public import Determinism

extension PaymentJournal {
    /// What a store site has to be told of a payment; nil when no site has to be told anything.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func capture(of id: PaymentID) throws(JournalError) -> SiteCapture? {
        try read { try $0.loadObject(ofType: SiteCapture.self, with: id) }
    }

    /// The captures that somebody has to bring to an end: this journal's own, and those whose process is gone, which
    /// become this journal's own in the same commit. What a living process works on is not among them, nor a payment
    /// that its host has still to be told of. Oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func openCaptures() throws(JournalError) -> [SiteCapture] {
        let open = try read { try openCaptures(in: $0) }
        guard open.contains(where: { $0.lease != lease.number }) else { return open }
        // What was open a moment ago may have been taken over, or ended, since.
        return try write { storage in try openCaptures(in: storage).map { try take($0, in: storage) } }
    }

    /// Takes a payment's capture over, whatever its state, to look at the site again.
    ///
    /// - Throws: ``JournalError/nothingToCapture(_:)``, ``JournalError/captureNotOurs(_:lease:)``,
    ///   ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func claimCapture(of id: PaymentID) throws(JournalError) -> SiteCapture {
        try write { storage in
            _ = try load(id, from: storage)
            guard let capture = try storage.loadObject(ofType: SiteCapture.self, with: id), capture.state != .planned
            else { throw JournalError.nothingToCapture(id) }
            guard try capture.lease == lease.number || !lease.isAlive(capture.lease) else {
                throw JournalError.captureNotOurs(id, lease: capture.lease)
            }
            return try take(capture, in: storage)
        }
    }

    /// Records that the site is about to be told. Call it again before another try.
    ///
    /// - Throws: ``JournalError/moneyWentBack(_:)`` when the payment has been refunded: an order is not paid with money
    ///   that was given back; and what ``settleCapture(of:as:orderStatus:reason:at:saving:)`` throws.
    @discardableResult
    public func markCaptureSent(of id: PaymentID, at moment: Timestamp) throws(JournalError) -> SiteCapture {
        try write { storage in
            guard try load(id, from: storage).state != .refunded else { throw JournalError.moneyWentBack(id) }
            return try move(id, to: .sent, at: moment, in: storage) { $0.tries += 1 }
        }
    }

    /// Records what became of it, and whatever else belongs to the same moment, all or nothing. With `.confirmed` the
    /// capture gets the receipt of the sale. `orderStatus` is the order's status, when it was seen; `reason` says in words
    /// why it is not confirmed; `saving` writes what goes with it in the same commit: the order as the site shows it.
    ///
    /// - Throws: ``JournalError/nothingToCapture(_:)``, ``JournalError/captureNotOurs(_:lease:)``,
    ///   ``JournalError/illegalCapture(_:from:to:)``, ``JournalError/storage(_:)``
    @discardableResult
    public func settleCapture(
        of id: PaymentID, as state: SiteCaptureState, orderStatus: String? = nil, reason: String? = nil,
        at moment: Timestamp, saving: (any StorageType) throws -> Void = { _ in }
    ) throws(JournalError) -> SiteCapture {
        try write { storage in
            let receipt =
                state == .confirmed
                ? try storage.allObjects(
                    ofType: Receipt.self, matching: StoragePredicate("paymentID = ? AND kind = 'sale'", id),
                    sortedBy: "id DESC", limit: 1
                ).first?.id : nil
            try saving(storage)
            return try move(id, to: state, at: moment, in: storage) { capture in
                capture.orderStatus = orderStatus ?? capture.orderStatus
                capture.receiptID = receipt ?? capture.receiptID
                capture.lastError = reason
            }
        }
    }

    private func move(
        _ id: PaymentID, to state: SiteCaptureState, at moment: Timestamp, in storage: any StorageType,
        change: (inout SiteCapture) -> Void
    ) throws -> SiteCapture {
        guard var capture = try storage.loadObject(ofType: SiteCapture.self, with: id) else {
            throw JournalError.nothingToCapture(id)
        }
        guard capture.lease == lease.number else { throw JournalError.captureNotOurs(id, lease: capture.lease) }
        guard capture.state.successors.contains(state) else {
            throw JournalError.illegalCapture(id, from: capture.state, to: state)
        }
        (capture.state, capture.updatedAt) = (state, moment)
        change(&capture)
        try storage.updateObject(capture)
        return capture
    }

    private func openCaptures(in storage: any StorageType) throws -> [SiteCapture] {
        try storage.allObjects(
            ofType: SiteCapture.self,
            matching: StoragePredicate(
                """
                state IN ('due', 'sent', 'unknown')
                AND attemptID IN (SELECT id FROM paymentAttempt WHERE state = 'captured')
                """)
        ).filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
    }

    private func take(_ capture: SiteCapture, in storage: any StorageType) throws -> SiteCapture {
        guard capture.lease != lease.number else { return capture }
        var taken = capture
        taken.lease = lease.number
        try storage.updateObject(taken)
        return taken
    }
}
