public import Determinism
public import Payments

/// One terminal, whatever protocol a till speaks: it takes requests, gives work to what drives the reader, and keeps
/// every answer so that it can be asked for again. It has no time, no bytes, and no threads; one owner calls it.
///
/// The rules:
///
/// * **One request at a time.** A terminal has one reader, one display, and one customer. While a request runs, every
///   other one is refused as busy, from whichever till it comes, and nothing of it happens.
/// * **A terminal belongs to a till until its answer has arrived.** After the result, the request still holds the
///   terminal until its protocol calls ``confirm(_:)`` or ``takeBack(_:)``. So no second till can come between a
///   payment and its reversal.
/// * **A key happens once.** The same key with the same operation gets the state or the answer of the first; with
///   another operation it is refused.
/// * **An answer that was lost can always be asked for**, by ``status(of:)`` or ``lastTransaction(of:)``, also after
///   the terminal restarted: give the records back to ``init(records:open:)``.
/// * **A cancellation never decides.** It asks for an end, and is refused once the host was asked. The result counts.
public struct TerminalModel: Sendable {
    fileprivate struct Session {
        let request: TerminalRequest
        var progress = TerminalProgress.accepted
        var isCanceling = false
        /// Whether the result is known, and its protocol has not yet confirmed that it arrived.
        var isFinished = false
    }

    private var current: Session? {
        didSet { if current == nil, oldValue != nil { reader?.giveBack() } }
    }
    /// The reader that other protocols share; nil for a reader of its own.
    private let reader: SharedReader?
    /// Whether ``takeChanges()`` has what is to be kept.
    private let keepsChanges: Bool
    private var changes: [IdempotencyKey] = []
    private var records: [IdempotencyKey: TerminalRecord] = [:]
    /// The keys of the records in the order of their ends.
    private var order: [IdempotencyKey] = []
    private var work: [TerminalWork] = []
    /// The language of the customer's display (ISO 639-1); nil for that of the configuration.
    public var language: String?

    /// - Parameters:
    ///   - records: what this terminal answered before, in the order of the ends.
    ///   - open: the request that ran when the terminal stopped. It is recovered before the terminal takes another one.
    ///   - reader: the reader, where terminals of other protocols share it.
    ///   - keepsChanges: whether the owner keeps what ``takeChanges()`` gives.
    public init(
        records: [TerminalRecord] = [], open: TerminalRequest? = nil, reader: SharedReader? = nil,
        keepsChanges: Bool = false
    ) {
        (self.reader, self.keepsChanges) = (reader, keepsChanges)
        for record in records where self.records.updateValue(record, forKey: record.request.key) == nil {
            order.append(record.request.key)
        }
        guard let open, self.records[open.key] == nil else { return }
        _ = reader?.take(for: open.till, isNew: false)
        current = Session(request: open, progress: .recovering)
        work.append(.recover(open))
    }

    /// Makes a terminal with what it kept before it stopped, and keeps on keeping.
    ///
    /// - Parameters:
    ///   - kept: the requests in the order in which they began.
    ///   - offset: the local time of the terminal, in seconds east of UTC.
    ///   - reader: the reader, where terminals of other protocols share it.
    public init(kept: [KeptRequest], offset: Int, reader: SharedReader?) {
        // A reversal of the terminal's own that did not happen is tried again.
        let standing = kept.filter { !$0.request.isAutomatic || $0.outcome == nil || $0.outcome?.transaction != nil }
        self.init(
            records: standing.compactMap { $0.record(offset: offset) }, open: kept.last { $0.outcome == nil }?.request,
            reader: reader, keepsChanges: true)
    }

    /// The till whose request holds the terminal, or its shared reader; nil when the terminal is free.
    public var holder: TillID? { current?.request.till ?? reader?.holder }

    /// Takes the requests that began, ended, or whose answer arrived since the last call, with what is to be kept of
    /// them before anything else happens: before their work begins, and before an answer is sent. Only requests that
    /// are kept (``TerminalOperation/isKept``).
    public mutating func takeChanges() -> [TerminalChange] {
        defer { changes = [] }
        return changes.compactMap { key in
            if let record = records[key] {
                return TerminalChange(
                    request: record.request, outcome: record.outcome, isConfirmed: record.isConfirmed,
                    isTakenBack: record.isTakenBack)
            }
            guard let current, current.request.key == key else { return nil }
            return TerminalChange(request: current.request)
        }
    }

