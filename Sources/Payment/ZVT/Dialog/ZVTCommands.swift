import Money
import Payments
import Terminal

/// The fate of a command that is about money or the terminal.
private enum Plan {
    case start(TerminalOperation)
    /// A negative answer. The till stays master.
    case refuse
    /// A positive answer, and 06 1E.
    case fail(ZVTResult)
}

// What a till's commands mean to the terminal model.
extension ZVTTerminal {
    /// Carries out a command of a till while none runs.
    mutating func takeCommand(_ message: ZVTMessage, _ connection: Int, _ terminal: inout TerminalModel) {
        if case .password(let password)? = message.head.first, password != options.password {
            return send(.notPossible, on: connection)
        }
        switch message.control {
        case .registration: register(message, connection)
        case .logOff:
            registration = ZVTRegistration()
            send(.positive, on: connection)
        case .statusEnquiry: enquire(message, connection, terminal)
        case .language: setLanguage(message, connection, &terminal)
        case .repeatReceipt: repeatReceipt(message, connection, &terminal)
        case .partialReversal where message.bytes(0x87) == [0xFF, 0xFF]:
            showPreauthorization(message, connection, terminal)
        default:
            switch plan(message) {
            case .start(let operation): start(operation, message, connection, &terminal)
            case .refuse: send(.notPossible, on: connection)
            case .fail(let result):
                answer(message, connection, ZVTMessage(.abort, head: [.result(result)]))
            }
        }
    }

    /// Answers a command with one message.
    private mutating func answer(_ command: ZVTMessage, _ connection: Int, _ last: ZVTMessage) {
        beginDialog(command, connection, .reporting(nil))
        enqueue(.last, last)
        pump()
    }

    // MARK: Commands without the terminal model

    private mutating func register(_ message: ZVTMessage, _ connection: Int) {
        var (byte, hasCurrency) = (UInt8(0), false)
        for part in message.head {
            switch part {
            case .configuration(let value): byte = value
            case .currency(let number) where number != Int(options.currency.numericCode):
                let parts: [ZVTPart] = [.result(.wrongCurrency), .currency(Int(options.currency.numericCode))]
                return send(ZVTMessage(ZVTControl(rawValue: 0x841E), head: parts), on: connection)
            case .currency: hasCurrency = true
            default: break
            }
        }
        registration = ZVTRegistration(configuration: byte, objects: message.objects)
        registration.hasCurrency = hasCurrency
        var fields = [ZVTField(0x19, [0])]
        fields += ZVTStatusInformation.digits(0x29, options.terminalID, 4)
        fields += ZVTStatusInformation.digits(0x49, Int64(options.currency.numericCode), 2)
        let agreed = registration.agreed
        if !agreed.isEmpty { fields.append(ZVTField(objects: agreed)) }
        answer(message, connection, ZVTMessage(.completion, fields: fields))
    }

    /// 00 ready, 9C please wait, E2 without a card reader. Bit 02 of the service byte leaves the version out.
    private mutating func enquire(_ message: ZVTMessage, _ connection: Int, _ terminal: TerminalModel) {
        let status: ZVTResult = terminal.holder != nil ? .pleaseWait : hasReader ? .approved : .readerDefective
        var head: [ZVTPart] = [.status(status.rawValue)]
        if (message.bytes(0x03)?.first ?? 0) & 0x02 == 0 {
            head.insert(.version(Array(ZVTCharacters.ascii.bytes(of: options.version).prefix(999))), at: 0)
        }
        answer(message, connection, ZVTMessage(.completion, head: head))
    }

    private static let languages = [
        "de", "en", "fr", "it", "hu", "sl", "es", "cs", "sv", "nl", "pl", "sk", "da", "el", "pt", "lt",
    ]

    private mutating func setLanguage(_ message: ZVTMessage, _ connection: Int, _ terminal: inout TerminalModel) {
        guard case .language(let number)? = message.head.first, Int(number) < Self.languages.count else {
            return send(.notPossible, on: connection)
        }
        terminal.language = Self.languages[Int(number)]
        answer(message, connection, ZVTMessage(.completion))
    }

