/// The table of everything that can stand in a scenario file.
public enum ScenarioKeys {
    /// The version of the format that this program reads.
    public static let templateVersion = 1

    /// All keys of a file, and of what stands in it.
    public static let file = RecordShape(
        "scenario", "A simulated session: what there is, what happens, and what must come of it.",
        [
            KeyShape(
                "template_version", .word([String(templateVersion)]), "The version of the format.", isRequired: true),
            KeyShape("description", .line, "One sentence on what the scenario shows.", isRequired: true),
            KeyShape("tags", .list(.text(1...40), 0...20), "Words to choose scenarios by."),
            KeyShape("expectedFailure", .line, "Why the scenario fails for now. It is an error when it passes."),
            KeyShape("include", .oneOrMany(.text(1...400), 1...20), "Files whose keys count where this one has none."),
            KeyShape("variables", .table(.foreign("Any value")), "Values that stand wherever `${name}` is written."),
            KeyShape(
                "matrix", .table(.either([.list(.foreign("Any value"), 1...100), .table(.foreign("Any value"))])),
                "Variables with several values each; every combination is a case."),
            KeyShape(
                "cases", .table(.table(.foreign("Any value"))), "Named rows of variables; every row is a case."),
            KeyShape("seed", .number(0...Int.max), "What chance is made of, whatever --seed says."),
            KeyShape("clock", .record(clock), "The virtual clock at the beginning."),
            KeyShape(
                "reader", .either([.text(1...60), .record(reader)]), "The reader: its model, or more about it."),
            KeyShape(
                "readers", .table(.either([.text(1...60), .record(reader)])),
                "Several readers, by names of their own."),
            KeyShape(
                "card", .either([.text(1...400), .record(card)]), "The card that is presented: its profile, or more."),
            KeyShape("cards", .table(.either([.text(1...400), .record(card)])), "More cards, by names of their own."),
            KeyShape("cardholder", .record(cardholder), "What the person with the card does."),
            KeyShape("issuer", issuer, "By which rules the issuer answers."),
            KeyShape("site", .record(site), "The store that orders come from."),
            KeyShape("printer", .word(ScenarioPrinter.allCases.map(\.rawValue)), "What the receipt printer is like."),
            KeyShape("disk", .word(ScenarioDisk.allCases.map(\.rawValue)), "What the disk is like."),
            KeyShape(
                "configuration", .either([.text(1...400), .foreign("The keys of the till's configuration file")]),
                "The till's configuration: a file's path, or its keys."),
            KeyShape(
                "steps", .list(.either([.word(bareActions), .record(step)]), 1...200), "What happens, in order.",
                isRequired: true),
            KeyShape("expect", .record(ExpectationKeys.record), "What must be so after the last step."),
            KeyShape(
                "golden", .list(.word(GoldenSection.allCases.map(\.rawValue)), 1...6),
                "Parts that are compared as a whole with the golden file beside the scenario."),
        ])

    static let clock = RecordShape(
        "clock", "The virtual clock.",
        [
            KeyShape("start", .text(1...40), "The moment at which the session begins, as 2026-01-02T12:00:00Z."),
            KeyShape("utcOffset", .text(1...10), "The shop's time zone, as +01:00."),
        ])

    static let reader = RecordShape(
        "reader", "A reader.",
        [
            KeyShape("model", .text(1...60), "A model of a simulated reader.", isRequired: true),
            KeyShape("battery", .number(0...100), "Its charge in percent; for models with a battery."),
            KeyShape("pluggedIn", .boolean, "Whether it is plugged in at first."),
            KeyShape("faults", .list(.record(readerFault), 1...50), "What goes wrong in it."),
        ])

    static let readerFault = RecordShape(
        "readerFault", "Something that goes wrong in a reader.",
        [
            KeyShape("command", .number(1...100_000), "With the nth command from now."),
            KeyShape("xfrBlock", .number(1...100_000), "With the nth XfrBlock from now."),
            KeyShape(
                "do", .text(1...40),
                "What happens to that command: \(ReaderFaultWords.disturbances.joined(separator: ", "))."),
            KeyShape("unpluggedAfter", .number(1...100_000), "Pulled out after so many bulk transfers."),
            KeyShape("hang", .word(["untilReset", "untilReplugged"]), "It stops answering now."),
            KeyShape("overcurrent", .number(0...15), "An overcurrent in this slot, now."),
        ])

