import Determinism
import Money
import Payments
import Terminal
import Text

// Messages about the card reader's card, the displays, the keys, the printer, and the batch.
extension NexoTerminal {
    mutating func acquire(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) {
        let transaction = request["CardAcquisitionTransaction"]
        for name in ["AllowedPaymentBrand", "ForceEntryMode", "AllowedLoyaltyBrand"]
        where transaction?[name]?.elements.isEmpty == false {
            throw NexoFailure(.notAllowed, "The terminal can't do what \(name) asks for")
        }
        let sale = request.at("SaleData", "SaleTransactionID") ?? .null
        try begin(call, .acquisition(sale: sale), .cardReading)
    }

    mutating func show(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) {
        let outputs = request["DisplayOutput"]?.elements ?? []
        var lines: [String] = []
        for output in outputs {
            lines += try Self.lines(
                output["OutputContent"], "SaleToPOIRequest.DisplayRequest.DisplayOutput.OutputContent")
        }
        try begin(call, .display(outputs), .display(lines))
    }

    mutating func ask(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) {
        let (data, place) = (request["InputData"], "SaleToPOIRequest.InputRequest")
        let command = data?["InputCommand"]?.string ?? ""
        let maximum = data?["MaxLength"]?.textValue.flatMap { Int($0) } ?? 32
        guard (1...255).contains(maximum) else { throw .format(place + ".InputData", "MaxLength", "Not 1 to 255") }
        let kind: TerminalInput.Kind
        switch command {
        case "GetConfirmation": kind = .confirmation
        case "DigitString": kind = .digits(maximum: maximum)
        case "TextString": kind = .text(maximum: maximum)
        default: throw NexoFailure(.unavailableService, "InputCommand \(command) is not supported")
        }
        // What hides its digits is a secret. Those go to the card or to the host only.
        guard data?["MaskCharactersFlag"]?.flag != true else {
            throw NexoFailure(.notAllowed, "The terminal asks for no secrets")
        }
        var lines: [String] = []
        if let output = request["DisplayOutput"] {
            lines = try Self.lines(output["OutputContent"], place + ".DisplayOutput.OutputContent")
        }
        let input = TerminalInput(prompt: lines.joined(separator: "\n"), kind: kind)
        try begin(
            call,
            .input(input, command: command, device: data?["Device"] ?? .null, use: data?["InfoQualify"] ?? .null),
            .input(input))
    }

    mutating func print(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) {
        let output = request["PrintOutput"]
        let content = output?["OutputContent"]
        let qualifier = output?["DocumentQualifier"]?.string ?? ""
        _ = try Self.lines(content, "SaleToPOIRequest.PrintRequest.PrintOutput.OutputContent")
        let texts = content?["OutputText"]?.elements ?? []
        let lines = texts.map { text in
            TerminalReceipt.Line(
                Self.plain(text), isCentered: text["Alignment"]?.string == "Centred",
                isWide: text["CharacterWidth"]?.string == "DoubleWidth")
        }
        let kind: TerminalReceipt.Kind =
            switch qualifier {
            case "CashierReceipt": .merchant
            case "CustomerReceipt", "SaleReceipt", "Voucher": .customer
            default: .administration
            }
        let receipt = TerminalReceipt(
            kind: kind, lines: lines, needsSignature: output?["RequiredSignatureFlag"]?.flag == true)
        try begin(call, .print(qualifier: qualifier), .print([receipt]))
    }

    mutating func reconcile(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) {
        let type = request["ReconciliationType"]?.string ?? ""
        switch type {
        case "SaleReconciliation": try begin(call, .reconciliation(type: type), .endOfDay)
        default: throw NexoFailure(.unavailableService, "ReconciliationType \(type) is not supported")
        }
    }

    // MARK: Texts

    /// The lines of an output. Only texts can be shown and printed.
    private static func lines(_ content: JSONValue?, _ place: String) throws(NexoFailure) -> [String] {
        let format = content?["OutputFormat"]?.string ?? ""
        guard format == "Text" else {
            throw NexoFailure(.unavailableService, "OutputFormat \(format.prefix(32)) is not supported")
        }
        guard let texts = content?["OutputText"]?.elements, !texts.isEmpty else {
            throw .format(place, "OutputText", "Missing")
        }
        guard texts.count <= 500 else { throw .format(place, "OutputText", "More than 500 texts") }
        return texts.map { plain($0) }
    }

    /// A text without control characters.
    private static func plain(_ text: JSONValue) -> String {
        let scalars = (text["Text"]?.string ?? "").unicodeScalars.map { scalar -> Character in
            scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        return String(scalars.prefix(1000))
    }

    static func inputResult(
        _ command: String, _ device: JSONValue, _ use: JSONValue, _ response: JSONValue, _ outcome: TerminalOutcome
    ) -> JSONValue {
        var input: JSONValue?
        if case .done(let report) = outcome, let text = report.input {
            let value: JSONValue.Member =
                switch command {
                case "GetConfirmation": .init("ConfirmedFlag", .bool(text == "yes"))
                case "DigitString": .init("DigitInput", .text(text))
                default: .init("TextInput", .text(text))
                }
            input = .object([.init("InputCommand", .text(command)), value])
        }
        return .members(["Device": device, "InfoQualify": use, "Response": response, "Input": input])
    }

    // MARK: Totals

    /// The response to GetTotals and Reconciliation, with the sales of the batch by brand.
    func totals(_ response: JSONValue, _ desk: NexoDesk, _ outcome: TerminalOutcome) -> JSONValue {
        var lists: [JSONValue] = []
        if case .done(let report) = outcome, let totals = report.totals {
            lists = totals.lines.map { line in
                [
                    "PaymentInstrumentType": "Card", "CardBrand": .text(line.brand),
                    "PaymentCurrency": .text(totals.currency.code),
                    "PaymentTotals": [
                        [
                            "TransactionType": "Debit", "TransactionCount": JSONValue(line.count),
                            "TransactionAmount": .number(line.amount.decimalText(scale: totals.currency.exponent)),
                        ]
                    ],
                ]
            }
        }
        return [
            "Response": response, "POIReconciliationID": .text("\(desk.reconciliation)"),
            "TransactionTotals": .list(lists),
        ]
    }
}