    /// The newest transaction that stands, for a till that does not know its result. Service byte: 01 with status
    /// information, 02 without print commands.
    private mutating func repeatReceipt(
        _ message: ZVTMessage, _ connection: Int, _ terminal: inout TerminalModel
    ) {
        guard terminal.holder == nil else { return send(.pleaseWait, on: connection) }
        guard let record = terminal.lastTransaction(of: options.till) else {
            return answer(message, connection, ZVTMessage(.abort, head: [.result(.notPossible)]))
        }
        let service = message.bytes(0x03)?.first ?? 0
        beginDialog(message, connection, .reporting(nil))
        if service & 0x01 != 0 { enqueue(.status, statusInformation(for: message).message(of: record)) }
        if service & 0x02 == 0 { printReceipts(of: record, message, &terminal) }
        // From here on the till counts on it, also when an earlier reversal of it failed: no later start takes it back.
        if dialog?.hasUndelivered == true { dialog?.repeated = record.request.key }
        enqueue(.last, ZVTMessage(.completion))
        pump()
    }

    /// The first pre-authorization that is held, or FFFF.
    private mutating func showPreauthorization(
        _ message: ZVTMessage, _ connection: Int, _ terminal: TerminalModel
    ) {
        let number = terminal.openPreauthorizations(of: options.till).first?.outcome.transaction?.receiptNumber
        let digits = number.flatMap { PackedDigits.bytes(Int64($0), 2) } ?? [0xFF, 0xFF]
        answer(
            message, connection,
            ZVTMessage(.abort, head: [.result(.preauthorizationError)], fields: [ZVTField(0x87, digits)]))
    }

    // MARK: Requests

    /// Gives a request to the terminal model. A transaction that the till did not see is taken back first.
    private mutating func start(
        _ operation: TerminalOperation, _ message: ZVTMessage, _ connection: Int, _ terminal: inout TerminalModel
    ) {
        guard terminal.holder == nil else { return send(.pleaseWait, on: connection) }
        let request = TerminalRequest(
            key: IdempotencyKey(rawValue: nextKey()), till: options.till, operation: operation,
            receiptColumns: registration.receiptColumns)
        if operation.movesMoney, let tag = lastNumber(in: message),
            let unseen = lastTransaction.key(unseenBy: tag.isEmpty ? nil : PackedDigits.number(tag)),
            let reversal = try? terminal.takeBack(unseen)
        {
            beginDialog(message, connection, .takingBack(reversal, before: request))
            return advance(&terminal)
        }
        do throws(TerminalRefusal) { _ = try terminal.start(request) } catch {
            return send(.pleaseWait, on: connection)
        }
        beginDialog(message, connection, .running(request.key))
        start(.dialog, options.dialogTimeout)
        advance(&terminal)
    }

    /// The number of the last transaction that the till knows (tag 1F1F); nil without the tag.
    private func lastNumber(in message: ZVTMessage) -> [UInt8]? { message.objects?.first(0x1F1F)?.bytes }

    /// Whether the command's till decides by the number of the last transaction.
    func sendsLastTransaction(_ command: ZVTMessage) -> Bool { lastNumber(in: command) != nil }

    private func plan(_ message: ZVTMessage) -> Plan {
        if let number = message.number(0x49), number != Int64(options.currency.numericCode) {
            return .fail(.wrongCurrency)
        }
        // A card is read by the terminal, and never by the till.
        guard [0x22, 0x23, 0x24, 0x2D].allSatisfy({ message.field($0) == nil }) else { return .refuse }
        switch message.control {
        case .authorization:
            // Bit 02: with the card that was read before.
            guard (message.bytes(0x19)?.first ?? 0) & 0x02 == 0 else { return .fail(.cardDataMissing) }
            let tip = tip(message)
            return withAmount(message) { .payment(amount: $0, tip: tip) }
        case .refund: return withAmount(message) { .refund(amount: $0) }
        case .preauthorization: return withAmount(message) { .preauthorization(amount: $0) }
        case .reversal:
            let amount = amount(message)
            return withReceipt(message) { .reversal(of: $0, amount: amount) }
        case .preauthorizationReversal: return withReceipt(message) { .release(of: $0) }
        case .bookTotal:
            let part = amount(message).map { CaptureAmount.part($0) } ?? .all
            return withReceipt(message) { .capture(of: $0, part) }
        case .partialReversal:
            guard let unused = amount(message) else { return .refuse }
            return withReceipt(message) { .capture(of: $0, .allBut(unused)) }
        case .endOfDay: return .start(.endOfDay)
        case .sendTotals: return .start(.totals)
        case .diagnosis: return .start(.diagnosis)
        case .initialization: return .start(.signOn)
        default: return .refuse
        }
    }

