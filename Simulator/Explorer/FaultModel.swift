import Sessions
import Simulator
import StoreSite
import Text

/// Generates sessions and their faults, in every layer and at every injection point.
///
/// It depends only on random choices, so the same choices generate the same sessions. It deliberately leaves out a disk
/// that is full before the program starts, because the program then does not start, and anything that needs real time.
struct FaultModel: Sendable {
    let choices: RandomChoices

    /// The PIN of every card that has one. It is too long to occur anywhere by chance.
    static let pin = "739105826417"
    static let wrongPIN = "528394067153"

    // MARK: The world

    /// Returns the initial state of a session, as keys of a scenario.
    func setup() -> [DraftEntry] {
        var entries: [DraftEntry] = []
        if choices.happens(20) { entries.append(DraftEntry("clock", clock())) }
        if let configuration = configuration() { entries.append(DraftEntry("configuration", configuration)) }
        entries += readers()
        entries.append(DraftEntry("card", card()))
        if choices.happens(40) { entries.append(DraftEntry("cardholder", cardholder())) }
        if choices.happens(30) { entries.append(DraftEntry("issuer", issuer())) }
        if choices.happens(40) { entries.append(DraftEntry("site", site())) }
        if choices.happens(10) { entries.append(DraftEntry("printer", .text(printer()))) }
        if choices.happens(5) { entries.append(DraftEntry("disk", "slow")) }
        return entries
    }

    /// Generates one key of the initial state; nil for an unknown key.
    func setupEntry(_ key: String) -> DraftEntry? {
        switch key {
        case "clock": DraftEntry(key, clock())
        case "card": DraftEntry(key, card())
        case "cardholder": DraftEntry(key, cardholder())
        case "issuer": DraftEntry(key, issuer())
        case "site": DraftEntry(key, site())
        case "reader": DraftEntry(key, reader())
        case "printer": DraftEntry(key, .text(printer()))
        default: nil
        }
    }

    static let freshKeys = ["clock", "card", "cardholder", "issuer", "site", "reader", "printer"]

    private func clock() -> DraftNode {
        [
            "start": .text(
                choices.pick(
                    "2026-03-29T00:59:30Z", "2026-10-25T00:59:55Z", "2026-12-31T23:59:50Z", "2026-02-28T23:59:58Z",
                    "2028-02-29T12:00:00Z", "2026-07-01T10:00:00Z")),
            "utcOffset": .text(choices.pick("+00:00", "+01:00", "-08:00", "+05:45", "+14:00")),
        ]
    }

    private func configuration() -> DraftNode? {
        var entries: [DraftEntry] = []
        if choices.happens(50) { entries.append(DraftEntry("currency", .text(currency()))) }
        if choices.happens(20) {
            let limit: DraftNode = .number(choices.pick(1, 50, 1000))
            let actions: DraftNode = ["online": "0000000000", "default": "0000000000"]
            entries.append(
                DraftEntry(
                    "applications",
                    [
                        "extends": "standard",
                        "list": [
                            ["aid": "A0000000031010", "floorLimit": limit, "actionCodes": actions],
                            ["aid": "A0000000041010", "floorLimit": limit, "actionCodes": actions],
                        ],
                    ]))
        }
        return entries.isEmpty ? nil : .mapping(entries)
    }

    /// Currencies with zero, two, and three decimal places.
    private func currency() -> String {
        choices.pick("EUR", "GBP", "USD", "JPY", "KRW", "BHD", "KWD", "CLP", "TND")
    }

    private func readers() -> [DraftEntry] {
        guard choices.happens(12) else { return choices.happens(80) ? [DraftEntry("reader", reader())] : [] }
        let second: DraftNode =
            choices.happens(50) ? ["model": .text(model()), "pluggedIn": .text("false")] : .text(model())
        return [DraftEntry("readers", ["one": reader(), "two": second])]
    }

    private func reader() -> DraftNode {
        var entries = [DraftEntry("model", .text(model()))]
        if case .text(let name) = entries[0].value, name == "battery" || name == "updatable", choices.happens(50) {
            entries.append(DraftEntry("battery", .number(choices.pick(0, 4, 15, 60))))
        }
        if choices.happens(40) {
            entries.append(DraftEntry("faults", .list((0..<choices.number(1...2)).map { _ in readerFault() })))
        }
        return entries.count == 1 ? entries[0].value : .mapping(entries)
    }

    private func model() -> String {
        let usual = ["tpdu", "short-apdu", "extended-apdu", "combo", "pinpad", "battery"]
        let all = SimulatedReader.all.filter { $0.slotCount > 0 }.map(\.name)
        return choices.pick(of: choices.happens(60) ? usual : all + SimulatedReaderModel.faulty.map(\.name)) ?? "tpdu"
    }

