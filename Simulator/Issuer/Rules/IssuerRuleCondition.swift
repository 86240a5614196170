import EMV
import Money
import Payments
import Settings

/// The condition of a rule. All given parts must be met.
struct IssuerRuleCondition: Hashable, Sendable {
    /// Conditions on the TVR, as masks over tag 95.
    struct VerificationBits: Hashable, Sendable {
        /// All of these bits are set.
        var all: TerminalVerificationResults?
        /// At least one of these bits is set.
        var any: TerminalVerificationResults?
        /// None of these bits is set.
        var none: TerminalVerificationResults?

        func hold(for results: TerminalVerificationResults) -> Bool {
            if let all, !results.isSuperset(of: all) { return false }
            if let any, results.isDisjoint(with: any) { return false }
            if let none, !results.isDisjoint(with: none) { return false }
            return true
        }
    }

    var messages: Set<IssuerMessageKind> = [.authorize]
    /// Account names or references (``IssuerAccount/reference``).
    var accounts: Set<String>?
    /// The last four digits of the PAN.
    var lastFour: String?
    /// The alphabetic currency code.
    var currency: String?
    /// The amount in minor units.
    var amount: NumberCondition?
    /// The amount in minor units, modulo 100.
    var cents: Set<Int64>?
    /// Tag 9F36.
    var counter: NumberCondition?
    /// The ATC minus the highest one in the ledger for the account.
    var counterStep: NumberCondition?
    /// The number of the account's payments in the ledger that were not reversed.
    var payments: NumberCondition?
    /// The position of the message among those of its kind in the ledger, from 1.
    var number: NumberCondition?
    var verificationBits: VerificationBits?
    var verifications: Set<IssuerMessage.Verification>?
    var pinPlaces: Set<IssuerMessage.PINPlace>?
    var onlinePIN: Set<IssuerPINCheck.Result>?
    var entryModes: Set<CardDetails.EntryMode>?

    func holds(for message: IssuerMessage, in book: IssuerLedger) -> Bool {
        messages.contains(message.kind) && holdsForAccount(message) && holdsForAmount(message)
            && holdsForCard(message) && holdsForBook(message, book)
    }

    private func holdsForAccount(_ message: IssuerMessage) -> Bool {
        if let accounts {
            guard let account = message.account, accounts.contains(account.name) || accounts.contains(account.reference)
            else { return false }
        }
        return lastFour == nil || lastFour == message.lastFour
    }

    private func holdsForAmount(_ message: IssuerMessage) -> Bool {
        guard currency != nil || amount != nil || cents != nil else { return true }
        guard let (minorUnits, code) = message.amount else { return false }
        return (currency ?? code) == code && amount?.holds(for: minorUnits) != false
            && cents?.contains(minorUnits % 100) != false
    }

    private func holdsForCard(_ message: IssuerMessage) -> Bool {
        guard asksForCard else { return true }
        guard let card = message.card else { return false }
        if let counter {
            guard let value = card.counter, counter.holds(for: Int64(value)) else { return false }
        }
        return verificationBits?.hold(for: card.verificationResults) != false
            && verifications?.contains(card.verification) != false && pinPlaces?.contains(card.pinPlace) != false
            && onlinePIN?.contains(card.onlinePIN) != false && entryModes?.contains(card.entryMode) != false
    }

    private func holdsForBook(_ message: IssuerMessage, _ book: IssuerLedger) -> Bool {
        if let counterStep {
            guard let value = message.card?.counter,
                let highest = book.highestCounter(account: message.account?.reference),
                counterStep.holds(for: Int64(value) - Int64(highest))
            else { return false }
        }
        if let payments, !payments.holds(for: book.paymentCount(account: message.account?.reference)) { return false }
        if let number, !number.holds(for: book.messageCount(message.kind) + 1) { return false }
        return true
    }

    /// Whether the condition needs messages with card data.
    var asksForCard: Bool {
        counter != nil || counterStep != nil || verificationBits != nil || verifications != nil || pinPlaces != nil
            || onlinePIN != nil || entryModes != nil
    }
}

/// A condition on a number. All given parts must be met.
struct NumberCondition: Hashable, Sendable {
    var equals: Int64?
    var atLeast: Int64?
    var atMost: Int64?
    /// Greater than zero.
    var multipleOf: Int64?

    func holds(for number: Int64) -> Bool {
        if let equals, number != equals { return false }
        if let atLeast, number < atLeast { return false }
        if let atMost, number > atMost { return false }
        if let multipleOf, multipleOf == 0 || number % multipleOf != 0 { return false }
        return true
    }
}

extension NumberCondition {
    /// Decodes a number, or a mapping of bounds. `read` decodes one number.
    init(_ node: SettingsNode, _ read: (SettingsNode) throws(SettingsError) -> Int64) throws(SettingsError) {
        guard node.kind == .mapping else {
            self.init(equals: try read(node))
            return
        }
        try node.mapping(allowedKeys: ["equals", "atLeast", "atMost", "multipleOf"])
        func bound(_ key: String) throws(SettingsError) -> Int64? {
            guard let value = try node.optional(key) else { return nil }
            return try read(value)
        }
        self.init(
            equals: try bound("equals"), atLeast: try bound("atLeast"), atMost: try bound("atMost"),
            multipleOf: try bound("multipleOf"))
        if let multipleOf, multipleOf <= 0 {
            throw try node.required("multipleOf").error("'multipleOf' must be greater than zero")
        }
        guard self != NumberCondition() else { throw node.error("the number condition is empty") }
        if let atLeast, let atMost, atLeast > atMost {
            throw node.error("no number is at least \(atLeast) and at most \(atMost)")
        }
    }

