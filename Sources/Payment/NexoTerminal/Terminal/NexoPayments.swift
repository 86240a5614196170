import Money
import Payments
import Terminal
import Text

// Messages that move money.
extension NexoTerminal {
    /// Begins a PaymentRequest.
    mutating func pay(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) {
        let desk = try freeDesk(for: call)
        try Self.checkConditions(request)
        let type = request.at("PaymentData", "PaymentType")?.string ?? "Normal"
        let original = request.at(
            "PaymentTransaction", "OriginalPOITransaction", "POITransactionID", "TransactionID")?.string
        let kind = try Self.kind(type, original: original)
        let amount = try Self.amount(request["PaymentTransaction"]?["AmountsReq"])
        try Self.checkCurrency(request["SaleData"], amount.currency, "SaleToPOIRequest.PaymentRequest")
        let payment = NexoPayment(
            kind: kind, amount: amount, type: type, sale: request.at("SaleData", "SaleTransactionID") ?? .null,
            receipts: NexoReceiptWish(request["SaleData"]))
        let card = try Self.card(request, desk, call)
        switch kind {
        case .sale: try begin(call, .payment(payment), .payment(amount: amount), card: card)
        case .refund: try begin(call, .payment(payment), .refund(amount: amount), card: card)
        case .reservation: try begin(call, .payment(payment), .preauthorization(amount: amount), card: card)
        case .completion(let id):
            guard let hold = desk.transactions[id] else { throw NexoFailure(.notFound, "Transaction not found") }
            guard hold.kind != .completed else { throw Self.completed }
            guard hold.kind == .hold, hold.returned == 0 else {
                throw NexoFailure(.notAllowed, "The transaction holds no amount")
            }
            guard hold.amount.currency == amount.currency, amount.minorUnits <= hold.amount.minorUnits else {
                throw NexoFailure(.notAllowed, "The amount is above the one that is held")
            }
            try begin(call, .payment(payment), .capture(of: .request(hold.key), .part(amount))) { desk in
                desk.transactions[id]?.returned = hold.amount.minorUnits
            }
        }
    }

    private static let completed = NexoFailure(
        .notAllowed, "The hold was completed: name the transaction of the Completion")

    /// The terminal of a message that has not come before, while nothing else runs there. What the message is about is
    /// read afterward: the first one has changed it.
    ///
    /// - Throws: `Busy` or `NotAllowed`
    private mutating func freeDesk(for call: NexoCall) throws(NexoFailure) -> NexoDesk {
        guard var desk = desks[call.header.poi] else { throw NexoFailure(.deviceOut) }
        try desk.checkNew(call.header.id, at: now)
        desks[desk.poi] = desk
        guard desk.dialog == nil else { throw desk.busy }
        return desk
    }

    /// Begins a ReversalRequest: gives a payment back, or a part of it, or releases what is held.
    mutating func reverse(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) {
        let desk = try freeDesk(for: call)
        let place = "SaleToPOIRequest.ReversalRequest"
        let reference = request["OriginalPOITransaction"] ?? .null
        guard let id = reference.at("POITransactionID", "TransactionID")?.string,
            let original = desk.transactions[id]
        else { throw NexoFailure(.notFound, "Transaction not found") }
        guard original.kind != .refund else { throw NexoFailure(.notAllowed, "A refund can't be taken back") }
        guard original.kind != .completed else { throw Self.completed }
        guard original.rest > 0 else { throw NexoFailure(.notAllowed, "Transaction is already voided") }
        try Self.checkCurrency(request["SaleData"], original.amount.currency, place)
        let amount: Money
        if let number = request["ReversedAmount"] {
            amount = try Self.money(number, original.amount.currency, place, "ReversedAmount")
        } else {
            amount = try Self.money(minorUnits: original.rest, original.amount.currency)
        }
        guard amount.minorUnits <= original.rest else {
            throw NexoFailure(.notAllowed, "The amount is above what is left of the transaction")
        }
        guard original.kind != .hold || amount == original.amount else {
            throw NexoFailure(.notAllowed, "A held amount is released as a whole")
        }
        let reversal = NexoReversal(
            original: id, amount: amount, reference: reference, sale: request.at("SaleData", "SaleTransactionID"),
            receipts: NexoReceiptWish(request["SaleData"]))
        let operation: TerminalOperation =
            original.kind == .hold
            ? .release(of: .request(original.key)) : .giveBack(of: .request(original.key), amount: amount)
        try begin(call, .reversal(reversal), operation) { $0.transactions[id]?.returned += amount.minorUnits }
    }

