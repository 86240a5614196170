/// The keys of `expect`.
public enum ExpectationKeys {
    /// The words for how a step can end.
    public static let outcomes = [
        "approved", "declined", "cancelled", "failed", "unknown", "pending", "crashed", "queued", "accepted", "sent",
        "completed",
    ]
    static let states = [
        "pending", "authorized", "captured", "partiallyRefunded", "refunded", "declined", "cancelled", "failed",
        "reversed", "unknown",
    ]
    static let attemptStates = [
        "created", "authorizing", "authorized", "captured", "declined", "cancelled", "failed", "reversing", "reversed",
        "unknown",
    ]
    static let ledgerKinds = ["authorisation", "reversal", "advice", "refund", "notice", "unanswered"]
    static let printStates = ["pending", "held", "processing", "stopped", "canceled", "aborted", "completed"]
    static let cvms = [
        "none", "signature", "offline_pin", "offline_pin_enciphered", "offline_pin_and_signature",
        "offline_pin_enciphered_and_signature", "online_pin", "failed",
    ]
    static let entries = ["chip", "swipe", "fallback"]

    private static let patterns = Shape.oneOrMany(.line, 1...200)

    /// All of them.
    public static let record = RecordShape(
        "expect", "What must be so. Every key that is left out may be anything.",
        [
            KeyShape("outcome", .word(outcomes), "How the payment, the refund or the print ended."),
            KeyShape("error", .text(1...60), "The error's word for programs, or none."),
            KeyShape("state", .word(states), "What the records make of the payment."),
            KeyShape("events", patterns, "Events in this order, with others between them; `*` stands for anything."),
            KeyShape("noEvents", patterns, "None of these events."),
            KeyShape("display", patterns, "What the reader showed, in this order, with other texts between."),
            KeyShape("noDisplay", patterns, "What the reader did not show."),
            KeyShape(
                "apdu", patterns, "Commands with their answers, `00A4* *9000`, in this order, with others between."),
            KeyShape(
                "trace", .list(.text(1...140_000), 0...2000),
                "Every command with its answer, all of them and nothing between."),
            KeyShape("noAPDU", patterns, "What did not go to the card or come from it."),
            KeyShape("receipt", patterns, "Lines of the customer's receipt, in this order, with others between."),
            KeyShape("noReceipt", patterns, "Lines that are not on the customer's receipt."),
            KeyShape("merchantReceipt", patterns, "Lines of the merchant's receipt."),
            KeyShape("printed", patterns, "Lines on paper, of all that was printed."),
            KeyShape("noPrinted", patterns, "Lines that are not on paper."),
            KeyShape("prints", .list(.word(printStates), 0...50), "How far each print job came."),
            KeyShape(
                "journal", .list(.word(attemptStates), 1...50),
                "The states of the last attempt in the journal, all of them."),
            KeyShape("rows", .oneOrMany(.record(rows), 1...20), "Rows of the till's database."),
            KeyShape("ledger", .list(.record(ledgerLine), 0...100), "The issuer's book, line by line, all of it."),
            KeyShape("charged", .either([.amount, .record(charged)]), "What the issuer moved in the end."),
            KeyShape("charges", .number(0...1000), "Charges that the issuer holds and that were not taken back."),
            KeyShape("site", .record(site), "What the store knows."),
            KeyShape("tvr", .record(bits("tvr", VerificationBitNames.tvr.map(\.key))), "Bits of tag 95."),
            KeyShape("tsi", .record(bits("tsi", VerificationBitNames.tsi.map(\.key))), "Bits of tag 9B."),
            KeyShape("cvm", .word(cvms), "How the cardholder was verified."),
            KeyShape("entry", .word(entries), "How the card was read."),
            KeyShape(
                "elapsed", .either([.duration, .record(elapsed)]), "How long it took: at most, or within bounds."),
            KeyShape(
                "reconciled", .boolean,
                "Whether the journal and the issuer's book agree and nothing is open. It is looked at after the last "
                    + "step in any case, unless the file says something of it."),
        ])

    private static let rows = RecordShape(
        "rows", "A query and what it must find.",
        [
            KeyShape("query", .text(1...2000), "A SELECT that writes nothing.", isRequired: true),
            KeyShape(
                "are", .list(.either([.list(.text(0...400), 1...50), .text(0...400)]), 0...100),
                "The rows as texts; a row of one column can stand without brackets.", isRequired: true),
        ])

    private static let ledgerLine = RecordShape(
        "ledgerLine", "A line of the issuer's book.",
        [
            KeyShape("kind", .word(ledgerKinds), "What kind of message it answers."),
            KeyShape("amount", .amount, "What it is about."),
            KeyShape("currency", .text(3...3), "ISO 4217 code; without it, the configuration's."),
            KeyShape("response", .text(2...2), "The response code, DE 39."),
            KeyShape("reason", .text(1...60), "Why it was declined."),
            KeyShape("rule", .text(1...60), "The rule that held for it."),
        ])

    private static let charged = RecordShape(
        "charged", "An amount in another currency than the configuration's.",
        [
            KeyShape("amount", .amount, "How much.", isRequired: true),
            KeyShape("currency", .text(3...3), "ISO 4217 code.", isRequired: true),
        ])

    private static let site = RecordShape(
        "siteExpectation", "What the store knows.",
        [
            KeyShape("charges", .number(0...1000), "Charges that it was told of."),
            KeyShape("order", .text(1...40), "The status of the order that was paid last."),
            KeyShape(
                "requests", .table(.number(0...10_000)),
                "How often it was asked what fits the pattern, as `POST *capture_terminal_payment`."),
        ])

    private static let elapsed = RecordShape(
        "elapsed", "Bounds on the virtual clock.",
        [
            KeyShape("atLeast", .duration, "Not shorter than this."),
            KeyShape("atMost", .duration, "Not longer than this."),
        ])

    private static func bits(_ name: String, _ words: [String]) -> RecordShape {
        RecordShape(
            name, "Bits that must be set, and that must not.",
            [
                KeyShape("set", .oneOrMany(.word(words), 1...40), "These are set."),
                KeyShape("clear", .oneOrMany(.word(words), 1...40), "These are not."),
            ])
    }
}
