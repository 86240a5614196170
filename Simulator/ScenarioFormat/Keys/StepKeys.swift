extension ScenarioKeys {
    /// Actions that can stand alone.
    static let bareActions = [
        "connect", "disconnect", "retry", "refund", "cancel", "update", "unplug", "plug", "insertCard", "removeCard",
        "swipeCard",
        "restart", "crash", "recover", "settle", "print", "reprint", "mend",
    ]

    /// The keys that say what is done, one of them a step.
    static let actions: [KeyShape] = [
        KeyShape("connect", .text(1...60), "Connects this reader."),
        KeyShape("pay", .either([.amount, .record(pay)]), "Takes a payment: an amount, or more about it."),
        KeyShape("refund", .either([.amount, .record(refund)]), "Gives money back: an amount, or more about it."),
        KeyShape("unplug", .text(1...60), "Pulls this reader out."),
        KeyShape("plug", .text(1...60), "Plugs this reader in."),
        KeyShape("insertCard", .text(1...60), "Puts this card into the reader, unasked."),
        KeyShape("swipeCard", .text(1...60), "Swipes this card, unasked."),
        KeyShape("print", .record(print), "Prints a receipt."),
        KeyShape("reprint", .record(print), "Prints a receipt again."),
        KeyShape("wait", .duration, "Lets time pass."),
        KeyShape("sleep", .either([.duration, .record(sleep)]), "Puts the machine to sleep for so long."),
        KeyShape("set", .record(change), "Changes the world around the till."),
        KeyShape("do", .word(bareActions), "Does this."),
    ]

    static let step = RecordShape(
        "step", "One thing that is done. Exactly one of the keys but during and expect says what.",
        actions + [
            KeyShape("during", .list(.record(interruption), 1...50), "What happens while it is done."),
            KeyShape("expect", .record(ExpectationKeys.record), "What must come of it."),
        ])

    static let interruption = RecordShape(
        "interruption", "Something that happens in the middle of a step.",
        [
            KeyShape("on", .line, "The beginning of the event that brings it about."),
            KeyShape("count", .number(1...10_000), "At which of those events, counting from 1."),
            KeyShape("after", .duration, "How long after the event; without one, after the step's beginning."),
        ] + actions)

    static let pay = RecordShape(
        "pay", "A payment.",
        [
            KeyShape("amount", .amount, "What is paid."),
            KeyShape("currency", .text(3...3), "ISO 4217 code; without it, the configuration's."),
            KeyShape("order", .number(1...1000), "Which of the unpaid orders is paid, counting from 1."),
            KeyShape("card", .text(1...400), "The card: a name of cards, or a profile."),
            KeyShape("cardholder", .record(cardholder), "What the person does this time."),
            KeyShape("presents", .boolean, "Whether the person presents the card; if not, insertCard does."),
            KeyShape("timeout", .duration, "How long the reader waits for a card."),
            KeyShape("forceOnline", .boolean, "Asks the issuer whatever the card says."),
        ])

    static let sleep = RecordShape(
        "sleep", "The machine sleeps.",
        [
            KeyShape("duration", .duration, "For so long.", isRequired: true),
            KeyShape("keepsDevices", .boolean, "Whether its devices are the same ones afterwards."),
        ])

    static let refund = RecordShape(
        "refund", "A refund.",
        [
            KeyShape("amount", .amount, "What is given back; without it, all that is left."),
            KeyShape("currency", .text(3...3), "ISO 4217 code of the payment; without it, the configuration's."),
            KeyShape("payment", .number(1...1000), "Which payment of the scenario; without it, the last one."),
        ])

    static let print = RecordShape(
        "print", "A receipt to print.",
        [
            KeyShape("copy", .word(["customer", "merchant"]), "Whose receipt; without it, the customer's."),
            KeyShape("payment", .number(1...1000), "Which payment of the scenario; without it, the last one."),
        ])

    static let change = RecordShape(
        "change", "A change in the world around the till.",
        [
            KeyShape("issuer", issuer, "The issuer's rules from now on."),
            KeyShape("site", .record(siteChange), "What goes wrong at the store from now on."),
            KeyShape("printer", .word(ScenarioPrinter.allCases.map(\.rawValue)), "What the printer is like now."),
            KeyShape("disk", .word(ScenarioDisk.allCases.map(\.rawValue)), "What the disk is like now."),
            KeyShape("battery", .number(0...100), "The reader's charge now, in percent."),
            KeyShape("readerFaults", .list(.record(readerFault), 1...50), "What goes wrong in the reader from now on."),
        ])

    static let siteChange = RecordShape(
        "siteChange", "What goes wrong at the store.",
        [KeyShape("faults", .list(.line, 1...50), "Behind the faults that there are.", isRequired: true)])
}
