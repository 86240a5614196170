import ISO8583
public import Settings
import Simulator

/// The keys of a scenario file and the shapes of their values.
public enum ScenarioKeys {
    /// The version of the format that this program reads.
    public static let templateVersion = 1

    /// The shape of a whole file.
    public static let file = RecordShape(
        "scenario", "A simulated session: its environment, its steps, and its expected results.",
        [
            KeyShape(
                "template_version", .word([String(templateVersion)]), "The version of the format.", isRequired: true),
            KeyShape("description", .line, "A description in one sentence.", isRequired: true),
            KeyShape("tags", .list(.text(1...40), 0...20), "Tags to select scenarios with."),
            KeyShape(
                "expectedFailure", .line,
                "The reason why the scenario is expected to fail. A scenario that passes despite it is an error."),
            KeyShape("include", .oneOrMany(.text(1...400), 1...20), "Files whose keys apply where this file has none."),
            KeyShape("variables", .table(.foreign("Any value")), "Values of the variables written as `${name}`."),
            KeyShape(
                "matrix", .table(.either([.list(.foreign("Any value"), 1...100), .table(.foreign("Any value"))])),
                "Variables with several values. Each combination is a case."),
            KeyShape(
                "cases", .table(.table(.foreign("Any value"))), "Named sets of variables. Each set is a case."),
            KeyShape("seed", .number(0...Int.max), "The random seed. Overrides --seed."),
            KeyShape("clock", .record(clock), "The simulated clock at the start."),
            KeyShape(
                "reader", .either([.text(1...60), .record(reader)]), "The reader: a model, or a mapping."),
            KeyShape(
                "readers", .table(.either([.text(1...60), .record(reader)])),
                "Several readers, by name."),
            KeyShape(
                "card", .either([.text(1...400), .record(card)]), "The presented card: a profile, or a mapping."),
            KeyShape("cards", .table(.either([.text(1...400), .record(card)])), "More cards, by name."),
            KeyShape("cardholder", .record(cardholder), "The behavior of the cardholder."),
            KeyShape(
                "exceptions", .oneOrMany(.text(1...400), 1...20),
                "The cards on the till's exception file: names of cards of the scenario, or profiles."),
            KeyShape("issuer", issuer, "The issuer's rules."),
            KeyShape(
                "host", .record(host),
                "The wire to the issuer. Without it, the till has the issuer in its own process."),
            KeyShape("site", .record(site), "The simulated store."),
            KeyShape("secondTill", .record(secondTill), "A second till that takes payments at the same time."),
            KeyShape(
                "printer", .word(SimulatedPrinterCondition.words.map(\.key)), "The condition of the receipt printer."),
            KeyShape("disk", .word(DiskCondition.words.map(\.key)), "The condition of the disk."),
            KeyShape(
                "configuration", .either([.text(1...400), .foreign("The keys of the till's configuration file")]),
                "The till's configuration: a file's path, or its keys."),
            KeyShape(
                "steps", .list(.either([.word(bareActions), .record(step)]), 1...200),
                "The steps, in order. A file has either these or `till`."),
            KeyShape("till", .record(till), "A till that speaks a terminal protocol, instead of steps."),
            KeyShape("expect", .record(ExpectationKeys.record), "Expectations after the last step."),
            KeyShape(
                "golden", .list(.word(GoldenSection.allCases.map(\.rawValue)), 1...6),
                "Parts to compare with the golden file next to the scenario."),
        ])

    static let clock = RecordShape(
        "clock", "The simulated clock.",
        [
            KeyShape("start", .text(1...40), "The start of the session, for example 2026-01-02T12:00:00Z."),
            KeyShape("utcOffset", .text(1...10), "The shop's UTC offset, for example +01:00."),
        ])

    static let reader = RecordShape(
        "reader", "A reader.",
        [
            KeyShape("model", .text(1...60), "The model of the simulated reader.", isRequired: true),
            KeyShape("battery", .number(0...100), "The battery level in percent, for models with a battery."),
            KeyShape("pluggedIn", .boolean, "Whether it is plugged in at the start."),
            KeyShape("faults", .list(.record(readerFault), 1...50), "Faults of the reader."),
        ])

