public import Payments

/// The requirements of card brands, regions, and laws for receipts. Acquirers have more requirements: ask yours before
/// you call a receipt compliant.
public enum ReceiptRules {
    /// Checks a receipt against every rule for its card, region, and copy.
    ///
    /// - Returns: The missing or forbidden fields, faults first; for several rules about one field, the strictest.
    public static func check(_ document: ReceiptDocument) -> [ReceiptFinding] {
        var findings: [ReceiptFinding] = []
        for rule in ReceiptRule.all where rule.applies(to: document) {
            let isShown = document.shows(rule.field)
            guard isShown == (rule.demand == .forbidden) else { continue }
            let finding = ReceiptFinding(rule, isShown ? .forbidden : .missing, on: document.copy)
            if let index = findings.firstIndex(where: { $0.field == finding.field }) {
                if finding.isFault, !findings[index].isFault { findings[index] = finding }
            } else {
                findings.append(finding)
            }
        }
        return findings.filter(\.isFault) + findings.filter { !$0.isFault }
    }

    /// Whether a rule that applies to the receipt requires or recommends the field.
    static func wants(_ field: ReceiptField, on document: ReceiptDocument) -> Bool {
        ReceiptRule.all.contains { $0.field == field && $0.demand != .forbidden && $0.applies(to: document) }
    }
}

/// A deviation of a receipt from a rule.
public struct ReceiptFinding: Hashable, Sendable, Encodable {
    /// The way in which a field breaks a rule.
    public enum Problem: String, Hashable, Sendable, Encodable {
        case missing
        /// The field is present and forbidden.
        case forbidden
    }

    public let field: ReceiptField
    public let problem: Problem
    /// ``RequirementLevel/recommended`` when the receipt is valid without the field.
    public let demand: RequirementLevel
    public let copy: ReceiptCopy
    public let source: ReceiptRuleSource
    /// The source of the field.
    public let origin: String
    /// How to fix it.
    public let remedy: String

    init(_ rule: ReceiptRule, _ problem: Problem, on copy: ReceiptCopy) {
        (field, self.problem, demand, self.copy, source) = (rule.field, problem, rule.demand, copy, rule.source)
        (origin, remedy) = (rule.field.origin, rule.field.remedy)
    }

    /// Whether the receipt violates a requirement.
    public var isFault: Bool { demand != .recommended }
}

extension ReceiptField {
    /// The source of the field.
    fileprivate var origin: String {
        switch self {
        case .merchantName, .merchantAddress, .merchantID, .terminalID, .businessNumber: "the till's configuration"
        case .dateTime: "the clock"
        case .transactionType, .amount, .approvedAmount: "the payment"
        case .items: "the order, as its store says"
        case .transactionRecord: "receipt.region of the configuration and the card's brand"
        case .cardBrand: "the card's application identifier, or its number"
        case .cardNumber: "the card: tag 5A or 57, or its stripe"
        case .entryMode: "the reader"
        case .accountType, .chosenAccount: "the cardholder's choice (tag 5F57), or the application"
        case .applicationID: "the card: tag 84"
        case .applicationName: "the card: tag 9F12, else 50"
        case .authorizationCode: "the host's answer: DE 38"
        case .hostReference: "the host's answer: DE 37"
        case .applicationCryptogram: "the card: tag 9F26"
        case .terminalVerificationResults: "the kernel: tag 95"
        case .issuerApplicationData: "the card: tag 9F10"
        case .pinStatement, .signatureLine: "the kernel: tag 9F34"
        case .fullCardNumber, .expirationDate: "a text of the configuration, the store or the host"
        }
    }

    /// How to fix a missing or forbidden field.
    fileprivate var remedy: String {
        switch self {
        case .merchantName: "set merchant.name"
        case .merchantAddress: "set merchant.address, a line each"
        case .merchantID: "set merchant.id to the number that the acquirer gave"
        case .terminalID: "set terminal.id to the number that the acquirer gave"
        case .businessNumber: "add a line with the CNPJ to merchant.address"
        case .dateTime: "nothing: the receipt was stored without it"
        case .transactionType, .amount, .approvedAmount: "nothing: the stored receipt is damaged"
        case .items: "make the order's lines, fees, shipping and taxes add up to its total in the store"
        case .transactionRecord: "nothing: it is printed with receipt.region ca"
        case .cardBrand: "add the application to 'applications', if its brand has none here"
        case .cardNumber, .entryMode: "take the payment again with the card read to its end"
        case .accountType, .chosenAccount: "ask the cardholder, and pay with --account"
        case .applicationID, .applicationName, .applicationCryptogram, .terminalVerificationResults:
            "nothing at the till: the card did not give it"
        case .issuerApplicationData:
            "nothing at the till: the card gave none, or the receipt is from before it was kept"
        case .authorizationCode, .hostReference: "ask the host's operator why its approvals come without"
        case .pinStatement, .signatureLine: "nothing: the stored receipt is damaged"
        case .fullCardNumber: "take the number out of that text: it is masked on paper, and is where it should not be"
        case .expirationDate: "take it out of merchant.address, receipt.header or receipt.footer"
        }
    }
}