    /// Decodes whole numbers within a range.
    init(_ node: SettingsNode, in range: ClosedRange<Int>) throws(SettingsError) {
        try self.init(node) { (value) throws(SettingsError) in Int64(try value.int(in: range)) }
    }
}

extension IssuerRuleCondition {
    /// Decodes the `when` section of a rule. Without it, every authorization matches.
    init(_ node: SettingsNode?) throws(SettingsError) {
        self.init()
        guard let node else { return }
        try node.mapping(allowedKeys: [
            "messages", "account", "lastFour", "currency", "amount", "cents", "atc", "atcStep", "payments", "message",
            "tvr", "cvm", "pin", "onlinePIN", "entry",
        ])
        if let kinds = try node.optional("messages")?.words(IssuerMessageKind.self) { messages = kinds }
        accounts = try node.optional("account")?.texts()
        lastFour = try node.optional("lastFour").map { (node) throws(SettingsError) in try node.fourDigits() }
        try readAmount(node)
        try readBook(node)
        try readCard(node)
        try refuseImpossible(node)
    }

    private mutating func readAmount(_ node: SettingsNode) throws(SettingsError) {
        let code = try node.optional("currency")?.currency()
        currency = code?.code
        if let bounds = try node.optional("amount") {
            guard let code else {
                throw bounds.error("an amount needs a currency", fix: "add 'currency: USD' to 'when'")
            }
            amount = try NumberCondition(bounds) { (value) throws(SettingsError) in try value.money(code).minorUnits }
        }
        if let list = try node.optional("cents") {
            var values: Set<Int64> = []
            for value in try list.elements(1...100) { values.insert(Int64(try value.int(in: 0...99))) }
            cents = values
        }
    }

    private mutating func readBook(_ node: SettingsNode) throws(SettingsError) {
        payments = try node.optional("payments").map { (node) throws(SettingsError) in
            try NumberCondition(node, in: 0...1_000_000_000)
        }
        number = try node.optional("message").map { (node) throws(SettingsError) in
            try NumberCondition(node, in: 1...1_000_000_000)
        }
        counter = try node.optional("atc").map { (node) throws(SettingsError) in
            try NumberCondition(node, in: 0...65_535)
        }
        counterStep = try node.optional("atcStep").map { (node) throws(SettingsError) in
            try NumberCondition(node, in: -65_535...65_535)
        }
    }

    private mutating func readCard(_ node: SettingsNode) throws(SettingsError) {
        if let bits = try node.optional("tvr") {
            try bits.mapping(allowedKeys: ["all", "any", "none"])
            func mask(_ key: String) throws(SettingsError) -> TerminalVerificationResults? {
                guard let value = try bits.optional(key) else { return nil }
                let bytes = try value.hex(length: TerminalVerificationResults.byteCount)
                guard bytes.contains(where: { $0 != 0 }) else { throw value.error("at least one bit must be set") }
                return TerminalVerificationResults(bytes: bytes)
            }
            verificationBits = VerificationBits(all: try mask("all"), any: try mask("any"), none: try mask("none"))
            guard verificationBits != VerificationBits() else { throw bits.error("the bit condition is empty") }
        }
        verifications = try node.optional("cvm")?.words(IssuerMessage.Verification.self)
        pinPlaces = try node.optional("pin")?.words(IssuerMessage.PINPlace.self)
        onlinePIN = try node.optional("onlinePIN")?.words(IssuerPINCheck.Result.self)
        entryModes = try node.optional("entry")?.words(CardDetails.EntryMode.self)
    }

    /// Rejects a condition that no message of the named kinds can meet.
    private func refuseImpossible(_ node: SettingsNode) throws(SettingsError) {
        if asksForCard, !messages.isSubset(of: [.authorize, .advise]) {
            throw node.error(
                "only 'authorize' and 'advise' have card and cardholder data",
                fix: "remove other messages, or 'atc', 'atcStep', 'tvr', 'cvm', 'pin', 'onlinePIN', and 'entry'")
        }
        if entryModes != nil, messages != [.authorize] {
            throw node.error("only 'authorize' has an entry mode", fix: "remove other messages")
        }
        if onlinePIN != nil, messages != [.authorize] {
            throw node.error("only 'authorize' has a PIN that the issuer verifies", fix: "remove other messages")
        }
        if number != nil, messages.contains(.inquire) {
            throw try node.required("message").error("inquiries are not in the ledger and have no number")
        }
    }
}

extension SettingsNode {
    /// Returns the elements of a list; any other value counts as a list of one.
    fileprivate func elements(_ count: ClosedRange<Int>) throws(SettingsError) -> [SettingsNode] {
        kind == .list ? try list(count: count) : [self]
    }

    /// Decodes one word or a list of words.
    fileprivate func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ type: Word.Type
    ) throws(SettingsError) -> Set<Word> {
        var words: Set<Word> = []
        for element in try elements(1...Word.allCases.count) { words.insert(try element.choice(type)) }
        return words
    }

    /// Decodes one text or a list of texts.
    fileprivate func texts() throws(SettingsError) -> Set<String> {
        var texts: Set<String> = []
        for element in try elements(1...100) { texts.insert(try element.text(length: 1...64)) }
        return texts
    }

    func fourDigits() throws(SettingsError) -> String {
        let text = try text(length: 4...4)
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw error("write four digits") }
        return text
    }
}
