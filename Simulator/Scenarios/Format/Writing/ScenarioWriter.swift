import Acquirer
import Determinism
import ISO8583
import Money
import Settings
import Simulator
import StoreSite
import Text
import TillConfiguration

/// Converts a ``Scenario`` to the values of a file. Leaves out defaults.
struct ScenarioWriter {
    let scenario: Scenario
    /// The named cards, each as at its first use; the scenario's card comes first.
    let cards: [CardSetup]

    typealias Entry = (key: String, value: SettingsNode)

    init(_ scenario: Scenario) {
        self.scenario = scenario
        var cards = [scenario.card]
        let actions = scenario.steps.flatMap { [$0.action] + $0.interruptions.map(\.action) }
        let others = [scenario.secondTill?.card].compactMap { $0 } + scenario.exceptions
        for card in actions.compactMap(\.namedCard) + others
        where !cards.contains(where: { $0.name == card.name }) {
            cards.append(card)
        }
        self.cards = cards
    }

    func file() throws(ScenarioWritingError) -> SettingsNode {
        var entries: [Entry] = [
            ("template_version", .text(String(ScenarioKeys.templateVersion))),
            ("description", .text(scenario.summary)),
        ]
        if !scenario.tags.isEmpty { entries.append(("tags", .list(scenario.tags.map { .text($0) }))) }
        if let reason = scenario.expectedFailure { entries.append(("expectedFailure", .text(reason))) }
        if let seed = scenario.seed { entries.append(("seed", .text(String(seed)))) }
        if scenario.clock != ClockSetup() { entries.append(("clock", clock)) }
        entries += try readers()
        entries += try cardEntries()
        if !scenario.exceptions.isEmpty {
            entries.append(("exceptions", .list(scenario.exceptions.map { .text($0.name) })))
        }
        if let rules = scenario.issuerRules.source { entries.append(("issuer", rules)) }
        if let wire = scenario.wire { entries.append(("host", Self.wire(wire))) }
        if let site = scenario.site { entries.append(("site", self.site(site))) }
        if let till = scenario.secondTill { entries.append(("secondTill", try secondTill(till))) }
        if scenario.printer != .ready { entries.append(("printer", .text(scenario.printer.fileWord))) }
        if scenario.disk != .working { entries.append(("disk", .text(scenario.disk.fileWord))) }
        if let configuration = try configuration() { entries.append(("configuration", configuration)) }
        var steps: [SettingsNode] = []
        for step in scenario.steps { steps.append(try self.step(step)) }
        if let till = scenario.tillProtocol {
            entries.append(("till", .mapping([("protocol", .text(till.rawValue)), ("requests", .list(steps))])))
        } else {
            entries.append(("steps", .list(steps)))
        }
        if !scenario.expectations.isEmpty { entries.append(("expect", try expectations(scenario.expectations))) }
        if !scenario.golden.isEmpty { entries.append(("golden", .list(scenario.golden.map { .text($0.rawValue) }))) }
        let file = SettingsNode.mapping(entries)
        try file.checkForVariables()
        return file
    }