extension ReceiptDocument {
    /// Whether the receipt shows the field, as ``ReceiptComposer`` prints it.
    func shows(_ field: ReceiptField) -> Bool {
        func says(_ text: String?) -> Bool { text?.contains { !$0.isWhitespace } ?? false }
        switch field {
        case .merchantName: return says(merchant.name)
        case .merchantAddress: return merchant.lines.contains { says($0) }
        case .merchantID: return says(merchant.merchantID)
        case .terminalID: return says(merchant.terminalID)
        case .businessNumber: return (merchant.lines + header + footer).contains { BusinessNumber.isCNPJ(in: $0) }
        case .dateTime: return says(date)
        case .transactionType: return true
        case .amount: return says(amount) && says(currency)
        case .approvedAmount: return says(approvedAmount) && !approvedAmount.contains { ("1"..."9").contains($0) }
        case .items: return !items.isEmpty || !totals.isEmpty
        case .transactionRecord: return ReceiptRules.wants(.transactionRecord, on: self)
        case .cardBrand: return brand != nil
        case .cardNumber: return says(card?.lastFour)
        case .entryMode: return card != nil
        // Without a choice, the default account is shown.
        case .accountType: return card != nil
        case .chosenAccount: return card?.accountType != nil
        case .applicationID: return says(card?.aid)
        case .applicationName: return says(card?.applicationName)
        case .authorizationCode: return says(card?.authorizationCode)
        case .hostReference: return says(card?.hostReference)
        case .applicationCryptogram: return says(card?.applicationCryptogram)
        case .terminalVerificationResults: return says(card?.terminalVerificationResults)
        case .issuerApplicationData: return says(card?.issuerApplicationData)
        case .pinStatement: return saysPIN
        case .signatureLine: return asksForSignature && copy == .merchant
        case .fullCardNumber:
            return texts.contains { ReceiptText.concealed($0) != ReceiptText.printable($0) }
                || (card?.lastFour?.count ?? 0) > 4
        case .expirationDate: return texts.contains { ExpirationDate.isNamed(in: $0) }
        }
    }

    /// The texts written by people and stores.
    private var texts: [String] {
        let own = [merchant.name, store, orderNumber, reason, card?.applicationName, card?.hostReference]
        let sold = items.flatMap { item in [item.title] + item.attributes.flatMap { [$0.name, $0.value] } }
        return merchant.lines + header + footer + own.compactMap(\.self) + sold + totals.compactMap(\.detail)
    }
}

/// The business number in Brazil: fourteen characters, `12.345.678/0001-95`.
enum BusinessNumber {
    /// Whether a text contains a number with valid check digits (Receita Federal, modulo 11). Letters are allowed since
    /// 2026.
    static func isCNPJ(in text: String) -> Bool {
        let characters = Array(text.uppercased().utf8).filter { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
        let runs = characters.split { !isMark($0) && $0 != UInt8(ascii: "/") }
        return runs.contains { run in
            let number = run.filter { $0 != UInt8(ascii: "/") }
            return number.count == 14 && hasCheckDigits(number)
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) }

    private static func hasCheckDigits(_ number: [UInt8]) -> Bool {
        for length in [12, 13] {
            var sum = 0
            for (place, byte) in number[..<length].reversed().enumerated() { sum += (Int(byte) - 48) * (place % 8 + 2) }
            let rest = sum % 11
            guard Int(number[length]) - 48 == (rest < 2 ? 0 : 11 - rest) else { return false }
        }
        return true
    }
}

/// The expiration date of a card, as printed on paper.
enum ExpirationDate {
    /// Whether a text contains one: `EXP 12/29`, `Expires: 12/2029`.
    static func isNamed(in text: String) -> Bool {
        let lower = text.lowercased()
        guard let word = ["exp", "valid thru", "valid until"].lazy.compactMap({ lower.firstRange(of: $0) }).first else {
            return false
        }
        let parts = lower[word.upperBound...].split { !$0.isNumber && $0 != "/" }
        return parts.contains { part in
            let halves = part.split(separator: "/", omittingEmptySubsequences: false)
            return halves.count == 2 && halves[0].count == 2 && (halves[1].count == 2 || halves[1].count == 4)
                && Int(halves[0]).map { (1...12).contains($0) } == true && Int(halves[1]) != nil
        }
    }
}
