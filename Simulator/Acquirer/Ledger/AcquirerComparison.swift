public import Determinism
import ISO8583
public import Payments
public import Simulator

/// The attempts of a till as the acquirer's ledger has them, for an `IssuerReconciliation`.
///
/// The wire has no key of an attempt. A record belongs to the attempt that sent its trace number and its time. Where
/// the journal does not have the time that was sent, it is the attempt with its trace number whose time is the
/// nearest, within an hour.
public struct AcquirerComparison: Sendable {
    /// An attempt of the till's journal.
    public struct Attempt: Hashable, Sendable {
        public var key: IdempotencyKey
        /// Field 11.
        public var traceNumber: Int64
        /// When the till recorded it.
        public var at: Timestamp

        /// The times that were sent, as the ledger has them: local (fields 12 and 13), and field 7. Empty when the
        /// journal has none.
        var sentTimes: [String] = []

        public init(key: IdempotencyKey, traceNumber: Int64, at: Timestamp) {
            (self.key, self.traceNumber, self.at) = (key, traceNumber, at)
        }

        /// - Parameters:
        ///   - key: the key of the attempt.
        ///   - stan: the number of the attempt, for one whose identity has no field 11.
        ///   - identity: the fields that were sent; nil when the journal has none.
        ///   - at: when the till recorded it.
        public init(key: IdempotencyKey, stan: UInt32, sent identity: MessageIdentity?, at: Timestamp) {
            // The number that was sent: that of a profile with fresh numbers for reversals is not the attempt's.
            self.init(key: key, traceNumber: identity?[11].flatMap { Int64($0) } ?? Int64(stan), at: at)
            guard let identity else { return }
            let key = AcquirerKey(identity, Self.edition(identity[12] ?? ""), near: at.civil(offsetSeconds: 0))
            sentTimes = [key.localTime, identity[7] ?? ""].filter { !$0.isEmpty }
        }

        /// The edition by the digits of field 12: time, date with two digits of the year, or with four.
        private static func edition(_ field12: String) -> MessageVersion {
            switch field12.utf8.count {
            case ...6: .v1987
            case ...12: .v1993
            default: .v2003
            }
        }
    }

    /// The state of each transaction in the order of the ledger. One without an attempt of the till has the key
    /// `TERMINAL/STAN/TIME`.
    public let states: [(key: IdempotencyKey, state: IssuerTransactionState)]

    private static let window: Int64 = 3_600_000

    /// - Parameters:
    ///   - records: the acquirer's records.
    ///   - attempts: the attempts that went to it.
    ///   - terminal: the terminal (field 41) to compare; nil for all.
    ///   - time: the till's time zone, in which the wire has its local times.
    public init(
        _ records: [AcquirerRecord], till attempts: [Attempt], terminal: String? = nil, time: any TimeSource
    ) {
        let records = records.filter { terminal == nil || $0.terminal == terminal }
        var order: [AcquirerKey] = []
        var found: [AcquirerKey: [AcquirerRecord]] = [:]
        for record in records {
            guard let key = Self.subject(record) else { continue }
            if found[key] == nil { order.append(key) }
            found[key, default: []].append(record)
        }
        let voids = records.filter { $0.kind == .void && $0.state == .approved }
        // The messages of 1987 have no year: the acquirer's is that of its own clock.
        let withoutYear = Set(
            records.filter { $0.type.hasPrefix("0") }.flatMap { [$0.key] + (Self.subject($0).map { [$0] } ?? []) })
        let keys = Self.keys(of: order + voids.map(\.key), attempts, time, withoutYear: withoutYear)
        // A till may give money back by a void. Then it has an attempt of its own, and the sale counts as before.
        let refunds = voids.filter { keys[$0.key] != nil }
        let givenBack = Dictionary(refunds.map { ($0.original ?? 0, $0.amount) }, uniquingKeysWith: +)
        let owners = Dictionary(records.map { ($0.id, $0.key) }) { first, _ in first }
        // An increment has a state of its own, in which nothing moves: its authorization holds the sum.
        let raised = Dictionary(
            records.filter { $0.kind == .increment && $0.state == .approved }.map { ($0.original ?? 0, $0.amount) },
            uniquingKeysWith: +)
        func original(_ record: AcquirerRecord) -> IdempotencyKey? {
            record.original.flatMap { owners[$0] }.map { keys[$0] ?? $0.issuerKey }
        }
        let transactions = order.map { key in
            let own = found[key] ?? []
            let moving = own.filter(\.kind.isTransaction)
            let last = moving.last ?? own.last
            let moved = moving.reduce(0) { $0 + $1.moved + (givenBack[$1.id] ?? 0) }
            let isRefund = last?.kind == .refund
            let isHeld = last?.kind == .authorization && last?.state == .authorized
            let held =
                isHeld ? last.map { ($0.approved ?? $0.amount) + raised[$0.id, default: 0] } ?? 0 : 0
            return (
                key: keys[key] ?? key.issuerKey,
                state: IssuerTransactionState(
                    isRefund: isRefund, original: isRefund ? last.flatMap(original) : nil, minorUnits: moved,
                    held: held, currency: last?.currency ?? "XXX", responseCode: last?.response,
                    isReversed: moved == 0 && own.contains { $0.state == .reversed || $0.missing != nil })
            )
        }
        states =
            transactions
            + refunds.map { void in
                (
                    key: keys[void.key] ?? void.key.issuerKey,
                    state: IssuerTransactionState(
                        isRefund: true, original: original(void), minorUnits: void.amount, currency: void.currency,
                        responseCode: void.response)
                )
            }
    }

