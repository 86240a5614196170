import Settings
import Simulator

extension ScenarioKeys {
    /// The actions that need no value.
    static let bareActions = [
        "connect", "disconnect", "retry", "refund", "capture", "cancelPayment", "cancel", "update", "unplug", "plug",
        "insertCard", "removeCard",
        "swipeCard", "tapCard", "moveAway", "unlock",
        "restart", "crash", "recover", "settle", "print", "reprint", "mend",
    ]

    /// The action keys; a step has exactly one.
    static let actions: [KeyShape] = [
        KeyShape("connect", .text(1...60), "Connects a reader."),
        KeyShape("pay", .either([.amount, .record(pay)]), "Takes a payment: an amount, or a mapping."),
        KeyShape("refund", .either([.amount, .record(refund)]), "Makes a refund: an amount, or a mapping."),
        KeyShape(
            "capture", .either([.amount, .record(refund)]), "Captures a pre-authorization: an amount, or a mapping."),
        KeyShape(
            "increment", .either([.amount, .record(increment)]),
            "Adds to what a pre-authorization holds: an amount, or a mapping."),
        KeyShape("cancelPayment", .number(1...1000), "Cancels a pre-authorization: the number of the payment."),
        KeyShape("unplug", .text(1...60), "Unplugs a reader."),
        KeyShape("plug", .text(1...60), "Plugs in a reader."),
        KeyShape("insertCard", .text(1...60), "Inserts a card without a prompt."),
        KeyShape("swipeCard", .text(1...60), "Swipes a card without a prompt."),
        KeyShape("tapCard", .text(1...60), "Holds a card in the field without a prompt."),
        KeyShape("print", .record(print), "Prints a receipt."),
        KeyShape("reprint", .record(print), "Reprints a receipt."),
        KeyShape("wait", .duration, "Lets simulated time pass."),
        KeyShape("sleep", .either([.duration, .record(sleep)]), "Suspends the machine for a time."),
        KeyShape("set", .record(change), "Changes the till's environment."),
        KeyShape("do", .word(bareActions), "Performs a step without parameters."),
    ]

    static let step = RecordShape(
        "step", "A step: exactly one action key, and optionally `during` and `expect`.",
        actions + [
            KeyShape("during", .list(.record(interruption), 1...50), "Interruptions during the step."),
            KeyShape("expect", .record(ExpectationKeys.record), "Expected results."),
        ])

    static let interruption = RecordShape(
        "interruption", "An interruption of a step.",
        [
            KeyShape("on", .line, "The beginning of the event that triggers it."),
            KeyShape("count", .number(1...10_000), "Which of these events triggers it, counted from 1."),
            KeyShape("after", .duration, "The delay after the event, or after the start of the step without an event."),
        ] + actions)

    static let pay = RecordShape(
        "pay", "A payment.",
        [
            KeyShape("amount", .amount, "The amount."),
            KeyShape("currency", .text(3...3), "ISO 4217 code. Default: the configuration's currency."),
            KeyShape("order", .number(1...1000), "The number of the unpaid order to pay, from 1."),
            KeyShape("card", .text(1...400), "The card: a name from `cards`, or a profile."),
            KeyShape("cardholder", .record(cardholder), "The behavior of the cardholder in this payment."),
            KeyShape("presents", .boolean, "Whether the cardholder presents the card. If false, use insertCard."),
            KeyShape("timeout", .duration, "The time limit for presenting a card."),
            KeyShape("forceOnline", .boolean, "Whether to force online authorization."),
            KeyShape("authorizeOnly", .boolean, "Whether to hold the amount only, for a later capture."),
            KeyShape("allowPartial", .boolean, "Whether to take an approval of a part of the amount."),
        ])

    static let sleep = RecordShape(
        "sleep", "A suspension of the machine.",
        [
            KeyShape("duration", .duration, "The duration.", isRequired: true),
            KeyShape(
                "keepsDevices", .boolean, "Whether the devices stay connected. Otherwise they are enumerated again."),
        ])

    static let refund = RecordShape(
        "refund", "A refund, or a capture.",
        [
            KeyShape("amount", .amount, "The amount. Default: the remaining amount."),
            KeyShape("currency", .text(3...3), "ISO 4217 code of the payment. Default: the configuration's currency."),
            KeyShape("payment", .number(1...1000), "The number of the payment in the scenario. Default: the last one."),
        ])

    static let increment = RecordShape(
        "increment", "An increment of what is held.",
        [
            KeyShape("amount", .amount, "What is added.", isRequired: true),
            KeyShape("currency", .text(3...3), "ISO 4217 code of the payment. Default: the configuration's currency."),
            KeyShape("payment", .number(1...1000), "The number of the payment in the scenario. Default: the last one."),
        ])

    static let print = RecordShape(
        "print", "A receipt to print.",
        [
            KeyShape("copy", .word(["customer", "merchant"]), "The copy. Default: customer."),
            KeyShape("payment", .number(1...1000), "The number of the payment in the scenario. Default: the last one."),
        ])

    static let change = RecordShape(
        "change", "A change of the till's environment.",
        [
            KeyShape("issuer", issuer, "The new rules of the issuer."),
            KeyShape("site", .record(siteChange), "New faults of the store."),
            KeyShape("printer", .word(SimulatedPrinterCondition.words.map(\.key)), "The new condition of the printer."),
            KeyShape("disk", .word(DiskCondition.words.map(\.key)), "The new condition of the disk."),
            KeyShape("battery", .number(0...100), "The reader's new battery level in percent."),
            KeyShape(
                "readerFaults", .list(.record(readerFault), 0...50),
                "New faults of the reader. An empty list removes those that have not happened."),
            KeyShape(
                "link", .list(.record(linkFault), 1...20), "New faults of requests to the issuer. Not with a wire."),
            KeyShape("issuerDown", .duration, "The issuer dies, and starts again after this time. Not with a wire."),
            KeyShape("siteDown", .duration, "The store's server dies, and starts again after this time."),
            KeyShape("clockForward", .duration, "Someone sets the till's clock forward."),
            KeyShape("clockBack", .duration, "Someone sets the till's clock back."),
            KeyShape("loseLease", .boolean, "Whether the till counts as dead for others while it goes on."),
            KeyShape(
                "neighbor", .word(NeighborAct.allCases.map(\.rawValue)),
                "An act of a second till."),
            KeyShape(
                "neighborPays", .either([.amount, .record(neighborBill)]),
                "A customer pays at the second till, beside the step: an amount, or a mapping. It needs `secondTill`."),
        ])

    static let neighborBill = RecordShape(
        "neighborBill", "What a customer pays at the second till.",
        [
            KeyShape("amount", .amount, "The amount."),
            KeyShape("currency", .text(3...3), "ISO 4217 code. Default: the configuration's currency."),
            KeyShape("order", .number(1...1000), "The number of the unpaid order to pay, from 1."),
        ])

    static let linkFault = RecordShape(
        "linkFault", "A fault of requests to the issuer.",
        [
            KeyShape(
                "request", .word(LinkFault.Kind.allCases.map(\.rawValue)),
                "Delayed: it arrives late. Doubled: it arrives at once, and a copy late.", isRequired: true),
            KeyShape("by", .duration, "How late it arrives.", isRequired: true),
            KeyShape("message", .word(IssuerMessageKind.allCases.map(\.rawValue)), "The message. Default: any."),
            KeyShape("times", .number(1...1000), "The number of messages. Default: 1."),
        ])

    static let siteChange = RecordShape(
        "siteChange", "Faults of the store.",
        [KeyShape("faults", .list(.line, 1...50), "Faults to add after the existing ones.", isRequired: true)])
}