    // MARK: Time and money

    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1),
    ]

    static func duration(_ duration: Duration) throws(ScenarioWritingError) -> SettingsNode {
        let (seconds, attoseconds) = duration.components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        guard (0...86_400).contains(seconds), attoseconds >= 0, attoseconds % perMillisecond == 0 else {
            throw .duration(duration)
        }
        let milliseconds = seconds * 1000 + attoseconds / perMillisecond
        guard milliseconds <= 86_400_000 else { throw .duration(duration) }
        let unit = Self.units.first { milliseconds > 0 && milliseconds % $0.milliseconds == 0 }
        return .text("\(milliseconds / (unit?.milliseconds ?? 1))\(unit?.suffix ?? "ms")")
    }

    static func money(_ minorUnits: Int64, _ code: String) throws(ScenarioWritingError) -> Money {
        do throws(MoneyError) { return try Money(minorUnits: minorUnits, currency: try Currency(code: code)) } catch {
            throw .amount(minorUnits: minorUnits, currency: code)
        }
    }

    private var clock: SettingsNode {
        var entries: [Entry] = []
        let (clock, standard) = (scenario.clock, ClockSetup())
        if clock.start != standard.start { entries.append(("start", .text(clock.start.description))) }
        if clock.offsetSeconds != standard.offsetSeconds {
            let minutes = abs(clock.offsetSeconds) / 60
            let sign = clock.offsetSeconds < 0 ? "-" : "+"
            entries.append(
                ("utcOffset", .text("\(sign)\((minutes / 60).zeroPadded(to: 2)):\((minutes % 60).zeroPadded(to: 2))")))
        }
        return .mapping(entries)
    }

    // MARK: Readers, store, configuration

    private static func wire(_ wire: WireSetup) -> SettingsNode {
        var entries: [Entry] = [("wire", .text("iso8583")), ("profile", .text(wire.profile.name))]
        if !wire.faults.isEmpty { entries.append(("faults", .list(wire.faults.map { .text("\($0)") }))) }
        if wire.faultPercent > 0 { entries.append(("faultPercent", .text("\(wire.faultPercent)"))) }
        return .mapping(entries)
    }

    private func readers() throws(ScenarioWritingError) -> [Entry] {
        if scenario.readers.count == 1, let only = scenario.readers.first, only.name == "reader" {
            let node = try reader(only)
            let isStandard = only.model.name == ReaderSetup().model.name && node.kind == .text
            return isStandard ? [] : [("reader", node)]
        }
        var entries: [Entry] = []
        for reader in scenario.readers { entries.append((reader.name, try self.reader(reader))) }
        return [("readers", .mapping(entries))]
    }

    private func reader(_ reader: ReaderSetup) throws(ScenarioWritingError) -> SettingsNode {
        var entries: [Entry] = [("model", .text(reader.model.name))]
        if let battery = reader.battery { entries.append(("battery", .text(String(battery)))) }
        if !reader.isPluggedIn { entries.append(("pluggedIn", .text("false"))) }
        if !reader.faults.isEmpty { entries.append(("faults", .list(reader.faults.map(ReaderFaultWords.node)))) }
        return entries.count == 1 ? .text(reader.model.name) : .mapping(entries)
    }

    private func secondTill(_ till: SecondTillSetup) throws(ScenarioWritingError) -> SettingsNode {
        var entries: [Entry] = []
        if till.ownsDatabase, let word = SecondTillSetup.databases.first(where: \.value)?.key {
            entries.append(("database", .text(word)))
        }
        let reader = try reader(till.reader)
        if reader.kind == .mapping || till.reader.model.name != ReaderSetup().model.name {
            entries.append(("reader", reader))
        }
        return .mapping(entries + [("card", .text(till.card.name))])
    }

    private func site(_ site: SiteSetup) -> SettingsNode {
        var entries: [Entry] = []
        if site.orders != 0 { entries.append(("orders", .text(String(site.orders)))) }
        if !site.unpaid.isEmpty { entries.append(("unpaid", .list(site.unpaid.map { .text($0.decimalText) }))) }
        if !site.faults.isEmpty { entries.append(("faults", .list(site.faults.map { .text($0.description) }))) }
        return .mapping(entries)
    }

    /// Returns the configuration keys that differ from the defaults; nil for none.
    private func configuration() throws(ScenarioWritingError) -> SettingsNode? {
        let (till, standard) = (scenario.till, TillConfiguration.standard)
        let yaml = till.yaml
        guard yaml != standard.yaml else { return nil }
        do throws(SettingsError) {
            let own = try SettingsDocument(text: yaml, file: "configuration").root
            let usual = try SettingsDocument(text: standard.yaml, file: "configuration").root
            let short = own.differing(from: usual, depth: 2) ?? own
            if try TillConfiguration(short).yaml == yaml { return short }
            // Some values depend on others, so write whole sections.
            return own.differing(from: usual, depth: 1)
        } catch {
            throw .configuration(error.description)
        }
    }
}

extension SettingsNode {
    /// Rejects text that would be read as a variable.
    fileprivate func checkForVariables() throws(ScenarioWritingError) {
        _ = try replacingTexts { (node) throws(ScenarioWritingError) in
            guard let text = try? node.text(length: 0...Int.max), text.contains("${") else { return node }
            throw .variable(text)
        }
    }

    /// Returns the keys whose values differ from `base`, down to this depth; nil for none.
    fileprivate func differing(from base: SettingsNode, depth: Int) -> SettingsNode? {
        guard depth > 0, let entries = try? entries(), let others = try? base.entries() else {
            return isSame(as: base) ? nil : self
        }
        var kept: [(key: String, value: SettingsNode)] = []
        for entry in entries {
            guard let other = others.first(where: { $0.key == entry.key }) else {
                kept.append((entry.key, entry.value))
                continue
            }
            if let value = entry.value.differing(from: other.value, depth: depth - 1) {
                kept.append((entry.key, value))
            }
        }
        return kept.isEmpty ? nil : .mapping(kept)
    }

    /// Returns whether both have the same content, regardless of their locations.
    fileprivate func isSame(as other: SettingsNode) -> Bool { yaml == other.yaml }
}

extension ScenarioAction {
    /// The named card; nil for none.
    fileprivate var namedCard: CardSetup? {
        switch self {
        case .pay(let pay): pay.card
        case .insertCard(let card), .swipeCard(let card), .tapCard(let card): card
        default: nil
        }
    }
}

extension Scenario {
    /// Returns the scenario as the text of a file, which ``ScenarioFile`` reads as the same scenario.
    ///
    /// Profiles from files are referenced by the path from which they were read. Matrices, variables, and includes are
    /// expanded.
    ///
    /// - Parameter remarks: lines of comment at the start.
    /// - Returns: the YAML text.
    /// - Throws: ``ScenarioWritingError``
    public func yaml(remarks: [String] = []) throws(ScenarioWritingError) -> String {
        let head = remarks.map { remark in
            "# \(String(remark.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }))\n"
        }
        return head.joined() + (try ScenarioWriter(self).file()).yaml
    }
}