    static let readerFault = RecordShape(
        "readerFault", "A fault of a reader.",
        [
            KeyShape("command", .number(1...100_000), "The number of the affected command, counted from now."),
            KeyShape(
                "xfrBlock", .number(1...100_000), "The number of the affected XfrBlock command, counted from now."),
            KeyShape(
                "do", .text(1...40),
                "The fault of that command: \(ReaderFaultWords.disturbances.joined(separator: ", "))."),
            KeyShape(
                "unpluggedAfter", .number(1...100_000),
                "The number of bulk transfers after which the reader is unplugged."),
            KeyShape(
                "hang", .word(["untilReset", "untilReplugged"]),
                "The reader stops responding now, until the given event."),
            KeyShape("overcurrent", .number(0...15), "An overcurrent in this slot now."),
        ])

    static let card = RecordShape(
        "card", "A card.",
        [
            KeyShape("profile", .text(1...400), "The name or path of a card profile."),
            KeyShape(
                "override", .foreign("Keys of a card profile"),
                "Keys that replace those of the profile. A mapping instead of a list changes the first entry of the list."
            ),
            KeyShape("recorded", .record(recorded), "A recorded real card, instead of a profile."),
        ])

    static let recorded = RecordShape(
        "recorded", "A real card recorded by `cardpresent pay --record`, without card data.",
        [
            KeyShape("protocol", .word(["T=0", "T=1"]), "The transmission protocol."),
            KeyShape("lastFour", .text(4...4), "The last four digits of the card number, for receipts."),
            KeyShape("expired", .boolean, "Whether the card was expired."),
            KeyShape(
                "exchanges", .list(.record(exchange), 1...2000), "The exchanges with the card.", isRequired: true),
            KeyShape("issuer", .list(.record(recordedAnswer), 0...100), "The issuer's responses."),
        ])

    /// The most hexadecimal digits of an APDU with extended lengths.
    private static let apduDigits = 140_000

    private static let exchange = RecordShape(
        "exchange", "A command and its result in hexadecimal; `**` is a masked byte.",
        [
            KeyShape("c", .text(8...apduDigits), "The command.", isRequired: true),
            KeyShape("r", .text(4...apduDigits), "The response with its status word."),
            KeyShape("e", .word(["removed", "mute"]), "The reason for a missing response."),
        ])

    private static let recordedAnswer = RecordShape(
        "recordedAnswer", "A response of the issuer of a recorded card.",
        [
            KeyShape("responseCode", .text(2...2), "The response code (DE 39).", isRequired: true),
            KeyShape("authorisationCode", .text(1...6), "The authorization code (DE 38)."),
            KeyShape("authenticationData", .text(16...40), "The issuer authentication data (tag 91)."),
            KeyShape(
                "scriptsBefore", .list(.text(2...4096), 0...16), "The scripts before the final cryptogram (tag 71)."),
            KeyShape(
                "scriptsAfter", .list(.text(2...4096), 0...16), "The scripts after the final cryptogram (tag 72)."),
        ])

    static let cardholder = RecordShape(
        "cardholder", "The behavior of the cardholder.",
        [
            KeyShape(
                "pins", .oneOrMany(.text(1...12), 1...20),
                "The reaction to each PIN prompt: digits, right, wrong, bypass, cancel, nothing, or removeCard."),
            KeyShape("choose", .text(1...16), "The label of the application to select, or cancel."),
            KeyShape(
                "chooseAccount", .word(["default", "savings", "cheque", "credit"]),
                "The account to choose when the till offers the choice."),
            KeyShape("insertAfter", .duration, "The time from the prompt to the insertion of the card."),
            KeyShape(
                "moveAwayAt", .number(1...1000), "The exchange at which a tapped card is moved away, counted from 1."),
            KeyShape("moveBackAfter", .duration, "The time from moving the card away until it is back."),
            KeyShape(
                "present", .word(["asTheCardAllows", "tap", "insert"]), "Whether the card is tapped or inserted."),
            KeyShape("removeAfter", .duration, "The time from the insertion to an early removal of the card."),
            KeyShape("secondCardFor", .duration, "The time for which another card is in the field at the first tap."),
            KeyShape("swipeFirst", .boolean, "Whether the cardholder first swipes a chip card."),
        ])

    static let issuer = Shape.either([
        .text(1...400), .list(.foreign("An issuer rule (docs/issuer-rules.md)"), 1...1000),
    ])