    private mutating func note(_ key: IdempotencyKey, _ operation: TerminalOperation?) {
        guard keepsChanges, operation?.isKept == true, !changes.contains(key) else { return }
        changes.append(key)
    }

    /// Takes the next work for what drives the reader; nil when there is none.
    public mutating func nextWork() -> TerminalWork? { work.isEmpty ? nil : work.removeFirst() }
}

// What protocols call.
extension TerminalModel {
    /// Begins a request, or finds it again.
    ///
    /// - Throws: ``TerminalRefusal/busy(_:)``, ``TerminalRefusal/keyReused(_:)``; nothing happened then.
    public mutating func start(_ request: TerminalRequest) throws(TerminalRefusal) -> TerminalStatus {
        if let record = records[request.key] {
            guard record.request.isSame(as: request) else { throw .keyReused(request.key) }
            return .finished(record)
        }
        if let current {
            guard current.request.key == request.key else { throw .busy(current.request.till) }
            guard current.request.isSame(as: request) else { throw .keyReused(request.key) }
            return .running(current.progress)
        }
        if let other = reader?.take(for: request.till, isNew: true) { throw .busy(other) }
        current = Session(request: request)
        note(request.key, request.operation)
        work.append(.begin(request))
        return .running(.accepted)
    }

    /// Asks for the end of a request. The result comes as for every request, and may still be an approval.
    public mutating func cancel(_ key: IdempotencyKey, _ reason: TerminalCancellation) -> TerminalCancelAnswer {
        if let record = records[key] { return .finished(record) }
        guard var session = current, session.request.key == key else { return .unknown }
        guard session.progress.canBeCanceled else { return .tooLate }
        if !session.isCanceling {
            session.isCanceling = true
            current = session
            work.append(.cancel(key, reason))
        }
        return .requested
    }

    /// Returns the state or the answer of a request.
    public func status(of key: IdempotencyKey) -> TerminalStatus {
        if let record = records[key] { return .finished(record) }
        if let current, current.request.key == key { return .running(current.progress) }
        return .unknown
    }

    /// Says that the till has the answer of a request: the terminal is free. Does nothing the second time.
    public mutating func confirm(_ key: IdempotencyKey) {
        guard let record = records[key] else { return }
        if !record.isConfirmed { note(key, record.request.operation) }
        records[key]?.isConfirmed = true
        if let session = current, session.isFinished, session.request.key == key { current = nil }
    }

    /// Reverses a payment, refund, or pre-authorization whose answer did not arrive at its till. The terminal stays
    /// with the till until the reversal is confirmed. Asking twice begins nothing twice.
    ///
    /// - Parameters:
    ///   - key: the request.
    ///   - again: whether a reversal that failed before begins anew, under its key.
    /// - Returns: the key of the reversal.
    /// - Throws: ``TerminalRefusal/unknownRequest(_:)``, ``TerminalRefusal/nothingToTakeBack(_:)``,
    ///   ``TerminalRefusal/busy(_:)``
    public mutating func takeBack(
        _ key: IdempotencyKey, again: Bool = false
    ) throws(TerminalRefusal) -> IdempotencyKey {
        guard let record = records[key] else { throw .unknownRequest(key) }
        let reversal = IdempotencyKey(rawValue: key.rawValue + "/taken-back")
        if again, holder == nil { forget([reversal]) { $0.outcome.transaction == nil } }
        if records[reversal] != nil || current?.request.key == reversal { return reversal }
        guard record.outcome.transaction != nil, record.request.operation.needsCard, !record.isTakenBack else {
            throw .nothingToTakeBack(key)
        }
        if let current, current.request.key != key { throw .busy(current.request.till) }
        if current == nil, let other = reader?.take(for: record.request.till, isNew: false) { throw .busy(other) }
        let request = TerminalRequest(
            key: reversal, till: record.request.till, operation: .reversal(of: .request(key)),
            receiptColumns: record.request.receiptColumns, isAutomatic: true)
        current = Session(request: request)
        note(reversal, request.operation)
        work.append(.begin(request))
        return reversal
    }

    /// Prints receipts at the terminal's own printer.
    public mutating func print(_ receipts: [TerminalReceipt]) {
        if !receipts.isEmpty { work.append(.print(receipts)) }
    }
}