    /// Books what a payment changed.
    mutating func book(
        _ payment: NexoPayment, _ id: String?, _ dialog: NexoDialog, _ outcome: TerminalOutcome,
        _ desk: inout NexoDesk
    ) {
        if case .completion(let hold) = payment.kind {
            guard let id, let amount = outcome.transaction?.amount, let held = desk.transactions[hold] else {
                desk.transactions[hold]?.returned = 0
                return
            }
            // What is charged is the payment that began as the hold, under its new ID.
            desk.transactions[hold]?.kind = .completed
            desk.transactions[id] = NexoTransaction(key: held.key, kind: .sale, amount: amount)
            return
        }
        guard let id, let amount = outcome.transaction?.amount else { return }
        let kind: NexoTransaction.Kind =
            switch payment.kind {
            case .sale, .completion: .sale
            case .refund: .refund
            case .reservation: .hold
            }
        desk.transactions[id] = NexoTransaction(key: dialog.key, kind: kind, amount: amount)
    }

    /// Books what a reversal changed.
    mutating func book(
        _ reversal: NexoReversal, _ id: String?, _ dialog: NexoDialog, _ desk: inout NexoDesk
    ) {
        guard let id else {
            desk.transactions[reversal.original]?.returned -= reversal.amount.minorUnits
            return
        }
        desk.transactions[id] = NexoTransaction(key: dialog.key, kind: .refund, amount: reversal.amount)
    }

    // MARK: What a request says

    private static func kind(_ type: String, original: String?) throws(NexoFailure) -> NexoPayment.Kind {
        switch type {
        case "Completion":
            guard let original else {
                throw .format(
                    "SaleToPOIRequest.PaymentRequest.PaymentTransaction", "OriginalPOITransaction", "Missing")
            }
            return .completion(of: original)
        case _ where original != nil:
            throw NexoFailure(.notAllowed, "Only a Completion has an original transaction: use a ReversalRequest")
        case "Normal": return .sale
        case "Refund": return .refund
        case "FirstReservation", "OneTimeReservation": return .reservation
        case "CashAdvance", "CashDeposit", "Instalment", "IssuerInstalment", "PaidOut", "Recurring",
            "UpdateReservation":
            throw NexoFailure(.unavailableService, "PaymentType \(type) is not supported")
        default:
            throw .format("SaleToPOIRequest.PaymentRequest.PaymentData", "PaymentType", "Unknown")
        }
    }

    /// Refuses what would change the payment and can't be done here. It must not be passed over.
    private static func checkConditions(_ request: JSONValue) throws(NexoFailure) {
        let conditions = request.at("PaymentTransaction", "TransactionConditions")
        let data = request["PaymentData"]
        let lists = ["AllowedPaymentBrand", "ForceEntryMode", "AllowedLoyaltyBrand"]
        for name in lists where conditions?[name]?.elements.isEmpty == false { throw notDone(name) }
        for name in ["ForceOnlineFlag", "DebitPreferredFlag"] where conditions?[name]?.flag == true {
            throw notDone(name)
        }
        if data?["SplitPaymentFlag"]?.flag == true { throw notDone("SplitPaymentFlag") }
        for name in ["Instalment", "PaymentInstrumentData"] where data?[name] != nil { throw notDone(name) }
        if request["LoyaltyData"] != nil { throw notDone("LoyaltyData") }
        for member in NexoText.members(of: request.at("SaleData", "SaleToAcquirerData"))
        where changesPayment(member) { throw notDone("SaleToAcquirerData.\(member.name)") }
    }