    static let host = RecordShape(
        "host", "A wire to a simulated acquirer, which asks the issuer.",
        [
            KeyShape("wire", .word(["iso8583"]), "The protocol of the wire.", isRequired: true),
            KeyShape(
                "profile", .word(MessageProfile.shippedNames), "The message profile, which is the acquirer's dialect.",
                isRequired: true),
            KeyShape(
                "faults", .list(.text(1...80), 0...50),
                "Faults of the acquirer, for example `answer-lost:sale:1` (docs/acquirer.md)."),
            KeyShape(
                "faultPercent", .number(0...100),
                "How many of a hundred messages about money get another fault at random. Default: 0."),
        ])

    static let secondTill = RecordShape(
        "secondTill", "A second till that takes payments at the same time.",
        [
            KeyShape(
                "database", .word(SecondTillSetup.databases.map(\.key)),
                "Whose database it has: that of the first till, or its own. Default: shared."),
            KeyShape(
                "reader", .either([.text(1...60), .record(reader)]),
                "Its reader: a model, or a mapping. Default: tpdu."),
            KeyShape(
                "card", .text(1...400),
                "Its customers' card, another than that of the first till: a name from `cards`, or a profile.",
                isRequired: true),
        ])

    static let site = RecordShape(
        "site", "A simulated store.",
        [
            KeyShape("orders", .number(0...1000), "The number of generated orders."),
            KeyShape("unpaid", .list(.amount, 1...100), "The amounts of unpaid orders."),
            KeyShape("faults", .list(.line, 0...50), "Faults, for example `POST /wc/v3/orders/* #1 lost-answer`."),
        ])
}

extension ScenarioKeys {
    /// The names of all keys, at any depth.
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

/// The words for reader faults.
enum ReaderFaultWords {
    static let disturbances = plain.map(\.key) + ["truncated N", "wrongLength N"]

    private static let plain: KeyValuePairs<String, SimulatedReaderFault.Disturbance> = [
        "commandStalled": .commandStalled, "answerStalled": .answerStalled, "zeroLengthFirst": .zeroLengthFirst,
        "wrongSequence": .wrongSequence, "hugeLength": .hugeLength, "unanswered": .unanswered,
        "cardRemoved": .cardRemoved, "unplugged": .unplugged,
    ]

    static func disturbance(_ node: SettingsNode) throws(SettingsError) -> SimulatedReaderFault.Disturbance {
        let words = try node.text(length: 1...40).split(separator: " ").map(String.init)
        if words.count == 2, let number = Int(words[1]), (-1000...1000).contains(number) {
            if words[0] == "truncated", number >= 0 { return .truncated(number) }
            if words[0] == "wrongLength" { return .wrongLength(number) }
        }
        guard words.count == 1, let found = plain.first(where: { $0.key == words[0] }) else {
            let nearest = NearestName.to(words.first ?? "", among: plain.map(\.key))
            throw node.error(
                "no such disturbance",
                fix: nearest.map { "did you mean '\($0)'?" } ?? "use one of \(disturbances.joined(separator: ", "))")
        }
        return found.value
    }

    /// Returns a fault as written in a file.
    static func node(_ fault: SimulatedReaderFault) -> SettingsNode {
        let entries: [(key: String, value: SettingsNode)] =
            switch fault {
            case .command(let number, let disturbance): [("command", .text(String(number))), word(disturbance)]
            case .xfrBlock(let number, let disturbance): [("xfrBlock", .text(String(number))), word(disturbance)]
            case .unplugged(let transfers): [("unpluggedAfter", .text(String(transfers)))]
            case .hang(let untilReset): [("hang", .text(untilReset ? "untilReset" : "untilReplugged"))]
            case .hardwareError(let slot): [("overcurrent", .text(String(slot)))]
            }
        return .mapping(entries)
    }

    private static func word(_ disturbance: SimulatedReaderFault.Disturbance) -> (key: String, value: SettingsNode) {
        let word =
            switch disturbance {
            case .truncated(let count): "truncated \(count)"
            case .wrongLength(let surplus): "wrongLength \(surplus)"
            default: plain.first { $0.value == disturbance }?.key ?? ""
            }
        return ("do", .text(word))
    }
}

/// The JSON Schema of scenario files, for completion and checks in editors. It is generated from ``ScenarioKeys``; the
/// program itself checks more.
public enum ScenarioSchema {
    /// The schema as JSON text with a final line break.
    public static var text: String {
        ShapeSchema(title: "CardPresent scenario", file: ScenarioKeys.file, hasVariables: true).text
    }
}