// What can be asked for.
extension TerminalModel {
    /// Returns the newest transaction of a till that was approved and not taken back.
    public func lastTransaction(of till: TillID) -> TerminalRecord? {
        order.lazy.reversed().compactMap { records[$0] }.first { record in
            record.request.till == till && !record.request.isAutomatic && !record.isTakenBack
                && record.outcome.transaction != nil
        }
    }

    /// Returns the pre-authorizations of a till that are held: neither captured, nor released, nor taken back.
    public func openPreauthorizations(of till: TillID) -> [TerminalRecord] {
        let approved = order.compactMap { records[$0] }.filter { record in
            record.request.till == till && !record.isTakenBack && record.outcome.transaction != nil
        }
        var open: [TerminalRecord] = []
        for record in approved {
            switch record.request.operation {
            case .preauthorization: open.append(record)
            case .capture(let reference, _), .release(let reference), .reversal(let reference, _):
                open.removeAll { $0.matches(reference) }
            case .payment, .refund, .giveBack, .cardReading, .endOfDay, .totals, .signOn, .diagnosis, .display, .input,
                .print:
                break
            }
        }
        return open
    }

    /// Forgets the answers of requests before a moment, for a runtime that has them elsewhere. The newest transaction
    /// of each till, held pre-authorizations, and answers that did not arrive stay.
    public mutating func forget(before date: CivilDate) {
        let kept = standing
        let limit = Timestamp(date)
        forget(order[...]) { !kept.contains($0.request.key) && Timestamp($0.date) < limit }
    }

    /// Forgets the oldest answers beyond a number, for a runtime that has them elsewhere. Answers that did not arrive
    /// stay, and with `standing` also the newest transaction of each till and held pre-authorizations.
    public mutating func keep(newest count: Int, standing keepsStanding: Bool = false) {
        // In one go now and then: each time moves all others.
        guard order.count >= 2 * count else { return }
        let kept = keepsStanding ? standing : []
        forget(order.dropLast(count)) { !kept.contains($0.request.key) }
    }

    /// The newest transaction of each till, and held pre-authorizations.
    private var standing: Set<IdempotencyKey> {
        let tills = Set(records.values.map(\.request.till))
        var keys = Set(tills.compactMap { lastTransaction(of: $0)?.request.key })
        for till in tills { keys.formUnion(openPreauthorizations(of: till).map(\.request.key)) }
        return keys
    }

    private mutating func forget(
        _ old: some Sequence<IdempotencyKey>, _ isForgotten: (TerminalRecord) -> Bool
    ) {
        for key in old {
            guard let record = records[key], record.isConfirmed, isForgotten(record) else { continue }
            records[key] = nil
        }
        order = order.filter { records[$0] != nil }
    }
}

// What drives the reader calls.
extension TerminalModel {
    /// Says where a request is.
    ///
    /// - Throws: ``TerminalRefusal/unknownRequest(_:)`` when it does not run,
    ///   ``TerminalRefusal/illegalStep(_:_:)``; nothing changed then.
    public mutating func report(_ progress: TerminalProgress, of key: IdempotencyKey) throws(TerminalRefusal) {
        guard var session = current, session.request.key == key, !session.isFinished else {
            throw .unknownRequest(key)
        }
        guard session.progress.canBecome(progress) else { throw .illegalStep(session.progress, progress) }
        session.progress = progress
        current = session
    }

    /// Says how a request ended, at a local time of the terminal. The same end may be said again.
    ///
    /// - Throws: ``TerminalRefusal/unknownRequest(_:)`` when it does not run,
    ///   ``TerminalRefusal/illegalEnd(_:)`` when a request of its kind can't end so.
    public mutating func finish(
        _ key: IdempotencyKey, _ outcome: TerminalOutcome, at date: CivilDate
    ) throws(TerminalRefusal) {
        if let record = records[key], record.outcome == outcome { return }
        guard var session = current, session.request.key == key, !session.isFinished else {
            throw .unknownRequest(key)
        }
        guard session.canEnd(outcome) else { throw .illegalEnd(key) }
        session.isFinished = true
        current = session
        records[key] = TerminalRecord(request: session.request, outcome: outcome, date: date)
        order.append(key)
        note(key, session.request.operation)
        guard case .reversal(let reference, _) = session.request.operation, outcome.transaction != nil,
            let original = order.last(where: { $0 != key && records[$0]?.matches(reference) == true })
        else { return }
        records[original]?.isTakenBack = true
        note(original, records[original]?.request.operation)
    }
}

