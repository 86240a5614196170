import Determinism
import Money
import Payments
import Terminal
import Text

/// Makes the objects of responses.
struct NexoResponses {
    let desk: NexoDesk
    let merchantID: String
    let now: Timestamp
    /// The second half of the transaction's ID.
    let reference: String

    static let success: JSONValue = ["Result": "Success"]

    private func transactionID(_ tender: String, isBooked: Bool) -> String {
        isBooked ? tender + "." + reference : tender
    }

    private func data(_ id: String) -> JSONValue {
        [
            "POITransactionID": ["TransactionID": .text(id), "TimeStamp": .text("\(now)")],
            "POIReconciliationID": .text("\(desk.reconciliation)"),
        ]
    }

    /// The response to a payment, and the ID under which a later message finds it; nil when nothing was booked.
    func payment(
        _ payment: NexoPayment, _ tender: String, _ outcome: TerminalOutcome
    ) -> (json: JSONValue, id: String?, receipt: NexoReceipt?) {
        let transaction = outcome.transaction
        let id = transactionID(tender, isBooked: transaction != nil)
        let card = outcome.card
        let receipt = receipt(
            tender, sale: payment.sale, amount: transaction?.amount ?? payment.amount, outcome,
            isRefund: payment.kind == .refund)
        var result: [JSONValue.Member] = []
        if let transaction {
            result += [
                .init(
                    "AmountsResp",
                    [
                        "Currency": .text(transaction.amount.currency.code),
                        "AuthorizedAmount": .number(transaction.amount.decimalText),
                    ]), .init("OnlineFlag", .bool(transaction.isOnline)),
                .init("PaymentAcquirerData", acquirer(transaction)),
            ]
        }
        result.append(.init("PaymentType", .text(payment.type)))
        if let card {
            let methods = NexoCard.authentication(card)
            if !methods.isEmpty { result.append(.init("AuthenticationMethod", .list(methods))) }
            result.append(.init("PaymentInstrumentData", NexoCard.instrument(card)))
        }
        let response =
            NexoFailure(outcome)?.response
            ?? [
                "Result": "Success",
                "AdditionalResponse": .text(
                    additional(payment.sale, transaction, isRefund: payment.kind == .refund)),
            ]
        let json = JSONValue.members([
            "Response": response, "SaleData": ["SaleTransactionID": payment.sale], "POIData": data(id),
            "PaymentResult": .object(result),
            "PaymentReceipt": payment.receipts == .till ? receipt?.json : nil,
        ])
        return (json, transaction == nil ? nil : id, payment.receipts == .terminal ? receipt : nil)
    }

    func reversal(
        _ reversal: NexoReversal, _ tender: String, _ outcome: TerminalOutcome
    ) -> (json: JSONValue, id: String?, receipt: NexoReceipt?) {
        let transaction = outcome.transaction
        let id = transactionID(tender, isBooked: transaction != nil)
        let receipt = receipt(tender, sale: reversal.sale, amount: reversal.amount, outcome, isRefund: true)
        let response =
            NexoFailure(outcome)?.response
            ?? [
                "Result": "Success",
                "AdditionalResponse": .text(
                    additional(reversal.sale, transaction, isRefund: true)
                        + "&" + NexoText.pairs([("originalReference", reversal.original)])),
            ]
        let json = JSONValue.members([
            "Response": response, "POIData": data(id), "OriginalPOITransaction": reversal.reference,
            "ReversedAmount": transaction == nil ? nil : .number(reversal.amount.decimalText),
            "SaleData": reversal.sale.map { ["SaleTransactionID": $0] },
            "PaymentReceipt": reversal.receipts == .till ? receipt?.json : nil,
        ])
        return (json, transaction == nil ? nil : id, reversal.receipts == .terminal ? receipt : nil)
    }

