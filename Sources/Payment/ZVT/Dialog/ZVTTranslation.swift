import Determinism
import Money
import Payments
import Terminal
import Text

extension ZVTResult {
    /// The result code of an outcome.
    init(_ outcome: TerminalOutcome) {
        switch outcome {
        case .approved, .done: self = .approved
        case .declined(let decline):
            self = decline.responseCode.flatMap { ZVTResult(responseCode: $0) } ?? .declined
        case .canceled: self = .aborted
        case .failed(let failure): self.init(failure)
        }
    }

    private init(_ failure: TerminalFailure) {
        switch failure {
        case .cardUnreadable: self = .cardUnreadable
        case .cardRemoved: self = .processingError
        case .cardExpired: self = .cardExpired
        case .cardNotAccepted: self = .unknownCard
        case .chipError: self = .chipError
        case .readerDefective: self = .readerDefective
        case .hostUnreachable: self = .noAnswerFromHost
        case .unknownTransaction, .notReversible: self = .notReversible
        case .alreadyReversed: self = .alreadyReversed
        case .notSupported: self = .notPossible
        case .outOfPaper: self = .printerNotReady
        case .wrongCurrency: self = .wrongCurrency
        case .amountTooLarge: self = .amountTooLarge
        case .notSettled: self = .endOfDayNotPossible
        case .internalError: self = .systemError
        }
    }
}

extension TerminalProgress {
    /// The intermediate status (04 FF); nil where there is nothing to show.
    var intermediateStatus: UInt8? {
        switch self {
        case .accepted: nil
        case .waitingForCard: 0x0A
        case .cardPresented, .working: 0x0E
        case .choosingApplication: 0x2C
        case .enteringPIN: 0x01
        case .wrongPIN: 0x15
        case .authorizing: 0x04
        case .recovering: 0x05
        case .removingCard: 0x4B
        }
    }
}

extension TerminalOperation {
    /// The amount that was asked for; nil where there is none.
    var requestedAmount: Money? {
        switch self {
        case .payment(let amount, _), .refund(let amount), .preauthorization(let amount): amount
        case .capture(_, .part(let amount)), .capture(_, .allBut(let amount)): amount
        case .reversal(_, let amount): amount
        case .giveBack(_, let amount): amount
        case .capture, .release, .cardReading, .endOfDay, .totals, .signOn, .diagnosis, .display, .input, .print: nil
        }
    }
}

/// Makes the status information (04 0F) of an answer. The fields have the order of the ZVT table, which old tills rely
/// on.
struct ZVTStatusInformation {
    let options: ZVTTerminalOptions
    /// Whether the till sent a currency itself.
    var showsCurrency: Bool
    /// Whether the till takes a TLV container.
    var takesObjects: Bool
    /// Whether the till compares the number of the last transaction (tag 1F1F).
    var showsLastTransaction = false

    /// Returns the message of a record.
    func message(of record: TerminalRecord) -> ZVTMessage {
        let result = ZVTResult(record.outcome)
        switch record.outcome {
        case .approved(let transaction): return approved(transaction)
        case .done(let report):
            return report.totals.map { message(of: $0) }
                ?? ZVTMessage(.statusInformation, fields: [Self.result(result)])
        case .declined(let decline):
            return failed(result, record.request.operation, decline.date, decline.card)
        case .canceled, .failed: return failed(result, record.request.operation, record.date, nil)
        }
    }

    private func approved(_ transaction: TerminalTransaction) -> ZVTMessage {
        var fields = [Self.result(.approved)]
        fields += Self.digits(0x04, transaction.amount.minorUnits, 6)
        fields += Self.digits(0x0B, Int64(transaction.trace), 3)
        if let original = transaction.originalTrace { fields += Self.digits(0x37, Int64(original), 3) }
        fields += Self.date(transaction.date)
        if let card = transaction.card {
            fields.append(ZVTField(0x19, [Self.paymentType(card, isOnline: transaction.isOnline)]))
            fields += Self.maskedNumber(card)
        }
        fields += terminalID
        if let code = transaction.card?.authorizationCode {
            fields.append(ZVTField(0x3B, Array(code.utf8).padded(to: 8, with: 0)))
        }
        fields += currency
        fields += Self.digits(0x87, Int64(transaction.receiptNumber), 2)
        if let card = transaction.card { fields += Self.cardType(card) }
        if let number = options.contractNumber {
            fields.append(ZVTField(0x2A, ZVTCharacters.ascii.bytes(of: number).padded(to: 15, with: 0x20)))
        }
        if let card = transaction.card { fields += Self.cardName(card) }
        let objects = takesObjects ? self.objects(transaction) : []
        if !objects.isEmpty { fields.append(ZVTField(objects: objects)) }
        return ZVTMessage(.statusInformation, fields: fields)
    }

    private func failed(
        _ result: ZVTResult, _ operation: TerminalOperation, _ date: CivilDate, _ card: CardDetails?
    ) -> ZVTMessage {
        var fields = [Self.result(result)]
        if let amount = operation.requestedAmount { fields += Self.digits(0x04, amount.minorUnits, 6) }
        fields += Self.date(date)
        if let card { fields += Self.maskedNumber(card) }
        fields += terminalID + currency
        if let card { fields += Self.cardType(card) + Self.cardName(card) }
        return ZVTMessage(.statusInformation, fields: fields)
    }