extension TerminalModel.Session {
    /// Whether a request of this kind can end so, where it is.
    fileprivate func canEnd(_ outcome: TerminalOutcome) -> Bool {
        switch outcome {
        case .approved:
            request.operation.movesMoney
                && (!request.operation.needsCard || progress != .accepted && progress != .waitingForCard)
        case .declined: request.operation.movesMoney
        case .canceled: !(progress == .authorizing || progress == .recovering)
        case .failed: true
        case .done: !request.operation.movesMoney
        }
    }
}

/// Work for what drives the reader.
public enum TerminalWork: Hashable, Sendable {
    /// Carry out a request: report its progress, and finish it.
    case begin(TerminalRequest)
    /// Find out how a request ended that ran when the terminal stopped, and finish it.
    case recover(TerminalRequest)
    /// End a request if the host was not asked. It is finished either way.
    case cancel(IdempotencyKey, TerminalCancellation)
    /// Print at the terminal's own printer.
    case print([TerminalReceipt])
}

/// What is to be kept of a request.
public struct TerminalChange: Hashable, Sendable {
    public let request: TerminalRequest
    /// Nil while it runs.
    public let outcome: TerminalOutcome?
    /// Whether the till has the answer.
    public let isConfirmed: Bool
    /// Whether a later reversal took it back.
    public let isTakenBack: Bool
    /// What the protocol needs to answer again, as JSON text; nil when that stays as it was.
    public var note: String?

    /// Takes what was kept, to keep it with another note.
    public init(_ kept: KeptRequest) {
        self.init(
            request: kept.request, outcome: kept.outcome, isConfirmed: kept.isConfirmed, isTakenBack: kept.isTakenBack)
    }

    init(
        request: TerminalRequest, outcome: TerminalOutcome? = nil, isConfirmed: Bool = false,
        isTakenBack: Bool = false
    ) {
        (self.request, self.outcome) = (request, outcome)
        (self.isConfirmed, self.isTakenBack) = (isConfirmed, isTakenBack)
    }
}

/// The state of a request.
public enum TerminalStatus: Hashable, Sendable {
    /// The terminal has never had the request, or has forgotten it.
    case unknown
    case running(TerminalProgress)
    case finished(TerminalRecord)
}

/// The effect of a cancellation.
public enum TerminalCancelAnswer: Hashable, Sendable {
    /// The request will end, and its result says how.
    case requested
    /// The host was asked already. The result counts.
    case tooLate
    case finished(TerminalRecord)
    case unknown
}

/// A request and its answer.
public struct TerminalRecord: Hashable, Sendable {
    public let request: TerminalRequest
    public let outcome: TerminalOutcome
    /// Local time of the terminal at the end.
    public let date: CivilDate
    /// Whether the till has the answer.
    public var isConfirmed: Bool
    /// Whether a later reversal took it back.
    public var isTakenBack: Bool

    /// Takes a stored record.
    public init(
        request: TerminalRequest, outcome: TerminalOutcome, date: CivilDate, isConfirmed: Bool = false,
        isTakenBack: Bool = false
    ) {
        (self.request, self.outcome, self.date) = (request, outcome, date)
        (self.isConfirmed, self.isTakenBack) = (isConfirmed, isTakenBack)
    }

    /// Whether a reference is to this transaction.
    func matches(_ reference: TransactionReference) -> Bool {
        switch reference {
        case .request(let key): request.key == key
        case .receipt(let number): outcome.transaction?.receiptNumber == number
        }
    }
}

/// Why a terminal did not do what it was asked.
public enum TerminalRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request of this till holds the terminal.
    case busy(TillID)
    /// The key belongs to another request.
    case keyReused(IdempotencyKey)
    /// No such request runs.
    case unknownRequest(IdempotencyKey)
    case illegalStep(TerminalProgress, TerminalProgress)
    case illegalEnd(IdempotencyKey)
    /// The request charged nothing that could be taken back.
    case nothingToTakeBack(IdempotencyKey)

    public var description: String {
        switch self {
        case .busy(let till): "the terminal works for the till \(till): wait for its result, or cancel there"
        case .keyReused(let key): "the key \(key) belongs to another request: use a new key for each request"
        case .unknownRequest(let key): "no request with the key \(key) runs at this terminal"
        case .illegalStep(let old, let new): "a request can't go from \(old) to \(new)"
        case .illegalEnd(let key): "the request \(key) can't end this way where it is"
        case .nothingToTakeBack(let key): "the request \(key) has nothing that could be taken back"
        }
    }
}
