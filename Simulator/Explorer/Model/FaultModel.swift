internal import Simulator
internal import StoreSite

/// What can be in a session, and what can go wrong in it: in every layer, at every place.
///
/// It draws from dice alone, so that the same dice make the same sessions. What it leaves out on purpose: a disk that
/// is
/// full before the program begins (it does not begin then), and everything that real time would have to pass for.
struct FaultModel: Sendable {
    let dice: Dice

    /// The PIN of every card that has one: so many digits that they stand nowhere by chance.
    static let pin = "739105826417"
    static let wrongPIN = "528394067153"

    // MARK: The world

    /// What there is when the session begins, key by key.
    func setup() -> [DraftEntry] {
        var entries: [DraftEntry] = []
        if dice.happens(20) { entries.append(DraftEntry("clock", clock())) }
        if let configuration = configuration() { entries.append(DraftEntry("configuration", configuration)) }
        entries += readers()
        entries.append(DraftEntry("card", card()))
        if dice.happens(40) { entries.append(DraftEntry("cardholder", cardholder())) }
        if dice.happens(30) { entries.append(DraftEntry("issuer", issuer())) }
        if dice.happens(40) { entries.append(DraftEntry("site", site())) }
        if dice.happens(10) { entries.append(DraftEntry("printer", .text(printer()))) }
        if dice.happens(5) { entries.append(DraftEntry("disk", "slow")) }
        return entries
    }