    private func amount(_ message: ZVTMessage) -> Money? {
        message.number(0x04).flatMap { try? Money(minorUnits: $0, currency: options.currency) }
    }

    /// The tip in the amount (tag 1F36).
    private func tip(_ message: ZVTMessage) -> Money? {
        guard let digits = message.objects?.first(0x1F36)?.bytes, let number = PackedDigits.number(digits) else {
            return nil
        }
        return try? Money(minorUnits: number, currency: options.currency)
    }

    /// Needs an amount that is not zero: this terminal has no keys to enter one.
    private func withAmount(_ message: ZVTMessage, _ operation: (Money) -> TerminalOperation) -> Plan {
        guard let amount = amount(message), amount.minorUnits > 0 else { return .refuse }
        return .start(operation(amount))
    }

    private func withReceipt(
        _ message: ZVTMessage, _ operation: (TransactionReference) -> TerminalOperation
    ) -> Plan {
        guard let digits = message.bytes(0x87), let number = PackedDigits.number(digits), number > 0 else {
            return .refuse
        }
        return .start(operation(.receipt(Int(number))))
    }

    // MARK: Results

    /// How the status information of a command is written.
    func statusInformation(for command: ZVTMessage) -> ZVTStatusInformation {
        ZVTStatusInformation(
            options: options, showsCurrency: command.field(0x49) != nil || registration.hasCurrency,
            takesObjects: registration.takesObjects || command.objects != nil,
            showsLastTransaction: sendsLastTransaction(command))
    }

    private func isAdministration(_ command: ZVTMessage) -> Bool {
        [.endOfDay, .sendTotals, .diagnosis, .initialization].contains(command.control)
    }

    /// The wish for receipts of one command (tag 1F04).
    private func wish(_ command: ZVTMessage) -> UInt8? { command.objects?.first(0x1F04)?.bytes?.first }

    /// Whether the till prints by print commands.
    func printsAtTill(_ command: ZVTMessage) -> Bool {
        if let wish = wish(command), wish & 0x01 != 0 { return true }
        let bit: UInt8 = isAdministration(command) ? 0x04 : 0x02
        return registration.configuration & 0x80 != 0 && registration.configuration & bit != 0
    }

    /// Whether the terminal's own printer prints. Otherwise the till makes the receipt from the status information.
    func printsAtTerminal(_ command: ZVTMessage) -> Bool {
        let bit: UInt8 = isAdministration(command) ? 0x04 : 0x02
        return registration.configuration & bit == 0
    }

    /// The receipts that the till wants, in its order. Without a wish: all of what was approved, and none else.
    func wantedReceipts(of record: TerminalRecord, _ command: ZVTMessage) -> [TerminalReceipt] {
        let all: [TerminalReceipt] =
            switch record.outcome {
            case .approved(let transaction): transaction.receipts
            case .declined(let decline): decline.receipts
            case .done(let report): report.receipts
            case .canceled, .failed: []
            }
        guard !isAdministration(command) else { return all }
        let wish = wish(command) ?? 0xA0
        let isPositive = record.outcome.transaction != nil
        let wanted = all.filter { receipt in
            switch receipt.kind {
            case .customer: wish & (isPositive ? 0x80 : 0x40) != 0
            case .merchant: wish & (isPositive ? 0x20 : 0x10) != 0
            case .administration: true
            }
        }
        guard wish & 0x08 != 0 else { return wanted }
        return wanted.filter { $0.kind == .customer } + wanted.filter { $0.kind != .customer }
    }
}
