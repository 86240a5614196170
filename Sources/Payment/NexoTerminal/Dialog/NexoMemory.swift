import Determinism
import Money
import Payments
public import Terminal
import Text

/// The data that a terminal keeps of a message that moves money or closes the batch: enough to answer again after a
/// restart. The model keeps the operation.
struct NexoMemory {
    let dialog: NexoDialog
    /// The second half of the transaction's ID; nil before the work has ended.
    let reference: String?
    /// The number of the batch in which it began.
    let reconciliation: Int

    init(_ dialog: NexoDialog, reference: String?, reconciliation: Int) {
        (self.dialog, self.reference, self.reconciliation) = (dialog, reference, reconciliation)
    }

    /// The text to keep.
    var text: String {
        var members: [String: JSONValue?] = [
            "header": dialog.call.header.json, "tender": .text(dialog.tender), "reference": reference.map { .text($0) },
            "reconciliation": JSONValue(reconciliation),
        ]
        switch dialog.purpose {
        case .payment(let payment):
            members["type"] = .text(payment.type)
            members["sale"] = payment.sale
            members["receipts"] = payment.receipts.kept
            if case .completion(let original) = payment.kind { members["original"] = .text(original) }
        case .reversal(let reversal):
            members["original"] = .text(reversal.original)
            // The operation of a release has no amount.
            members["amount"] = JSONValue(reversal.amount.minorUnits)
            members["currency"] = .text(reversal.amount.currency.code)
            members["originalTransaction"] = reversal.reference
            members["sale"] = reversal.sale
            members["receipts"] = reversal.receipts.kept
        case .reconciliation(let type): members["type"] = .text(type)
        case .acquisition, .display, .input, .print, .totals, .diagnosis: break
        }
        let kept = members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }
        return JSONValue.object(kept.sorted { $0.name < $1.name }).jsonText
    }

    /// Reads what was kept; nil when it is of no message of this protocol.
    init?(_ kept: KeptRequest) {
        guard let json = JSONReader.node(Array(kept.note.utf8)), let header = json["header"].flatMap(NexoHeader.init),
            let tender = json["tender"]?.textValue, let purpose = Self.purpose(kept.request.operation, json)
        else { return nil }
        dialog = NexoDialog(
            call: NexoCall(number: .min, way: .local, header: header, key: nil), key: kept.request.key,
            purpose: purpose, tender: tender, started: kept.started)
        reference = json["reference"]?.textValue
        reconciliation = json["reconciliation"]?.textValue.flatMap { Int($0) } ?? 0
    }

    private static func purpose(_ operation: TerminalOperation, _ json: JSONValue) -> NexoDialog.Purpose? {
        let (original, type) = (json["original"]?.textValue, json["type"]?.textValue)
        let receipts: NexoReceiptWish = json["receipts"] == "till" ? .till : .terminal
        let payment: (kind: NexoPayment.Kind, amount: Money)
        switch (operation, original) {
        case (.payment(let amount, _), _): payment = (.sale, amount)
        case (.refund(let amount), _): payment = (.refund, amount)
        case (.preauthorization(let amount), _): payment = (.reservation, amount)
        case (.capture(_, .part(let amount)), let original?): payment = (.completion(of: original), amount)
        case (.giveBack, let original?), (.release, let original?):
            guard let units = json["amount"]?.textValue.flatMap({ Int64($0) }),
                let currency = json["currency"]?.textValue.flatMap({ try? Currency(code: $0) }),
                let amount = try? Money(minorUnits: units, currency: currency)
            else { return nil }
            return .reversal(
                NexoReversal(
                    original: original, amount: amount, reference: json["originalTransaction"] ?? .null,
                    sale: json["sale"], receipts: receipts))
        case (.endOfDay, _): return type.map { .reconciliation(type: $0) }
        default: return nil
        }
        guard let type else { return nil }
        return .payment(
            NexoPayment(
                kind: payment.kind, amount: payment.amount, type: type, sale: json["sale"] ?? .null,
                receipts: receipts))
    }
}

extension NexoReceiptWish {
    fileprivate var kept: JSONValue { self == .till ? "till" : "terminal" }
}

// What begins again after a restart.
extension NexoTerminal {
    /// Takes up what the terminal kept before it stopped: TransactionStatus finds each message again, ServiceIDs stay
    /// taken, and transactions can be taken back. A request that ran becomes work of the reader.
    ///
    /// - Parameters:
    ///   - kept: the requests in the order in which they began, each with how it ended.
    ///   - objects: the nonces of encrypted messages, in the order in which they came.
    ///   - offset: the local time of the terminal, in seconds east of UTC.
    ///   - reader: the reader, where terminals of other protocols share it.
    public mutating func takeUp(
        _ kept: [KeptRequest], objects: [KeptObject] = [], offset: Int, reader: SharedReader?
    ) {
        takeUpNonces(objects)
        for poi in options.terminals {
            let known = kept.compactMap { request in NexoMemory(request).map { (request, $0) } }
                .filter { $0.1.dialog.call.header.poi == poi }
            var desk = NexoDesk(
                poi: poi, model: TerminalModel(kept: known.map(\.0), offset: offset, reader: reader))
            for (request, memory) in known { takeUp(request, memory, &desk) }
            desks[poi] = desk
            takeWork(of: poi)
        }
    }

    private mutating func takeUp(_ request: KeptRequest, _ memory: NexoMemory, _ desk: inout NexoDesk) {
        let dialog = memory.dialog
        desk.reconciliation = max(desk.reconciliation, memory.reconciliation)
        switch dialog.purpose {
        case .payment(let payment):
            if case .completion(let id) = payment.kind, let hold = desk.transactions[id] {
                desk.transactions[id]?.returned = hold.amount.minorUnits
            }
        case .reversal(let reversal): desk.transactions[reversal.original]?.returned += reversal.amount.minorUnits
        default: break
        }
        guard let outcome = request.outcome else {
            desk.takeUp(dialog)
            place(dialog.key, at: desk.poi)
            return
        }
        let reference = memory.reference ?? names.reference()
        let answer = at(request.changed) {
            $0.end(dialog, outcome, reference: reference, isRepeated: true, &desk)
        }
        desk.keep(answer, of: dialog)
        guard memory.reference == nil else { return }
        // The till must see the same ID after the next restart, too.
        var change = TerminalChange(request)
        change.note = NexoMemory(dialog, reference: reference, reconciliation: memory.reconciliation).text
        add(change)
    }
}
