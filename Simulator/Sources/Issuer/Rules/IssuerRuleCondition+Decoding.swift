internal import Amounts
internal import EMV
internal import Hardware
internal import SettingsFile

extension IssuerRuleCondition {
    /// Reads the `when` section of a rule. Without one every authorisation meets it.
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
                guard bytes.contains(where: { $0 != 0 }) else { throw value.error("no bit is named") }
                return TerminalVerificationResults(bytes: bytes)
            }
            verificationBits = VerificationBits(all: try mask("all"), any: try mask("any"), none: try mask("none"))
            guard verificationBits != VerificationBits() else { throw bits.error("nothing is asked of the bits") }
        }
        verifications = try node.optional("cvm")?.words(IssuerMessage.Verification.self)
        pinPlaces = try node.optional("pin")?.words(IssuerMessage.PINPlace.self)
        onlinePIN = try node.optional("onlinePIN")?.words(IssuerPINCheck.Result.self)
        entryModes = try node.optional("entry")?.words(CardPresentTransactionDetails.EntryMode.self)
    }

    /// A condition that no message of the named kinds can meet is a mistake.
    private func refuseImpossible(_ node: SettingsNode) throws(SettingsError) {
        if asksForCard, !messages.isSubset(of: [.authorize, .advise]) {
            throw node.error(
                "only 'authorize' and 'advise' say anything about card and cardholder",
                fix: "leave other messages out, or 'atc', 'atcStep', 'tvr', 'cvm', 'pin', 'onlinePIN' and 'entry'")
        }
        if entryModes != nil, messages != [.authorize] {
            throw node.error("only 'authorize' says how the card was read", fix: "leave other messages out")
        }
        if onlinePIN != nil, messages != [.authorize] {
            throw node.error("only 'authorize' has a PIN that the issuer verifies", fix: "leave other messages out")
        }
        if number != nil, messages.contains(.inquire) {
            throw try node.required("message").error("inquiries are not in the book, and not counted")
        }
    }
}

extension SettingsNode {
    /// The elements of a list; a value that is none stands for a list of one.
    fileprivate func elements(_ count: ClosedRange<Int>) throws(SettingsError) -> [SettingsNode] {
        kind == .list ? try list(count: count) : [self]
    }

    /// One word or a list of words.
    fileprivate func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ type: Word.Type
    ) throws(SettingsError) -> Set<Word> {
        var words: Set<Word> = []
        for element in try elements(1...Word.allCases.count) { words.insert(try element.choice(type)) }
        return words
    }

    /// One text or a list of texts.
    fileprivate func texts() throws(SettingsError) -> Set<String> {
        var texts: Set<String> = []
        for element in try elements(1...100) { texts.insert(try element.text(length: 1...64)) }
        return texts
    }

    func fourDigits() throws(SettingsError) -> String {
        let text = try text(length: 4...4)
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw error("four digits are wanted here") }
        return text
    }
}