    /// The values of tenderOption that leave the payment as it is.
    private static let harmlessOptions = ["ReceiptHandler", "GetAdditionalData", "PaymentDetails"]

    /// Whether a member of SaleToAcquirerData asks for another payment than the one that is made.
    private static func changesPayment(_ member: JSONValue.Member) -> Bool {
        switch member.name {
        case "authorisationType": member.value.textValue != "FinalAuth"
        case "manualCapture": member.value.textValue != "false" && member.value != .bool(false)
        case "tenderOption":
            member.value.textValue?.split(separator: ",").allSatisfy { harmlessOptions.contains(String($0)) } != true
        case "captureDelayHours", "installments", "redemptionType", "split", "splits": true
        default: member.name.hasPrefix("split.") || member.name.hasPrefix("installments.")
        }
    }

    private static func notDone(_ name: String) -> NexoFailure {
        NexoFailure(.notAllowed, "The terminal can't do what \(name) asks for")
    }

    private static func amount(_ amounts: JSONValue?) throws(NexoFailure) -> Money {
        let place = "SaleToPOIRequest.PaymentRequest.PaymentTransaction.AmountsReq"
        let others = [
            "CashBackAmount", "TipAmount", "PaidAmount", "MinimumAmountToDeliver", "MaximumCashBackAmount",
            "MinimumSplitAmount",
        ]
        for name in others {
            guard let text = amounts?[name]?.textValue else { continue }
            guard ExactDecimal(text)?.coefficient == 0 else { throw notDone(name) }
        }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: amounts?["Currency"]?.string ?? "") } catch {
            throw .format(place, "Currency", "Not a currency code of ISO 4217")
        }
        guard let number = amounts?["RequestedAmount"] else { throw .format(place, "RequestedAmount", "Missing") }
        return try money(number, currency, place, "RequestedAmount")
    }

    /// Reads an amount in major units, exactly as it was written.
    private static func money(
        _ number: JSONValue, _ currency: Currency, _ place: String, _ name: String
    ) throws(NexoFailure) -> Money {
        guard let decimal = number.textValue.flatMap({ ExactDecimal($0) }) else {
            throw .format(place, name, "Too many digits")
        }
        let money: Money
        do throws(MoneyError) { money = try Money(decimal, currency: currency) } catch {
            throw .format(place, name, "\(error)")
        }
        guard money.minorUnits > 0 else { throw .format(place, name, "Not above zero") }
        return money
    }

    private static func money(minorUnits: Int64, _ currency: Currency) throws(NexoFailure) -> Money {
        do throws(MoneyError) { return try Money(minorUnits: minorUnits, currency: currency) } catch {
            throw NexoFailure(.notAllowed, "\(error)")
        }
    }

    /// The currency of a partial amount is in SaleToAcquirerData, if anywhere.
    private static func checkCurrency(
        _ sale: JSONValue?, _ currency: Currency, _ place: String
    ) throws(NexoFailure) {
        let given = NexoText.members(of: sale?["SaleToAcquirerData"]).filter { $0.name == "currency" }
        guard given.allSatisfy({ $0.value.textValue == currency.code }) else {
            throw .format(
                place + ".SaleData", "SaleToAcquirerData", "The transaction has the currency \(currency.code)")
        }
    }

    /// The acquired card that a payment uses; nil when it names none.
    private static func card(
        _ request: JSONValue, _ desk: NexoDesk, _ call: NexoCall
    ) throws(NexoFailure) -> NexoDesk.Acquisition? {
        let reference = request.at("PaymentData", "CardAcquisitionReference", "TransactionID")
        guard let id = reference?.string else { return nil }
        guard let acquired = desk.acquired, acquired.transactionID == id, acquired.till == call.header.id.saleID else {
            throw NexoFailure(.notFound, "No card was acquired under this reference")
        }
        return acquired
    }
}