    func acquisition(_ sale: JSONValue, _ tender: String, _ outcome: TerminalOutcome) -> JSONValue {
        var card: CardDetails?
        if case .done(let report) = outcome { card = report.card }
        return .members([
            "Response": NexoFailure(outcome)?.response ?? Self.success, "SaleData": ["SaleTransactionID": sale],
            "POIData": data(tender), "PaymentInstrumentData": card.map { NexoCard.instrument($0) },
        ])
    }

    // MARK: Parts

    private func acquirer(_ transaction: TerminalTransaction) -> JSONValue {
        .members([
            "MerchantID": .text(merchantID), "AcquirerPOIID": .text(desk.poi),
            "AcquirerTransactionID": ["TransactionID": .text(reference), "TimeStamp": .text("\(now)")],
            "ApprovalCode": transaction.card?.authorizationCode.map { .text($0) },
        ])
    }

    private func receipt(
        _ tender: String, sale: JSONValue?, amount: Money, _ outcome: TerminalOutcome, isRefund: Bool
    ) -> NexoReceipt? {
        let (date, card, isApproved): (CivilDate, CardDetails?, Bool)
        switch outcome {
        case .approved(let transaction): (date, card, isApproved) = (transaction.date, transaction.card, true)
        case .declined(let decline): (date, card, isApproved) = (decline.date, decline.card, false)
        case .canceled, .failed, .done: return nil
        }
        return NexoReceipt(
            poi: desk.poi, merchantID: merchantID, tender: tender, sale: sale?["TransactionID"]?.string,
            amount: amount, date: date, card: card, isApproved: isApproved, isRefund: isRefund)
    }

    /// The pairs of AdditionalResponse. Amounts are in minor units here.
    private func additional(_ sale: JSONValue?, _ transaction: TerminalTransaction?, isRefund: Bool) -> String {
        var pairs = [(name: "pspReference", value: reference)]
        func add(_ name: String, _ value: String?) { if let value { pairs.append((name, value)) } }
        add("merchantReference", sale?["TransactionID"]?.string)
        add("tid", desk.poi)
        add("mid", merchantID)
        add("transactionType", isRefund ? "REFUND" : "GOODS_SERVICES")
        guard let transaction else { return NexoText.pairs(pairs) }
        add("posAuthAmountValue", "\(transaction.amount.minorUnits)")
        add("posAuthAmountCurrency", transaction.amount.currency.code)
        let date = transaction.date
        add("txdate", "\(date.day.zeroPadded(to: 2))-\(date.month.zeroPadded(to: 2))-\(date.year)")
        add("txtime", date.timeText)
        add("offline", transaction.isOnline ? "false" : "true")
        guard let card = transaction.card else { return NexoText.pairs(pairs) }
        add("authCode", card.authorizationCode)
        add("cardSummary", card.lastFour)
        add("paymentMethod", NexoCard.brand(card))
        add("applicationLabel", card.applicationName)
        add("AID", card.aid)
        add("posEntryMode", NexoCard.receiptEntryMode(card))
        return NexoText.pairs(pairs)
    }
}

extension TerminalOutcome {
    /// The card that was read; nil without one.
    fileprivate var card: CardDetails? {
        switch self {
        case .approved(let transaction): transaction.card
        case .declined(let decline): decline.card
        case .canceled, .failed, .done: nil
        }
    }
}

/// Makes the parts of transaction IDs. The same source gives the same ones in the same order.
struct NexoNames: Sendable {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private let random: any RandomSource

    init(_ random: any RandomSource) { self.random = random.stream("transactions") }

    private func text(_ count: Int) -> String {
        String((0..<count).map { _ in Self.letters[Int(random.number(in: 0...UInt32(Self.letters.count - 1)))] })
    }

    /// The tender: four characters, `001`, the seconds since 1970, and three digits.
    func tender(at now: Timestamp) -> String {
        let seconds = (max(0, now.milliseconds) / 1000).zeroPadded(to: 10)
        return text(4) + "001" + seconds + random.number(in: 0...999).zeroPadded(to: 3)
    }

    /// The reference of the payment platform: 16 characters.
    func reference() -> String { text(16) }
}