    func readerFault() -> DraftNode {
        switch choices.number(1...10) {
        case 1: ["unpluggedAfter": .number(choices.number(1...250))]
        case 2: ["hang": .text(choices.pick("untilReset", "untilReplugged"))]
        case 3: ["overcurrent": "0"]
        case 4, 5, 6: ["xfrBlock": .number(choices.number(1...45)), "do": .text(disturbance())]
        default: ["command": .number(choices.number(1...150)), "do": .text(disturbance())]
        }
    }

    private func disturbance() -> String {
        choices.pick(
            "commandStalled", "answerStalled", "zeroLengthFirst", "wrongSequence", "hugeLength", "unanswered",
            "cardRemoved", "unplugged", "truncated \(choices.number(0...20))",
            "wrongLength \(choices.number(-12...300))")
    }

    // MARK: The card and its holder

    func card() -> DraftNode {
        let name: String
        if choices.happens(45) {
            name = choices.pick(
                "visa-credit", "mastercard-credit", "pin-required", "online-pin", "offline-approve", "visa-dda")
        } else {
            name = choices.pick(of: CardProfileLibrary.names) ?? "visa-credit"
        }
        return card(named: name)
    }

    /// Generates a built-in card with PINs that the scan for secrets knows, and sometimes with a fault.
    func card(named name: String) -> DraftNode {
        guard let profile = try? CardProfileLibrary.keptProfile(name) else { return .text(name) }
        var override: [DraftEntry] = []
        if profile.applications.contains(where: { $0.pin != nil }) {
            override.append(DraftEntry("applications", ["pin": ["value": .text(Self.pin)]]))
        }
        if profile.account.onlinePIN != nil {
            override.append(DraftEntry("account", ["onlinePIN": .text(Self.pin)]))
        }
        if !override.isEmpty { override.append(DraftEntry("cardholder", ["pinEntries": [.text(Self.pin)]])) }
        if choices.happens(25) { override.append(DraftEntry("faults", [cardFault()])) }
        return override.isEmpty ? .text(name) : ["profile": .text(name), "override": .mapping(override)]
    }

    private func cardFault() -> DraftNode {
        let command = choices.pick(
            "select", "readRecord", "getProcessingOptions", "getData", "verify", "internalAuthenticate",
            "externalAuthenticate", "generateAC", "generateAC", "script", "any")
        var entries = [
            DraftEntry("command", .text(command)),
            DraftEntry(
                "occurrence", choices.happens(10) ? "every" : .number(choices.number(1...(command == "any" ? 40 : 6)))),
        ]
        let effect = choices.pick(
            "remove", "remove", "mute", "statusWord 6985", "statusWord 6A88", "truncate \(choices.number(0...12))",
            "wrongLength", "appendByte", "badTLV", "badCryptogram", "delay \(choices.pick(50, 900, 30_000))",
            "waitingTimeExtension 3")
        if effect == "remove" { entries.append(DraftEntry("when", .text(choices.pick("before", "during", "after")))) }
        if effect == "mute" || effect.hasPrefix("statusWord") {
            entries.append(DraftEntry("when", .text(choices.pick("before", "during"))))
        }
        entries.append(DraftEntry("do", .text(effect)))
        return .mapping(entries)
    }

    func cardholder() -> DraftNode {
        var entries: [DraftEntry] = []
        if choices.happens(50) {
            entries.append(
                DraftEntry(
                    "pins",
                    .list(
                        (0..<choices.number(1...4)).map { _ in
                            .text(
                                choices.pick(
                                    Self.pin, Self.wrongPIN, Self.wrongPIN, "bypass", "cancel", "nothing", "removeCard")
                            )
                        })))
        }
        if choices.happens(40) {
            entries.append(DraftEntry("insertAfter", .text(choices.pick("1s", "20s", "59s", "61s", "2min"))))
        }
        if choices.happens(45) {
            entries.append(DraftEntry("removeAfter", .text("\(choices.number(0...1) * choices.number(0...9000))ms")))
        }
        if choices.happens(15) { entries.append(DraftEntry("swipeFirst", "true")) }
        if choices.happens(8) || entries.isEmpty { entries.append(DraftEntry("choose", "cancel")) }
        return .mapping(entries)
    }

    // MARK: Issuer, store, printer, disk

    func issuer() -> DraftNode { .list((0..<choices.number(1...2)).map { issuerRule($0) }) }

