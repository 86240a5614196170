public import Determinism
public import Payments
public import Storage

/// Payments can be watched as they are stored. What their store sites know is stored beside them.
extension Payment: ObservableModel, ReadOnlyConvertible {
    /// Takes the stored payment itself: there is no other form of it.
    public init(_ model: Payment) { self = model }
    public func toReadOnly() -> Payment { self }
    public func isReadOnlyRepresentation(of record: Payment) -> Bool { id == record.id }
}

extension OrderPaymentNotification: ObservableModel, ReadOnlyConvertible {
    /// Takes the stored notification itself: there is no other form of it.
    public init(_ model: OrderPaymentNotification) { self = model }
    public func toReadOnly() -> OrderPaymentNotification { self }
    public func isReadOnlyRepresentation(of record: OrderPaymentNotification) -> Bool { id == record.id }
}

/// Follows payments: the newest ones or a single one. A payment changes with its own row, and with the
/// notification of its store site.
public struct PaymentWatch: Sendable {
    private let paymentID: PaymentID?
    private let limit: Int?
    private let storage: any StorageManagerType
    private let time: any TimeSource
    private let interval: Duration

    /// - Parameters:
    ///   - paymentID: the one payment to follow; nil for the newest.
    ///   - limit: the number of newest payments to follow; nil for all.
    ///   - storage: the database.
    ///   - time: the clock for the interval.
    ///   - interval: the time between two looks for commits of other processes.
    public init(
        paymentID: PaymentID? = nil, limit: Int? = nil, in storage: any StorageManagerType, time: any TimeSource,
        interval: Duration = .milliseconds(500)
    ) {
        (self.paymentID, self.limit, self.storage) = (paymentID, limit, storage)
        (self.time, self.interval) = (time, interval)
    }

    /// Follows the payments until the stream's task is canceled.
    ///
    /// - Parameter load: loads a payment, in the form that the caller shows.
    /// - Returns: the payments that are there, and then every change.
    public func updates<Row: Equatable & Sendable>(
        loading load: @escaping @Sendable (PaymentID) async throws -> Row
    ) -> WatchUpdate<Row>.Stream {
        .produced { continuation in
            var shown = ShownPayments(load: load)
            for try await touch in touches() {
                if let update = try await shown.follow(touch) { continuation.yield(update) }
            }
        }
    }

    // MARK: Rows

    /// The payments whose rows changed; with the list when that changed.
    private func touches() -> AsyncThrowingStream<PaymentTouch, any Error> {
        .produced { continuation in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await update in try payments() { continuation.yield(PaymentTouch(update)) }
                }
                group.addTask {
                    for try await update in notifications() where !update.changes.isEmpty {
                        continuation.yield(PaymentTouch(list: nil, touched: update.changes.map(\.row.id)))
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func payments() throws -> WatchUpdate<Payment>.Stream {
        if let row = try stored() {
            return EntityWatch(row, in: storage, time: time, interval: interval).updates()
        }
        return ListWatch(
            ResultsRequest<Payment>(
                matching: paymentID.map { id in { $0.id == id.rawValue } }, sortedBy: { [$0.id.descending] },
                limit: limit),
            in: storage, time: time, interval: interval
        ).updates()
    }

    private func notifications() -> WatchUpdate<OrderPaymentNotification>.Stream {
        ListWatch(
            ResultsRequest<OrderPaymentNotification>(
                matching: paymentID.map { id in { $0.id == id.rawValue } }, sortedBy: { [$0.id.descending] },
                limit: limit),
            in: storage, time: time, interval: interval
        ).updates()
    }

    /// The row of the one payment that is watched; nil when there is none.
    private func stored() throws -> Payment? {
        guard let paymentID else { return nil }
        return try storage.read { storage in
            try storage.rows(
                ofType: Payment.self, matching: Payment.columns.id == paymentID.rawValue, sortedBy: [],
                limit: 1, among: nil
            ).first?.record.toReadOnly()
        }
    }
}

/// A change to the rows of payments, or of the notifications of their store sites.
private struct PaymentTouch: Sendable {
    /// The numbers of the payments in the list, newest first; nil when the list is as it was.
    let list: [PaymentID]?
    let touched: [PaymentID]

    init(list: [PaymentID]?, touched: [PaymentID]) { (self.list, self.touched) = (list, touched) }

    init(_ update: WatchUpdate<Payment>) {
        list = update.rows.map(\.id)
        touched = update.changes.map(\.row.id)
    }
}

/// The payments of a watch as they were shown last.
private struct ShownPayments<Row: Equatable & Sendable> {
    private let load: @Sendable (PaymentID) async throws -> Row
    private var list: [PaymentID]?
    private var rows: [PaymentID: Row] = [:]

    init(load: @escaping @Sendable (PaymentID) async throws -> Row) { self.load = load }

    /// - Returns: nil when nothing that is shown has changed.
    mutating func follow(_ touch: PaymentTouch) async throws -> WatchUpdate<Row>? {
        let isFirst = list == nil
        // Until the list is there, everything in it is loaded anyway.
        guard let list = touch.list ?? list else { return nil }
        let isListChanged = list != self.list
        self.list = list
        var changes: [WatchedChange<Row>] = []
        for id in touch.touched where list.contains(id) {
            let row = try await load(id)
            let old = rows.updateValue(row, forKey: id)
            if old == nil { changes.append(.inserted(row)) } else if old != row { changes.append(.updated(row)) }
        }
        for id in list where rows[id] == nil { rows[id] = try await load(id) }
        guard isFirst || isListChanged || !changes.isEmpty else { return nil }
        return WatchUpdate(rows: list.compactMap { rows[$0] }, changes: changes)
    }
}
