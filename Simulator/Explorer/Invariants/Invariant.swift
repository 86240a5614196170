/// What must be so at the end of every session, whatever went wrong in it.
public enum Invariant: String, Hashable, Sendable, Codable, CaseIterable {
    /// No attempt is charged twice, no payment by two of its attempts, no order by two payments, and no refund gives
    /// back
    /// more than was paid.
    case oneCharge
    /// The till's database, its journal, the issuer's book and the store say the same of every payment.
    case booksAgree
    /// Every attempt has come to one of its ends, and the store has been told of whatever it has to know, or somebody
    /// has been told to decide.
    case everyAttemptEnds
    /// Nothing is approved without a cryptogram: of the card for a chip, as the card itself remembers it, and without
    /// the
    /// issuer's answer for a stripe.
    case approvalsAreProven
    /// No card number, track, PIN or expiry date stands anywhere: not in the database, its files, the events, receipts,
    /// errors, the requests to the store or the issuer's book.
    case noSecretIsTold
    /// Every step ends: nothing waits for what never comes, and nothing goes round in circles.
    case nothingHangs
    /// When the session is over, no handle, file, claim or task of it is left.
    case nothingIsLeftOpen
    /// Every action gets exactly one answer.
    case everyActionIsAnswered
    /// When the world is mended, the program begins and finishes what was left open.
    case theTillRecovers
}

/// An invariant that a session broke.
struct Violation: Hashable, Sendable {
    var invariant: Invariant
    /// What was seen.
    var detail: String

    init(_ invariant: Invariant, _ detail: String) { (self.invariant, self.detail) = (invariant, detail) }

    /// What two violations have in common that are of the same kind: everything but the numbers.
    var kind: String {
        invariant.rawValue + " " + String(detail.split { $0.isNumber || $0 == "-" || $0 == "_" }.joined(separator: "#"))
    }
}
