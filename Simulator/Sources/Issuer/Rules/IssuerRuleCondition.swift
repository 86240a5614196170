internal import EMV
internal import Hardware

/// When a rule holds. Everything that is given must hold.
struct IssuerRuleCondition: Hashable, Sendable {
    /// What the terminal found out, as masks over tag 95.
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
    /// Names of accounts, or their ``IssuerAccount/reference``.
    var accounts: Set<String>?
    /// The last four digits of the PAN.
    var lastFour: String?
    /// Alphabetic code of the currency.
    var currency: String?
    /// In minor units.
    var amount: NumberCondition?
    /// Minor units modulo 100.
    var cents: Set<Int64>?
    /// Tag 9F36.
    var counter: NumberCondition?
    /// The counter less the highest one that the book has of the account.
    var counterStep: NumberCondition?
    /// Payments of the account that the book has and that were not taken back.
    var payments: NumberCondition?
    /// The place of the message among those of its kind in the book; the first is 1.
    var number: NumberCondition?
    var verificationBits: VerificationBits?
    var verifications: Set<IssuerMessage.Verification>?
    var pinPlaces: Set<IssuerMessage.PINPlace>?
    var onlinePIN: Set<IssuerPINCheck.Result>?
    var entryModes: Set<CardPresentTransactionDetails.EntryMode>?

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

    /// Whether only messages that tell of the card itself can meet it.
    var asksForCard: Bool {
        counter != nil || counterStep != nil || verificationBits != nil || verifications != nil || pinPlaces != nil
            || onlinePIN != nil || entryModes != nil
    }
}
