public import Settings

/// The keys of `expect`.
public enum ExpectationKeys {
    /// The outcomes of a step.
    public static let outcomes = [
        "approved", "declined", "cancelled", "failed", "unknown", "pending", "crashed", "queued", "accepted", "sent",
        "completed",
    ]
    static let states = [
        "pending", "authorized", "captured", "partiallyRefunded", "refunded", "declined", "cancelled", "failed",
        "reversed", "unknown",
    ]
    static let attemptStates = [
        "created", "authorizing", "authorized", "authorizedOnly", "captured", "declined", "cancelled", "failed",
        "reversing", "reversed",
        "unknown",
    ]
    static let ledgerKinds = ["authorisation", "reversal", "advice", "refund", "increment", "notice", "unanswered"]
    static let printStates = ["pending", "held", "processing", "stopped", "canceled", "aborted", "completed"]
    static let cvms = [
        "none", "signature", "offline_pin", "offline_pin_enciphered", "offline_pin_and_signature",
        "offline_pin_enciphered_and_signature", "online_pin", "device", "failed",
    ]
    static let entries = ["chip", "contactless", "swipe", "fallback"]

    private static let patterns = Shape.oneOrMany(.line, 1...200)

    /// The shape of `expect`.
    public static let record = RecordShape(
        "expect", "Expectations. Only the given keys are checked.",
        [
            KeyShape("outcome", .word(outcomes), "The outcome of the payment, refund, or print."),
            KeyShape("error", .text(1...60), "The error code, or none."),
            KeyShape("state", .word(states), "The payment's state in the journal."),
            KeyShape(
                "events", patterns, "Events in this order, possibly with others in between; `*` matches any text."),
            KeyShape("noEvents", patterns, "Events that must not happen."),
            KeyShape(
                "display", patterns, "Texts on the reader's display in this order, possibly with others in between."),
            KeyShape("noDisplay", patterns, "Texts that the reader must not show."),
            KeyShape(
                "apdu", patterns,
                "Commands with their responses in this order, such as `00A4* *9000`, possibly with others in between."),
            KeyShape(
                "trace", .list(.text(1...140_000), 0...2000),
                "The complete list of commands with their responses."),
            KeyShape("noAPDU", patterns, "Commands and responses that must not occur."),
            KeyShape(
                "receipt", patterns, "Lines of the customer's receipt in this order, possibly with others in between."),
            KeyShape("noReceipt", patterns, "Lines that must not be on the customer's receipt."),
            KeyShape("merchantReceipt", patterns, "Lines of the merchant's receipt, like `receipt`."),
            KeyShape("printed", patterns, "Lines of all printed paper, like `receipt`."),
            KeyShape("noPrinted", patterns, "Lines that must not be printed."),
            KeyShape("prints", .list(.word(printStates), 0...50), "The states of the print jobs."),
            KeyShape(
                "journal", .list(.word(attemptStates), 1...50),
                "All states of the last attempt in the journal, in order."),
            KeyShape("rows", .oneOrMany(.record(rows), 1...20), "Queries of the till's database and their rows."),
            KeyShape("ledger", .list(.record(ledgerLine), 0...100), "All lines of the issuer's ledger."),
            KeyShape("charged", .either([.amount, .record(charged)]), "The net amount that the issuer charged."),
            KeyShape("charges", .number(0...1000), "The number of charges at the issuer that were not reversed."),
            KeyShape("site", .record(site), "The state of the store."),
            KeyShape("tvr", .record(bits("tvr", VerificationBitNames.tvr.map(\.key))), "Bits of tag 95."),
            KeyShape("tsi", .record(bits("tsi", VerificationBitNames.tsi.map(\.key))), "Bits of tag 9B."),
            KeyShape("cvm", .word(cvms), "The method of cardholder verification."),
            KeyShape("entry", .word(entries), "The entry mode of the card."),
            KeyShape(
                "elapsed", .either([.duration, .record(elapsed)]), "The duration: a maximum, or bounds."),
            KeyShape(
                "reconciled", .boolean,
                "Whether the journal and the issuer's ledger agree and no attempt is open. Checked after the last step "
                    + "even without this key."),
        ])

    private static let rows = RecordShape(
        "rows", "A query and its expected rows.",
        [
            KeyShape("query", .text(1...2000), "A SELECT statement.", isRequired: true),
            KeyShape(
                "are", .list(.either([.list(.text(0...400), 1...50), .text(0...400)]), 0...100),
                "The rows as texts. A row with one column needs no brackets.", isRequired: true),
        ])

    private static let ledgerLine = RecordShape(
        "ledgerLine", "A line of the issuer's ledger.",
        [
            KeyShape("kind", .word(ledgerKinds), "The kind of message."),
            KeyShape("amount", .amount, "The amount."),
            KeyShape("currency", .text(3...3), "ISO 4217 code. Default: the configuration's currency."),
            KeyShape("response", .text(2...2), "The response code, DE 39."),
            KeyShape("reason", .text(1...60), "The reason for the decline."),
            KeyShape("rule", .text(1...60), "The issuer rule that decided."),
        ])

    private static let charged = RecordShape(
        "charged", "An amount with its currency.",
        [
            KeyShape("amount", .amount, "The amount.", isRequired: true),
            KeyShape("currency", .text(3...3), "ISO 4217 code.", isRequired: true),
        ])

    private static let site = RecordShape(
        "siteExpectation", "The state of the store.",
        [
            KeyShape("charges", .number(0...1000), "The number of charges that the store recorded."),
            KeyShape("order", .text(1...40), "The status of the last paid order."),
            KeyShape(
                "requests", .table(.number(0...10_000)),
                "The number of requests that match a pattern such as `POST *capture_terminal_payment`."),
        ])

    private static let elapsed = RecordShape(
        "elapsed", "Bounds of simulated time.",
        [
            KeyShape("atLeast", .duration, "The minimum."),
            KeyShape("atMost", .duration, "The maximum."),
        ])

    private static func bits(_ name: String, _ words: [String]) -> RecordShape {
        RecordShape(
            name, "Bits that must be set or clear.",
            [
                KeyShape("set", .oneOrMany(.word(words), 1...40), "Bits that must be set."),
                KeyShape("clear", .oneOrMany(.word(words), 1...40), "Bits that must be clear."),
            ])
    }
}
