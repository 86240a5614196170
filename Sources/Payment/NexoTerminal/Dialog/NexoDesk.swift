import Determinism
import Money
import Payments
import Terminal
import Text

/// One terminal: its model, the message that it works for, and what can be asked for later.
struct NexoDesk: Sendable {
    /// `model-serial`
    let poi: String
    private(set) var model: TerminalModel
    private(set) var dialog: NexoDialog?
    private(set) var entries: [NexoMessageID: NexoEntry] = [:]
    private var order: [NexoMessageID] = []
    /// The transactions by TransactionID.
    var transactions: [String: NexoTransaction] = [:]
    /// The till that logged in last, and has not logged out.
    var loggedIn: String?
    /// The card that was acquired and waits for its payment.
    private(set) var acquired: Acquisition?
    /// The number of the open batch (POIReconciliationID).
    var reconciliation = 1000

    /// A card that holds the terminal.
    struct Acquisition: Hashable, Sendable {
        let key: IdempotencyKey
        let till: String
        let transactionID: String
        /// When its message came.
        let date: Timestamp

        /// Whether its till has left it for so long that others get the terminal.
        func isLeft(at now: Timestamp) -> Bool { now >= date.advanced(by: TerminalPatience.cardholder) }
    }

    /// How long a ServiceID stays taken: 48 hours.
    static let lifetime = Duration.seconds(48 * 3600)

    init(poi: String, model: TerminalModel = TerminalModel()) { (self.poi, self.model) = (poi, model) }

    // MARK: Messages

    /// Takes a message that must not come twice.
    ///
    /// - Throws: `Busy` while the first one is carried out, `NotAllowed` afterwards; nothing is done again.
    mutating func checkNew(_ id: NexoMessageID, at now: Timestamp) throws(NexoFailure) {
        forget(before: now.advanced(by: .zero - Self.lifetime))
        guard let entry = entries[id] else {
            // The model remembers the till's newest transaction, and what is held, for longer.
            let till = TillID(rawValue: id.saleID)
            let known = [model.lastTransaction(of: till)].compactMap(\.self) + model.openPreauthorizations(of: till)
            guard !known.contains(where: { $0.request.key.rawValue.hasPrefix("\(poi)/\(id.serviceID)/") }) else {
                throw NexoFailure(.notAllowed, "Duplicate message: the request was carried out before")
            }
            return
        }
        guard entry.answer != nil else { throw busy }
        throw NexoFailure(
            .notAllowed,
            "Duplicate message: ask for its result with TransactionStatus, or use another ServiceID")
    }

    private mutating func forget(before limit: Timestamp) {
        let old = order.prefix { entries[$0].map { $0.date < limit && $0.answer != nil } ?? true }
        for id in old { entries[id] = nil }
        order.removeFirst(old.count)
        guard !old.isEmpty else { return }
        model.forget(before: limit.civil(offsetSeconds: 0))
    }

    private mutating func record(_ header: NexoHeader, _ answer: JSONValue.Member?, at now: Timestamp) {
        if entries[header.id] == nil { order.append(header.id) }
        entries[header.id] = NexoEntry(header: header, date: entries[header.id]?.date ?? now, answer: answer)
    }

    /// The newest payment or reversal; nil without one.
    var newestTransaction: NexoEntry? {
        order.lazy.reversed().compactMap { entries[$0] }.first {
            [.payment, .reversal, .cardAcquisition].contains($0.header.category)
        }
    }

    // MARK: The model

    /// The failure of a message that comes while another one is carried out.
    var busy: NexoFailure {
        guard let dialog else {
            return NexoFailure(.busy, "Another till holds the terminal")
        }
        let header = dialog.call.header
        return NexoFailure(
            .busy, "\(header.category.rawValue)Request in progress",
            [.init(name: "serviceId", value: header.id.serviceID)])
    }

    /// Begins the work of a message.
    ///
    /// - Parameters:
    ///   - dialog: the message.
    ///   - operation: what it asks for.
    ///   - card: the acquired card that the message uses; nil for none.
    /// - Throws: `Busy`, `InsertedCard`, or `NotAllowed` for a message that came before; nothing began then.
    mutating func begin(
        _ dialog: NexoDialog, _ operation: TerminalOperation, card: Acquisition? = nil
    ) throws(NexoFailure) {
        guard self.dialog == nil else { throw busy }
        if let acquired, acquired != card {
            if acquired.till != dialog.call.header.id.saleID {
                guard acquired.isLeft(at: dialog.started) else { throw busy }
            } else if operation.needsCard {
                throw NexoFailure(.insertedCard, "The acquired card is in the reader: use it, or let it go")
            }
        }
        var next = model
        if let acquired { next.confirm(acquired.key) }
        let request = TerminalRequest(
            key: dialog.key, till: TillID(rawValue: dialog.call.header.id.saleID), operation: operation)
        let status: TerminalStatus
        do throws(TerminalRefusal) { status = try next.start(request) } catch {
            if case .busy = error { throw busy }
            throw NexoFailure(.notAllowed, "Duplicate message: the ServiceID belongs to another request")
        }
        guard case .running = status else {
            throw NexoFailure(.notAllowed, "Duplicate message: the request was carried out before")
        }
        (model, self.dialog) = (next, dialog)
        acquired = nil
        record(dialog.call.header, nil, at: dialog.started)
    }

    mutating func report(_ progress: TerminalProgress, of key: IdempotencyKey) throws(TerminalRefusal) {
        try model.report(progress, of: key)
    }

    /// Ends the work of the message.
    ///
    /// - Returns: the message.
    /// - Throws: `TerminalRefusal`; nothing changed then.
    mutating func finish(
        _ key: IdempotencyKey, _ outcome: TerminalOutcome, at date: CivilDate
    ) throws(TerminalRefusal) -> NexoDialog {
        guard let dialog, dialog.key == key else { throw .unknownRequest(key) }
        try model.finish(key, outcome, at: date)
        self.dialog = nil
        // A till asks for an answer that it did not get, so that the terminal is free at once. Only an acquired card
        // holds it.
        if case .acquisition = dialog.purpose, case .done = outcome { return dialog }
        model.confirm(key)
        return dialog
    }

    /// Keeps the answer of a message, so that it can be asked for.
    mutating func keep(_ answer: JSONValue.Member, of dialog: NexoDialog) {
        record(dialog.call.header, answer, at: dialog.started)
    }

    mutating func hold(_ acquisition: Acquisition) { acquired = acquisition }

    /// Lets an acquired card go.
    mutating func releaseCard() {
        if let acquired { model.confirm(acquired.key) }
        acquired = nil
    }

    mutating func cancel(_ key: IdempotencyKey, _ reason: TerminalCancellation) { _ = model.cancel(key, reason) }

    mutating func print(_ receipts: [TerminalReceipt]) { model.print(receipts) }

    mutating func nextWork() -> TerminalWork? { model.nextWork() }

    mutating func takeChanges() -> [TerminalChange] { model.takeChanges() }

    /// Takes up a message whose work ran when the terminal stopped.
    mutating func takeUp(_ dialog: NexoDialog) {
        if case .running = model.status(of: dialog.key) { self.dialog = dialog }
        record(dialog.call.header, nil, at: dialog.started)
    }
}