    /// The transaction that a record is or, for a reversal of one that never came, would have been.
    private static func subject(_ record: AcquirerRecord) -> AcquirerKey? {
        if record.kind.isRequest { return record.key }
        guard let missing = record.missing else { return nil }
        let parts = missing.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, let time = parts.last else { return nil }
        return AcquirerKey(
            terminal: record.terminal, traceNumber: String(parts[parts.count - 2]), localTime: String(time))
    }

    /// Gives each attempt the nearest key with its trace number that no other attempt has. A key of `withoutYear` has
    /// the year that is nearest to the attempt.
    private static func keys(
        of found: [AcquirerKey], _ attempts: [Attempt], _ time: any TimeSource, withoutYear: Set<AcquirerKey>
    ) -> [AcquirerKey: IdempotencyKey] {
        let byNumber = Dictionary(grouping: found) { Int64($0.traceNumber) ?? -1 }
        var keys: [AcquirerKey: IdempotencyKey] = [:]
        for attempt in attempts {
            let offset = time.offsetSeconds(at: attempt.at)
            let free = (byNumber[attempt.traceNumber] ?? []).filter { keys[$0] == nil }
            guard attempt.sentTimes.isEmpty else {
                let key =
                    free.first { attempt.sentTimes.contains($0.localTime) }
                    ?? free.first { key in
                        withoutYear.contains(key)
                            && attempt.sentTimes.contains { Self.isSameDay($0, key.localTime) }
                    }
                if let key { keys[key] = attempt.key }
                continue
            }
            let near = free.compactMap { key -> (key: AcquirerKey, distance: Int64)? in
                guard let moment = moment(key.localTime, near: attempt.at, offset) else { return nil }
                var distance = abs(moment.milliseconds - attempt.at.milliseconds)
                if withoutYear.contains(key), let own = CivilDate(key.localTime),
                    let near = MessageDates.local(
                        MessageDates.local(own, .v1987), .v1987, near: attempt.at.civil(offsetSeconds: offset))
                {
                    let moment = Timestamp(near, offsetSeconds: offset)
                    distance = min(distance, abs(moment.milliseconds - attempt.at.milliseconds))
                }
                return distance <= window ? (key, distance) : nil
            }
            if let nearest = near.min(by: { $0.distance < $1.distance }) { keys[nearest.key] = attempt.key }
        }
        return keys
    }

    /// Whether two local times, such as `2026-01-02T15:04:05`, differ in nothing but their year.
    private static func isSameDay(_ one: String, _ other: String) -> Bool {
        one.utf8.count > 10 && one.dropFirst(4) == other.dropFirst(4)
    }

    /// The moment of a local time, or of field 7.
    private static func moment(_ text: String, near now: Timestamp, _ offset: Int) -> Timestamp? {
        CivilDate(text).map { Timestamp($0, offsetSeconds: offset) } ?? MessageDates.transmission(text, near: now)
    }
}