/// An error of writing a scenario as a file.
public enum ScenarioWritingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card's profile has no name or path, because it was read from text.
    case unnamedProfile(card: String)
    /// The duration is not a whole number of milliseconds, is negative, or is longer than a day.
    case duration(Duration)
    /// The text contains `${`, which would be read as a variable.
    case variable(String)
    /// The amount is not valid in its currency.
    case amount(minorUnits: Int64, currency: String)
    /// The configuration cannot be written so that it can be read again.
    case configuration(String)

    public var description: String {
        switch self {
        case .unnamedProfile(let card): "the card '\(card)' has no profile name or path; use a library profile"
        case .duration(let duration): "\(duration) cannot be written: a file has whole milliseconds up to a day"
        case .variable(let text): "'\(text)' cannot be written: '${' begins a variable"
        case .amount(let minorUnits, let currency): "\(minorUnits) minor units of \(currency) are no amount"
        case .configuration(let reason): "the till's configuration cannot be written: \(reason)"
        }
    }
}

extension ScenarioWriter {
    /// Returns the entry `card`, and `cards` and `cardholder` if needed.
    func cardEntries() throws(ScenarioWritingError) -> [Entry] {
        // A recorded card cannot be combined with changes to its cardholder.
        let isAlone = cards.count == 1 && !namesItsCard || cards.contains { $0.profile.recording != nil }
        var table: [Entry] = []
        for card in cards {
            let node = try self.card(card, withPerson: !isAlone)
            // An unchanged profile needs no separate name.
            if node.kind == .text, (try? node.text()) == card.name { continue }
            table.append((card.name, node))
        }
        let own = scenario.card
        var entries: [Entry] = []
        if table.isEmpty {
            if own.name != "visa-credit" { entries.append(("card", .text(own.name))) }
        } else if isAlone, own.name == "card", let only = table.first {
            entries.append(("card", only.value))
        } else {
            entries += [("cards", .mapping(table)), ("card", .text(own.name))]
        }
        if isAlone, let person = own.person { entries.append(("cardholder", try Self.cardholder(person))) }
        return entries
    }

    /// Whether a step names the scenario's card, or uses it with another cardholder.
    private var namesItsCard: Bool {
        scenario.steps.flatMap { [$0.action] + $0.interruptions.map(\.action) }.contains { action in
            switch action {
            case .pay(let pay): pay.card != nil
            case .insertCard(let card), .swipeCard(let card), .tapCard(let card): card != nil
            default: false
            }
        }
    }

    /// Returns a profile's name, or a mapping with changes to it.
    private func card(_ card: CardSetup, withPerson: Bool) throws(ScenarioWritingError) -> SettingsNode {
        if let recording = card.profile.recording { return .mapping([("recorded", recording.source)]) }
        guard let origin = card.profile.origin else { throw .unnamedProfile(card: card.name) }
        let changes = withPerson ? origin.changes : origin.changes?.without(keys: ["cardholder"])
        guard let changes, (try? changes.entries().isEmpty) == false else { return .text(origin.nameOrPath) }
        return .mapping([("profile", .text(origin.nameOrPath)), ("override", changes)])
    }

    /// Returns the keys of `pay` for the card and the cardholder.
    func cardEntries(of card: CardSetup) throws(ScenarioWritingError) -> [Entry] {
        var entries: [Entry] = []
        if card.name != scenario.card.name { entries.append(("card", .text(card.name))) }
        let first = cards.first { $0.name == card.name }
        if let person = card.person, person.yaml != first?.person?.yaml {
            entries.append(("cardholder", try Self.cardholder(person)))
        } else if entries.isEmpty {
            entries.append(("card", .text(card.name)))
        }
        return entries
    }

    /// Returns a profile's `cardholder` section in the format of a scenario.
    private static func cardholder(_ section: SettingsNode) throws(ScenarioWritingError) -> SettingsNode {
        let names = [
            "pinEntries": "pins", "choosesApplication": "choose", "choosesAccount": "chooseAccount",
            "swipesFirst": "swipeFirst", "insertsAfter": "insertAfter", "removesAfter": "removeAfter",
            "presents": "present", "movesAwayAt": "moveAwayAt", "movesBackAfter": "moveBackAfter",
        ]
        var entries: [Entry] = []
        for entry in (try? section.entries()) ?? [] {
            let isTime = ["insertsAfter", "removesAfter", "movesBackAfter", "secondCardFor"].contains(entry.key)
            let value = isTime ? try duration(.milliseconds((try? entry.value.int()) ?? 0)) : entry.value
            entries.append((names[entry.key] ?? entry.key, value))
        }
        return .mapping(entries)
    }
}

extension CardSetup {
    /// The changes to the profile's cardholder, in the profile's format.
    fileprivate var person: SettingsNode? { try? profile.origin?.changes?.optional("cardholder") }
}
