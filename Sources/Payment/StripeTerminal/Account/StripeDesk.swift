import Determinism
import Payments
import Terminal

/// A reader with its terminal, and what is done about its payments without it.
struct StripeDesk: Sendable {
    /// What needs the reader.
    var counter: TerminalModel
    /// Captures, cancellations, and refunds, which go on while the reader waits for a card.
    private var office: TerminalModel
    private(set) var running: IdempotencyKey?
    private var count = 0

    private static let till = TillID(rawValue: "stripe")
    /// The account has what tills ask for, so that few answers of the models are needed.
    private static let mostRecords = 100

    /// Makes a desk of a reader.
    init() { (counter, office) = (TerminalModel(), TerminalModel()) }

    /// Makes the desk of a terminal's own reader again, which keeps its requests.
    init(kept: [KeptRequest], offset: Int, reader: SharedReader?) {
        let taken = kept.filter { Self.needsReader($0.request.operation) }
        counter = TerminalModel(kept: taken, offset: offset, reader: reader)
        office = TerminalModel(
            kept: kept.filter { !Self.needsReader($0.request.operation) }, offset: offset, reader: nil)
        running = taken.last { $0.outcome == nil }?.request.key
        count = kept.compactMap { $0.request.key.rawValue.split(separator: "/").last.flatMap { Int($0) } }.max() ?? 0
    }

    /// Takes what is to be kept.
    mutating func takeChanges() -> [TerminalChange] { counter.takeChanges() + office.takeChanges() }

    mutating func nextKey(_ reader: String) -> IdempotencyKey {
        count += 1
        return IdempotencyKey(rawValue: "\(reader)/\(count)")
    }

    private static func needsReader(_ operation: TerminalOperation) -> Bool {
        switch operation {
        case .display, .input: true
        default: operation.needsCard
        }
    }

    mutating func start(_ key: IdempotencyKey, _ operation: TerminalOperation) throws(TerminalRefusal) {
        let request = TerminalRequest(key: key, till: Self.till, operation: operation)
        if Self.needsReader(operation) {
            _ = try counter.start(request)
            running = key
        } else {
            _ = try office.start(request)
        }
    }

    /// Whether a capture, cancellation, or refund is under way.
    var isOfficeBusy: Bool { office.holder != nil }

    func status(of key: IdempotencyKey) -> TerminalStatus {
        let status = counter.status(of: key)
        return status == .unknown ? office.status(of: key) : status
    }

    mutating func report(_ progress: TerminalProgress, of key: IdempotencyKey) throws(TerminalRefusal) {
        if key == running { try counter.report(progress, of: key) } else { try office.report(progress, of: key) }
    }

    /// Ends a request. The till asks for its result when it wants it, so the terminal is free at once.
    mutating func finish(
        _ key: IdempotencyKey, _ outcome: TerminalOutcome, at date: CivilDate
    ) throws(TerminalRefusal) {
        if key == running {
            try counter.finish(key, outcome, at: date)
            counter.confirm(key)
            counter.keep(newest: Self.mostRecords)
            running = nil
        } else {
            try office.finish(key, outcome, at: date)
            office.confirm(key)
            office.keep(newest: Self.mostRecords)
        }
    }

    mutating func nextWork() -> TerminalWork? { counter.nextWork() ?? office.nextWork() }
}

/// What a request of a terminal is for.
struct StripeTask: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        /// Take a payment: the intent.
        case process(String)
        /// Capture an intent, or an amount of it.
        case capture(String, amount: Int64)
        /// Give back what an intent holds.
        case release(String)
        case refund(String)
        case display
        /// Ask the current question of the reader's action.
        case input
    }

    let reader: String
    let purpose: Purpose
    /// Whether the reader asks for a tip before the card.
    var asksForTip = false
    /// What the customer added to the intent's amount.
    var tip: Int64 = 0
}

/// A fault that a test asks for.
struct StripeFault: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The reader does not get the command.
        case readerTimeout = "reader_timeout"
        /// The reader gets the command, and the till gets an error all the same.
        case readerTimeoutReceived = "reader_timeout_received"
        /// The work is done, and the connection closed without a response.
        case responseLost = "response_lost"
    }

    let kind: Kind
    /// The reader; nil for any.
    let reader: String?
    var times: Int
}

extension StripeTerminal {
    /// Uses up a fault. Returns whether it happens.
    mutating func takeFault(_ kind: StripeFault.Kind, _ reader: String?) -> Bool {
        guard
            let index = faults.firstIndex(where: {
                $0.kind == kind && ($0.reader == nil || $0.reader == reader)
            })
        else { return false }
        faults[index].times -= 1
        if faults[index].times <= 0 { faults.remove(at: index) }
        return true
    }
}