    /// One key of the world made anew.
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
                dice.pick(
                    "2026-03-29T00:59:30Z", "2026-10-25T00:59:55Z", "2026-12-31T23:59:50Z", "2026-02-28T23:59:58Z",
                    "2028-02-29T12:00:00Z", "2026-07-01T10:00:00Z")),
            "utcOffset": .text(dice.pick("+00:00", "+01:00", "-08:00", "+05:45", "+14:00")),
        ]
    }

    private func configuration() -> DraftNode? {
        var entries: [DraftEntry] = []
        if dice.happens(50) { entries.append(DraftEntry("currency", .text(currency()))) }
        if dice.happens(20) {
            let limit: DraftNode = .number(dice.pick(1, 50, 1000))
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

    /// With no digits behind the point, with two, and with three.
    private func currency() -> String {
        dice.pick("EUR", "GBP", "USD", "JPY", "KRW", "BHD", "KWD", "CLP", "TND")
    }

    private func readers() -> [DraftEntry] {
        guard dice.happens(12) else { return dice.happens(80) ? [DraftEntry("reader", reader())] : [] }
        let second: DraftNode =
            dice.happens(50) ? ["model": .text(model()), "pluggedIn": .text("false")] : .text(model())
        return [DraftEntry("readers", ["one": reader(), "two": second])]
    }

    private func reader() -> DraftNode {
        var entries = [DraftEntry("model", .text(model()))]
        if case .text(let name) = entries[0].value, name == "battery" || name == "updatable", dice.happens(50) {
            entries.append(DraftEntry("battery", .number(dice.pick(0, 4, 15, 60))))
        }
        if dice.happens(40) {
            entries.append(DraftEntry("faults", .list((0..<dice.number(1...2)).map { _ in readerFault() })))
        }
        return entries.count == 1 ? entries[0].value : .mapping(entries)
    }

    private func model() -> String {
        let usual = ["tpdu", "short-apdu", "extended-apdu", "combo", "pinpad", "battery"]
        let all = SimulatedReader.all.filter { $0.slotCount > 0 }.map(\.name)
        return dice.pick(of: dice.happens(60) ? usual : all + SimulatedReaderModel.faulty.map(\.name)) ?? "tpdu"
    }

    func readerFault() -> DraftNode {
        switch dice.number(1...10) {
        case 1: ["unpluggedAfter": .number(dice.number(1...250))]
        case 2: ["hang": .text(dice.pick("untilReset", "untilReplugged"))]
        case 3: ["overcurrent": "0"]
        case 4, 5, 6: ["xfrBlock": .number(dice.number(1...45)), "do": .text(disturbance())]
        default: ["command": .number(dice.number(1...150)), "do": .text(disturbance())]
        }
    }

    private func disturbance() -> String {
        dice.pick(
            "commandStalled", "answerStalled", "zeroLengthFirst", "wrongSequence", "hugeLength", "unanswered",
            "cardRemoved", "unplugged", "truncated \(dice.number(0...20))", "wrongLength \(dice.number(-12...300))")
    }

    // MARK: The card and its holder

    func card() -> DraftNode {
        let name: String
        if dice.happens(45) {
            name = dice.pick(
                "visa-credit", "mastercard-credit", "pin-required", "online-pin", "offline-approve", "visa-dda")
        } else {
            name = dice.pick(of: CardProfileLibrary.names) ?? "visa-credit"
        }
        guard let profile = try? CardProfileLibrary.profile(name) else { return .text(name) }
        var override: [DraftEntry] = []
        if profile.applications.contains(where: { $0.pin != nil }) {
            override.append(DraftEntry("applications", ["pin": ["value": .text(Self.pin)]]))
        }
        if profile.account.onlinePIN != nil {
            override.append(DraftEntry("account", ["onlinePIN": .text(Self.pin)]))
        }
        if !override.isEmpty { override.append(DraftEntry("cardholder", ["pinEntries": [.text(Self.pin)]])) }
        if dice.happens(25) { override.append(DraftEntry("faults", [cardFault()])) }
        return override.isEmpty ? .text(name) : ["profile": .text(name), "override": .mapping(override)]
    }

    private func cardFault() -> DraftNode {
        let command = dice.pick(
            "select", "readRecord", "getProcessingOptions", "getData", "verify", "internalAuthenticate",
            "externalAuthenticate", "generateAC", "generateAC", "script", "any")
        var entries = [
            DraftEntry("command", .text(command)),
            DraftEntry(
                "occurrence", dice.happens(10) ? "every" : .number(dice.number(1...(command == "any" ? 40 : 6)))),
        ]
        let effect = dice.pick(
            "remove", "remove", "mute", "statusWord 6985", "statusWord 6A88", "truncate \(dice.number(0...12))",
            "wrongLength", "appendByte", "badTLV", "badCryptogram", "delay \(dice.pick(50, 900, 30_000))",
            "waitingTimeExtension 3")
        if effect == "remove" { entries.append(DraftEntry("when", .text(dice.pick("before", "during", "after")))) }
        if effect == "mute" || effect.hasPrefix("statusWord") {
            entries.append(DraftEntry("when", .text(dice.pick("before", "during"))))
        }
        entries.append(DraftEntry("do", .text(effect)))
        return .mapping(entries)
    }

    func cardholder() -> DraftNode {
        var entries: [DraftEntry] = []
        if dice.happens(50) {
            entries.append(
                DraftEntry(
                    "pins",
                    .list(
                        (0..<dice.number(1...4)).map { _ in
                            .text(
                                dice.pick(
                                    Self.pin, Self.wrongPIN, Self.wrongPIN, "bypass", "cancel", "nothing", "removeCard")
                            )
                        })))
        }
        if dice.happens(40) {
            entries.append(DraftEntry("insertAfter", .text(dice.pick("1s", "20s", "59s", "61s", "2min"))))
        }
        if dice.happens(45) {
            entries.append(DraftEntry("removeAfter", .text("\(dice.number(0...1) * dice.number(0...9000))ms")))
        }
        if dice.happens(15) { entries.append(DraftEntry("swipeFirst", "true")) }
        if dice.happens(8) || entries.isEmpty { entries.append(DraftEntry("choose", "cancel")) }
        return .mapping(entries)
    }

    // MARK: The others

    func issuer() -> DraftNode { .list((0..<dice.number(1...2)).map { issuerRule($0) }) }

    private func issuerRule(_ number: Int) -> DraftNode {
        let message = dice.pick(
            "authorize", "authorize", "authorize", "reverse", "reverse", "advise", "inquire", "refund")
        var entries: [DraftEntry] = []
        if message != "authorize" { entries.append(DraftEntry("when", ["messages": .text(message)])) }
        if dice.happens(70) { entries.append(DraftEntry("times", .number(dice.number(1...3)))) }
        var answers: [DraftNode] = [
            ["lost": "request"], ["lost": "answer"], ["reachable": "false"],
            ["delayMilliseconds": .number(dice.pick(500, 5000, 20_000, 44_999, 45_001, 90_000))],
        ]
        if message == "refund" { answers.append(["responseCode": .text(dice.pick("05", "51", "12"))]) }
        if message == "authorize" {
            answers += [
                ["responseCode": .text(dice.pick("01", "02", "05", "10", "12", "14", "41", "51", "54", "55", "61"))],
                ["responseCode": .text(dice.pick("00", "11", "65", "75", "91", "92", "96", "10", "00"))],
                ["arpc": .text(dice.pick("wrong", "none"))],
                [
                    "scripts": [
                        [
                            "when": .text(dice.pick("beforeFinal", "afterFinal")),
                            "command": .text(dice.pick("unblockPIN", "blockApplication", "blockCard")),
                        ]
                    ]
                ],
                ["responseCode": "00", "delayMilliseconds": .number(dice.number(0...46_000))],
            ]
        }
        entries.append(DraftEntry("answer", dice.pick(of: answers) ?? ["lost": "answer"]))
        // Rules are counted by their names, also over a change of rules.
        return .mapping([DraftEntry("name", .text("rule-\(number)-\(dice.number(1...1_000_000))"))] + entries)
    }

    private func site() -> DraftNode {
        var entries = [
            DraftEntry("orders", .number(dice.number(0...2))),
            DraftEntry("unpaid", .list((0..<dice.number(1...3)).map { _ in .text(amount(digits: 2)) })),
        ]
        if dice.happens(50) {
            entries.append(DraftEntry("faults", .list((0..<dice.number(1...3)).map { _ in .text(siteFault()) })))
        }
        return .mapping(entries)
    }

    func siteFault() -> String {
        let request = dice.pick("POST /*capture_terminal_payment", "GET /*orders/*", "GET /*", "POST /*", "*")
        let occurrence = dice.pick(
            "#1", "#1", "#2", "#3", "first:2", "first:4", "from:2", "every:2", "always", "chance:40")
        let fault = dice.pick(
            "latency:500ms", "latency:20s", "latency:90s", "401", "403", "404", "429:2", "429:90", "500", "502",
            "503:5",
            "cut", "cut", "lost-answer", "lost-answer", "failed-answer", "truncate:\(dice.number(0...400))", "charset",
            "html", "wrong-types", "slow:20", "huge:70000", "redirect:http://elsewhere.example/")
        return request == "*" ? "\(occurrence) \(fault)" : "\(request) \(occurrence) \(fault)"
    }

    func printer() -> String {
        dice.pick("ready", "outOfPaper", "jammed", "offline", "refusing", "away", "slow", "failing")
    }

    // MARK: Money

    /// An amount with so many digits behind the point, in all sizes.
    func amount(digits: Int) -> String {
        let minorUnits = dice.pick(
            1, 5, 100, 1050, 1051, 1250, 4999, 5000, 5001, 2500, 10_002, 95_000, 199_999, 250_000,
            dice.number(1...20_000), dice.number(1...999_999))
        guard digits > 0 else { return String(minorUnits) }
        let text = String(minorUnits)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }
}