    private func issuerRule(_ number: Int) -> DraftNode {
        let message = choices.pick(
            "authorize", "authorize", "authorize", "reverse", "reverse", "advise", "inquire", "refund")
        var entries: [DraftEntry] = []
        if message != "authorize" { entries.append(DraftEntry("when", ["messages": .text(message)])) }
        if choices.happens(70) { entries.append(DraftEntry("times", .number(choices.number(1...3)))) }
        var answers: [DraftNode] = [
            ["lost": "request"], ["lost": "answer"], ["reachable": "false"],
            ["delayMilliseconds": .number(choices.pick(500, 5000, 20_000, 44_999, 45_001, 90_000))],
        ]
        if message == "refund" { answers.append(["responseCode": .text(choices.pick("05", "51", "12"))]) }
        if message == "authorize" {
            answers += [
                ["responseCode": .text(choices.pick("01", "02", "05", "10", "12", "14", "41", "51", "54", "55", "61"))],
                ["responseCode": .text(choices.pick("00", "11", "65", "75", "91", "92", "96", "10", "00"))],
                ["arpc": .text(choices.pick("wrong", "none"))],
                [
                    "scripts": [
                        [
                            "when": .text(choices.pick("beforeFinal", "afterFinal")),
                            "command": .text(choices.pick("unblockPIN", "blockApplication", "blockCard")),
                        ]
                    ]
                ],
                ["responseCode": "00", "delayMilliseconds": .number(choices.number(0...46_000))],
            ]
        }
        entries.append(DraftEntry("answer", choices.pick(of: answers) ?? ["lost": "answer"]))
        // Occurrences are counted by rule name, even across a change of rules, so names must be unique.
        return .mapping([DraftEntry("name", .text("rule-\(number)-\(choices.number(1...1_000_000))"))] + entries)
    }

    private func site() -> DraftNode {
        var entries = [
            DraftEntry("orders", .number(choices.number(0...2))),
            DraftEntry("unpaid", .list((0..<choices.number(1...3)).map { _ in .text(amount(digits: 2)) })),
        ]
        if choices.happens(50) {
            entries.append(DraftEntry("faults", .list((0..<choices.number(1...3)).map { _ in .text(siteFault()) })))
        }
        return .mapping(entries)
    }

    func siteFault() -> String {
        let request = choices.pick("POST /*capture_terminal_payment", "GET /*orders/*", "GET /*", "POST /*", "*")
        let occurrence = choices.pick(
            "#1", "#1", "#2", "#3", "first:2", "first:4", "from:2", "every:2", "always", "chance:40")
        let fault = choices.pick(
            "latency:500ms", "latency:20s", "latency:90s", "401", "403", "404", "429:2", "429:90", "500", "502",
            "503:5",
            "cut", "cut", "lost-answer", "lost-answer", "failed-answer", "truncate:\(choices.number(0...400))",
            "charset",
            "html", "wrong-types", "stale", "slow:20", "huge:70000", "redirect:http://elsewhere.example/")
        return request == "*" ? "\(occurrence) \(fault)" : "\(request) \(occurrence) \(fault)"
    }

    func printer() -> String {
        choices.pick("ready", "outOfPaper", "jammed", "offline", "refusing", "away", "slow", "failing")
    }

    // MARK: Money

    /// Returns an amount of any size with this number of decimal places.
    func amount(digits: Int) -> String {
        let minorUnits = choices.pick(
            1, 5, 100, 1050, 1051, 1250, 4999, 5000, 5001, 2500, 10_002, 95_000, 199_999, 250_000,
            choices.number(1...20_000), choices.number(1...999_999))
        return minorUnits.decimalText(scale: digits)
    }
}

/// A point in a session at which an act can happen: the words with which an event begins.
struct InjectionPoint: Hashable, Comparable, Sendable {
    let words: String

    init(words: String) { self.words = words }

    static func < (one: InjectionPoint, other: InjectionPoint) -> Bool { one.words < other.words }

    /// Creates the injection point of an event, without its variable parts; nil for an event of the session's own
    /// script.
    init?(_ event: SessionEvent) {
        switch event.kind {
        case .step, .stepEnded, .act, .action, .start, .crash: return nil
        // The details of these events are free text or numbers.
        case .apdu, .display, .site, .lowBattery, .batteryResolved, .waiting, .cardIn, .cardOut, .pluggedIn, .unplugged:
            words = event.kind.rawValue
        default:
            let plain = event.words.prefix { word in
                word.utf8.allSatisfy {
                    ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") || $0 == 0x5F
                }
            }
            words = ([event.kind.rawValue] + plain.prefix(3).map(String.init)).joined(separator: " ")
        }
    }

    /// The points known before the first session: the journal's commits, the messages to the issuer, and the milestones
    /// of a payment at the reader.
    static let first: [InjectionPoint] = [
        "saving created", "saving authorizing", "saving captured", "saving reversing", "journal created",
        "journal authorizing", "journal captured", "journal declined", "host authorize sent", "host authorize answered",
        "host reverse sent", "capture due", "capture sent", "site", "waiting", "card_inserted", "authorizing", "apdu",
        "remove_card", "kernel online", "kernel entering_pin", "receipt sale", "print processing",
    ].map(InjectionPoint.init(words:))
}

extension SessionEvent {
    /// The words of the detail. It is split by bytes: characters take many times longer, and an exchange has hundreds.
    var words: [Substring] { detail.utf8.split(separator: UInt8(ascii: " ")).map(Substring.init) }
}
