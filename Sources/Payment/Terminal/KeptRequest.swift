public import Determinism
import Money
public import Payments
import Text

/// A request that a terminal keeps beside its journal, with its answer, so that a till finds it after a restart.
public struct KeptRequest: Hashable, Sendable {
    public let request: TerminalRequest
    /// How it ended; nil while that is not known.
    public var outcome: TerminalOutcome?
    /// When it began, and when it changed last.
    public let started: Timestamp
    public var changed: Timestamp
    /// What the protocol needs to answer again, as JSON text.
    public var note: String
    /// Whether the till has the answer.
    public var isConfirmed: Bool
    /// Whether a later reversal took it back.
    public var isTakenBack: Bool

    /// Takes what is known of a request.
    public init(
        request: TerminalRequest, outcome: TerminalOutcome? = nil, started: Timestamp, changed: Timestamp,
        note: String = "{}", isConfirmed: Bool = false, isTakenBack: Bool = false
    ) {
        (self.request, self.outcome, self.note) = (request, outcome, note)
        (self.started, self.changed) = (started, changed)
        (self.isConfirmed, self.isTakenBack) = (isConfirmed, isTakenBack)
    }

    /// The record of a request that has ended, at a local time of the terminal; nil while it runs.
    public func record(offset: Int) -> TerminalRecord? {
        outcome.map {
            TerminalRecord(
                request: request, outcome: $0, date: changed.civil(offsetSeconds: offset), isConfirmed: isConfirmed,
                isTakenBack: isTakenBack)
        }
    }
}

extension [KeptRequest] {
    /// Marks the transactions that a later reversal took back: a crash may have come between the reversal's end and the
    /// mark.
    public mutating func markTakenBack() {
        for (place, reversal) in enumerated() {
            guard case .reversal(let reference, _) = reversal.request.operation, reversal.outcome?.transaction != nil
            else { continue }
            let original = self[..<place].lastIndex { kept in
                switch reference {
                case .request(let key): kept.request.key == key
                case .receipt(let number): kept.outcome?.transaction?.receiptNumber == number
                }
            }
            if let original { self[original].isTakenBack = true }
        }
    }
}

extension TerminalOperation {
    /// Whether a terminal keeps a request of this kind: money may move, or a batch ends.
    public var isKept: Bool {
        if case .endOfDay = self { true } else { movesMoney }
    }

    /// The member `kind` of an end of day in ``TerminalRequest/keptText``.
    public static let endOfDayKind = "end of day"
}

extension TerminalRequest {
    /// The request without its key, as JSON text; nil for one that is not kept (``TerminalOperation/isKept``).
    public var keptText: String? {
        guard let operation = operation.kept else { return nil }
        return JSONValue.object(
            [
                .init("till", .text(till.rawValue)), .init("columns", JSONValue(receiptColumns)),
                .init("automatic", .bool(isAutomatic)),
            ] + operation
        ).jsonText
    }

    /// Reads what ``keptText`` writes; nil for another text.
    public init?(key: IdempotencyKey, kept text: String) {
        guard let json = JSONReader.node(Array(text.utf8)), let till = json["till"]?.textValue,
            let columns = json["columns"]?.textValue.flatMap({ Int($0) }),
            let operation = TerminalOperation(kept: json)
        else { return nil }
        self.init(
            key: key, till: TillID(rawValue: till), operation: operation, receiptColumns: columns,
            isAutomatic: json["automatic"] == .bool(true))
    }
}

extension TerminalOperation {
    fileprivate var kept: [JSONValue.Member]? {
        switch self {
        case .payment(let amount, let tip):
            Self.kept("payment", amount) + (tip.map { [.init("tip", JSONValue($0.minorUnits))] } ?? [])
        case .refund(let amount): Self.kept("refund", amount)
        case .preauthorization(let amount): Self.kept("preauthorization", amount)
        case .capture(let reference, .all): Self.kept("capture", nil) + reference.kept
        case .capture(let reference, .part(let amount)): Self.kept("capture part", amount) + reference.kept
        case .capture(let reference, .allBut(let amount)): Self.kept("capture all but", amount) + reference.kept
        case .release(let reference): Self.kept("release", nil) + reference.kept
        case .reversal(let reference, let amount): Self.kept("reversal", amount) + reference.kept
        case .giveBack(let reference, let amount): Self.kept("give back", amount) + reference.kept
        case .endOfDay: Self.kept(Self.endOfDayKind, nil)
        case .cardReading, .totals, .signOn, .diagnosis, .display, .input, .print: nil
        }
    }

    private static func kept(_ kind: String, _ amount: Money?) -> [JSONValue.Member] {
        let kind = JSONValue.Member("kind", .text(kind))
        guard let amount else { return [kind] }
        return [
            kind, .init("amount", JSONValue(amount.minorUnits)), .init("currency", .text(amount.currency.code)),
        ]
    }

    fileprivate init?(kept json: JSONValue) {
        func money(_ name: String) -> Money? {
            guard let units = json[name]?.textValue.flatMap({ Int64($0) }),
                let currency = json["currency"]?.textValue.flatMap({ try? Currency(code: $0) })
            else { return nil }
            return try? Money(minorUnits: units, currency: currency)
        }
        let (amount, reference) = (money("amount"), TransactionReference(kept: json))
        switch (json["kind"]?.textValue, amount, reference) {
        case ("payment", let amount?, _): self = .payment(amount: amount, tip: money("tip"))
        case ("refund", let amount?, _): self = .refund(amount: amount)
        case ("preauthorization", let amount?, _): self = .preauthorization(amount: amount)
        case ("capture", _, let reference?): self = .capture(of: reference, .all)
        case ("capture part", let amount?, let reference?): self = .capture(of: reference, .part(amount))
        case ("capture all but", let amount?, let reference?): self = .capture(of: reference, .allBut(amount))
        case ("release", _, let reference?): self = .release(of: reference)
        case ("reversal", let amount, let reference?): self = .reversal(of: reference, amount: amount)
        case ("give back", let amount?, let reference?): self = .giveBack(of: reference, amount: amount)
        case (Self.endOfDayKind, _, _): self = .endOfDay
        default: return nil
        }
    }
}

extension TransactionReference {
    fileprivate var kept: [JSONValue.Member] {
        switch self {
        case .receipt(let number): [.init("receipt", JSONValue(number))]
        case .request(let key): [.init("request", .text(key.rawValue))]
        }
    }

    fileprivate init?(kept json: JSONValue) {
        if let number = json["receipt"]?.textValue.flatMap({ Int($0) }) {
            self = .receipt(number)
        } else if let key = json["request"]?.textValue {
            self = .request(IdempotencyKey(rawValue: key))
        } else {
            return nil
        }
    }
}

/// An object of a till's protocol that a terminal keeps for its next start, such as a payment that a till has planned.
public struct KeptObject: Hashable, Sendable {
    /// The object's name among all of the terminal.
    public let name: String
    /// Its kind in the words of the protocol.
    public let kind: String
    /// The object as JSON text; nil when it is deleted.
    public let contents: String?

    /// Takes an object as it is now.
    public init(name: String, kind: String, contents: String?) {
        (self.name, self.kind, self.contents) = (name, kind, contents)
    }
}