    static let card = RecordShape(
        "card", "A card.",
        [
            KeyShape("profile", .text(1...400), "The name or the path of a card profile."),
            KeyShape(
                "override", .foreign("Keys of a card profile"),
                "Laid over the profile. A mapping in place of a list changes the list's first entry."),
            KeyShape("recorded", .record(recorded), "In place of a profile: a real card as it was recorded."),
        ])

    static let recorded = RecordShape(
        "recorded", "A real card as `cardpresent pay --record` writes it, without card data.",
        [
            KeyShape("protocol", .word(["T=0", "T=1"]), "How it is spoken to."),
            KeyShape("lastFour", .text(4...4), "The last digits of its number, which a receipt shows."),
            KeyShape("expired", .boolean, "Whether it was out of date."),
            KeyShape(
                "exchanges", .list(.record(exchange), 1...2000), "What it was asked and answered.", isRequired: true),
            KeyShape("issuer", .list(.record(recordedAnswer), 0...100), "What its issuer answered."),
        ])

    /// Of an APDU with extended lengths.
    private static let apduDigits = 140_000

    private static let exchange = RecordShape(
        "exchange", "A command and what came of it, in hexadecimal digits; `**` is a masked byte.",
        [
            KeyShape("c", .text(8...apduDigits), "The command.", isRequired: true),
            KeyShape("r", .text(4...apduDigits), "The answer with its status word."),
            KeyShape("e", .word(["removed", "mute"]), "Why there was no answer."),
        ])

    private static let recordedAnswer = RecordShape(
        "recordedAnswer", "What the issuer of a recorded card answered.",
        [
            KeyShape("responseCode", .text(2...2), "DE 39.", isRequired: true),
            KeyShape("authorisationCode", .text(1...6), "DE 38."),
            KeyShape("authenticationData", .text(16...40), "Tag 91."),
            KeyShape("scriptsBefore", .list(.text(2...4096), 0...16), "The values of tags 71."),
            KeyShape("scriptsAfter", .list(.text(2...4096), 0...16), "The values of tags 72."),
        ])

    static let cardholder = RecordShape(
        "cardholder", "What the person with the card does.",
        [
            KeyShape(
                "pins", .oneOrMany(.text(1...12), 1...20),
                "What they do each time they are asked for the PIN: digits, right, wrong, bypass, cancel, nothing or "
                    + "removeCard."),
            KeyShape("choose", .text(1...16), "The label of the application that they choose, or cancel."),
            KeyShape("insertAfter", .duration, "From the request to the card in the reader."),
            KeyShape("removeAfter", .duration, "From the card in the reader to the card pulled out, unasked."),
            KeyShape("swipeFirst", .boolean, "Whether they swipe a card that has a chip."),
        ])

    static let issuer = Shape.either([
        .text(1...400), .list(.foreign("A rule, as docs/issuer-rules.md has it"), 1...1000),
    ])

    static let site = RecordShape(
        "site", "A store.",
        [
            KeyShape("orders", .number(0...1000), "How many orders of all kinds it has at first."),
            KeyShape("unpaid", .list(.amount, 1...100), "Orders that wait for their payment, by what they cost."),
            KeyShape("faults", .list(.line, 0...50), "What goes wrong: `POST /wc/v3/orders/* #1 lost-answer`."),
        ])
}

extension ScenarioKeys {
    /// The names of all keys, whatever they stand in.
    public static var allNames: Set<String> {
        var names: Set<String> = []
        collect(.record(file), into: &names)
        return names
    }

    private static func collect(_ shape: Shape, into names: inout Set<String>) {
        switch shape {
        case .record(let record):
            for key in record.keys {
                names.insert(key.name)
                collect(key.shape, into: &names)
            }
        case .list(let element, _), .table(let element): collect(element, into: &names)
        case .either(let shapes): for shape in shapes { collect(shape, into: &names) }
        case .text, .number, .boolean, .duration, .amount, .word, .foreign: break
        }
    }
}
