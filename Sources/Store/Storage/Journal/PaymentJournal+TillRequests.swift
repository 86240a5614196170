public import Determinism
public import Payments

extension PaymentJournal {
    /// Keeps a request of a till, or what changed of it: its note, its ending, and whether its answer arrived. It is on
    /// disk when this returns. Its attempt stays, and so does its note unless there is a new one.
    ///
    /// - Throws: ``JournalError/storage(_:)`` when that is not certain, and ``JournalError/requestNameTaken(_:)`` when
    ///   another request has the name, which stays as it is. A new request must not be carried out then.
    public func keep(_ request: TillRequest, hasNewNote: Bool) throws(JournalError) {
        try write { storage in
            guard var known = try tillRequest(request.name, in: storage) else {
                try storage.insertNewObject(request)
                return
            }
            guard known.isSame(as: request) else { throw JournalError.requestNameTaken(request.name) }
            if hasNewNote { known.note = request.note }
            known.ending = request.ending ?? known.ending
            (known.isConfirmed, known.isTakenBack) = (request.isConfirmed, request.isTakenBack)
            known.updatedAt = request.updatedAt
            try storage.updateObject(known)
        }
    }

    /// Says which payment a request changes that makes no attempt of its own: the sale of a hold that it captures or
    /// releases.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func bind(_ name: String, toSaleOf id: PaymentID) throws(JournalError) {
        try write { storage in
            let sale = try attempts(of: id, in: storage).last { $0.kind == .sale }
            guard let sale else { throw JournalError.paymentNotFound(id) }
            try bind(name, to: sale, in: storage)
        }
    }

    /// Returns the newest requests of the tills of a protocol, oldest first, each with its attempt: so many, and more
    /// when more began since a moment.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func tillRequests(
        of protocolName: String, newest limit: Int, since moment: Timestamp
    ) throws(JournalError) -> [(request: TillRequest, attempt: PaymentAttempt?)] {
        try read { storage in
            var newest = try storage.allObjects(
                ofType: TillRequest.self,
                matching: StoragePredicate("protocol = ? AND createdAt >= ?", protocolName, moment.milliseconds),
                sortedBy: "id DESC", limit: nil)
            if newest.count < limit {
                newest = try storage.allObjects(
                    ofType: TillRequest.self, matching: StoragePredicate("protocol = ?", protocolName),
                    sortedBy: "id DESC", limit: limit)
            }
            return try newest.reversed().map { request in
                let attempt = try request.attemptID.flatMap { id in
                    try storage.loadObject(ofType: PaymentAttempt.self, with: id)
                }
                return (request, attempt)
            }
        }
    }

    /// Finds the newest request of a kind, from a till of any protocol, that ended so.
    ///
    /// - Parameters:
    ///   - kind: the member `kind` of ``TillRequest/request``.
    ///   - ending: the value of ``TillRequest/ending``.
    /// - Returns: when it changed last; nil when there is none.
    /// - Throws: ``JournalError/storage(_:)``
    public func lastTillRequest(of kind: String, ending: String) throws(JournalError) -> Timestamp? {
        try read { storage in
            try storage.allObjects(
                ofType: TillRequest.self,
                matching: StoragePredicate("json_extract(request, '$.kind') = ? AND ending = ?", kind, ending),
                sortedBy: "updatedAt DESC", limit: 1
            ).first?.updatedAt
        }
    }

    /// Returns a request with its attempt; nil when there is none.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func tillRequest(
        _ name: String
    ) throws(JournalError) -> (request: TillRequest, attempt: PaymentAttempt?)? {
        try read { storage in
            guard let request = try tillRequest(name, in: storage) else { return nil }
            let attempt = try request.attemptID.flatMap { id in
                try storage.loadObject(ofType: PaymentAttempt.self, with: id)
            }
            return (request, attempt)
        }
    }

    /// Writes the attempt of a request within the transaction that begins the attempt.
    func bind(_ name: String?, to attempt: PaymentAttempt, in storage: any StorageType) throws {
        guard let name, var known = try tillRequest(name, in: storage) else { return }
        (known.attemptID, known.updatedAt) = (attempt.id, attempt.updatedAt)
        try storage.updateObject(known)
    }

    private func tillRequest(_ name: String, in storage: any StorageType) throws -> TillRequest? {
        try storage.allObjects(ofType: TillRequest.self, matching: StoragePredicate("name = ?", name)).first
    }
}