    /// The totals of an end of day: 53 bytes in BMP 60.
    private func message(of totals: TerminalTotals) -> ZVTMessage {
        let groups = ["girocard", "jcb", "mastercard", "americanExpress", "visa", "diners"]
        var counts = [Int](repeating: 0, count: 7)
        var sums = [Int64](repeating: 0, count: 7)
        for line in totals.lines {
            let place = groups.firstIndex(of: line.brand) ?? 6
            counts[place] += line.count
            sums[place] += line.amount
        }
        var table =
            (PackedDigits.bytes(Int64(totals.firstReceipt), 2) ?? [0, 0])
            + (PackedDigits.bytes(Int64(totals.lastReceipt), 2) ?? [0, 0])
        for (count, sum) in zip(counts, sums) {
            table.append(UInt8(clamping: count))
            // More than twelve digits have no place.
            table += PackedDigits.bytes(sum, 6) ?? [UInt8](repeating: 0x99, count: 6)
        }
        var fields = [Self.result(.approved)]
        fields += Self.digits(0x04, sums.reduce(0, +), 6)
        fields += Self.digits(0x0B, Int64(totals.trace), 3)
        fields += Self.date(totals.date)
        fields += currency
        fields.append(ZVTField(0x60, table))
        return ZVTMessage(.statusInformation, fields: fields)
    }

    private var terminalID: [ZVTField] { Self.digits(0x29, options.terminalID, 4) }

    private var currency: [ZVTField] {
        showsCurrency ? Self.digits(0x49, Int64(options.currency.numericCode), 2) : []
    }

    private static func result(_ result: ZVTResult) -> ZVTField { ZVTField(0x27, [result.rawValue]) }

    /// A field of packed digits; none when the number does not fit.
    static func digits(_ bmp: UInt8, _ number: Int64, _ count: Int) -> [ZVTField] {
        PackedDigits.bytes(number, count).map { [ZVTField(bmp, $0)] } ?? []
    }

    private static func date(_ date: CivilDate) -> [ZVTField] {
        let time = Int64(date.hour * 10_000 + date.minute * 100 + date.second)
        return digits(0x0C, time, 3) + digits(0x0D, Int64(date.month * 100 + date.day), 2)
    }

    /// 40 offline, 60 online, 70 with a PIN.
    private static func paymentType(_ card: CardDetails, isOnline: Bool) -> UInt8 {
        switch card.cardholderVerification.family {
        case .offlinePIN, .offlinePINAndSignature, .onlinePIN: 0x70
        default: isOnline ? 0x60 : 0x40
        }
    }

    /// The last four digits behind twelve that are masked, for a card number of any length.
    private static func maskedNumber(_ card: CardDetails) -> [ZVTField] {
        guard let lastFour = card.lastFour, let digits = Int64(lastFour), let end = PackedDigits.bytes(digits, 2) else {
            return []
        }
        return [ZVTField(0x22, [UInt8](repeating: 0xEE, count: 6) + end)]
    }

    /// Numbers of card types by brand. A brand without one has its name only.
    private static let cardTypes: [String: UInt8] = [
        "girocard": 5, "mastercard": 6, "americanExpress": 8, "visa": 0x0A, "diners": 0x0C, "jcb": 0x0E,
        "unionPay": 0xC6, "discover": 0xE8,
    ]

    /// The number of the card type. Maestro, which is a product of Mastercard, has one of its own.
    private static func cardType(_ card: CardDetails) -> [ZVTField] {
        let isMaestro = ["A0000000043060", "A0000000042203"].contains { card.aid?.hasPrefix($0) == true }
        return (isMaestro ? 0x2E : cardTypes[card.brand]).map { [ZVTField(0x8A, [$0])] } ?? []
    }

    /// The card's own name of its application, or the brand, with a zero behind it.
    private static func cardName(_ card: CardDetails) -> [ZVTField] {
        let name = card.applicationName ?? card.brand
        guard !name.isEmpty else { return [] }
        return [ZVTField(0x8B, Array(ZVTCharacters.ascii.bytes(of: name).prefix(98)) + [0])]
    }

    private func objects(_ transaction: TerminalTransaction) -> [ZVTObject] {
        var objects: [ZVTObject] = []
        if let card = transaction.card {
            if let aid = card.aid.flatMap({ [UInt8](hexadecimal: $0) }) { objects.append(ZVTObject(0x43, aid)) }
            objects.append(
                ZVTObject(
                    0x2F,
                    [
                        ZVTObject(0x1F10, [Self.verification(card.cardholderVerification)]),
                        ZVTObject(0x1F11, [transaction.isOnline ? 1 : 0]),
                        ZVTObject(0x1F12, [card.entryMode == .contactless ? 2 : card.entryMode == .chip ? 1 : 0]),
                    ]))
        }
        if showsLastTransaction, let number = PackedDigits.bytes(Int64(transaction.receiptNumber), 2) {
            objects.append(ZVTObject(0x1F1F, number))
        }
        return objects
    }

    private static func verification(_ method: CardDetails.CardholderVerification) -> UInt8 {
        switch method {
        case .none, .failed: 0x00
        case .signature: 0x01
        case .onlinePIN: 0x02
        case .encipheredOfflinePIN: 0x03
        case .offlinePIN: 0x04
        case .encipheredOfflinePINAndSignature: 0x05
        case .offlinePINAndSignature: 0x06
        case .device, .other: 0xFF
        }
    }
}
