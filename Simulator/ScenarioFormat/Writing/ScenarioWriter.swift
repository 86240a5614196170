internal import Amounts
internal import Determinism
internal import Hardware
internal import SettingsFile
internal import Simulator
internal import StoreSite

/// Makes a file's values of a ``Scenario``. What is as it is without a word is left out.
struct ScenarioWriter {
    let scenario: Scenario
    /// Every card that is named, as it is where it is named first; the scenario's own is the first of them.
    let cards: [CardSetup]

    typealias Entry = (key: String, value: SettingsNode)

    init(_ scenario: Scenario) {
        self.scenario = scenario
        var cards = [scenario.card]
        for action in scenario.steps.flatMap({ [$0.action] + $0.interruptions.map(\.action) }) {
            guard let card = action.namedCard, !cards.contains(where: { $0.name == card.name }) else { continue }
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
        if let rules = scenario.issuerRules.source { entries.append(("issuer", rules)) }
        if let site = scenario.site { entries.append(("site", self.site(site))) }
        if scenario.printer != .ready { entries.append(("printer", .text(scenario.printer.rawValue))) }
        if scenario.disk != .working { entries.append(("disk", .text(scenario.disk.rawValue))) }
        if let configuration = try configuration() { entries.append(("configuration", configuration)) }
        var steps: [SettingsNode] = []
        for step in scenario.steps { steps.append(try self.step(step)) }
        entries.append(("steps", .list(steps)))
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
            func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
            let sign = clock.offsetSeconds < 0 ? "-" : "+"
            entries.append(("utcOffset", .text("\(sign)\(digits(minutes / 60)):\(digits(minutes % 60))")))
        }
        return .mapping(entries)
    }

    // MARK: Readers, store, configuration

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

    private func site(_ site: SiteSetup) -> SettingsNode {
        var entries: [Entry] = []
        if site.orders != 0 { entries.append(("orders", .text(String(site.orders)))) }
        if !site.unpaid.isEmpty { entries.append(("unpaid", .list(site.unpaid.map { .text($0.decimalText) }))) }
        if !site.faults.isEmpty { entries.append(("faults", .list(site.faults.map { .text($0.description) }))) }
        return .mapping(entries)
    }

    /// What of the configuration is not as without one; nil when nothing is.
    private func configuration() throws(ScenarioWritingError) -> SettingsNode? {
        let (till, standard) = (scenario.till, TillConfiguration.standard)
        let yaml = till.yaml
        guard yaml != standard.yaml else { return nil }
        do throws(SettingsError) {
            let own = try SettingsDocument(text: yaml, file: "configuration").root
            let usual = try SettingsDocument(text: standard.yaml, file: "configuration").root
            let short = own.differing(from: usual, depth: 2) ?? own
            if try TillConfiguration(short).yaml == yaml { return short }
            // A value that hangs on another one: the whole sections then.
            return own.differing(from: usual, depth: 1)
        } catch {
            throw .configuration(error.description)
        }
    }
}

extension SettingsNode {
    /// Refuses texts that would not be read as they are written.
    fileprivate func checkForVariables() throws(ScenarioWritingError) {
        _ = try replacingTexts { (node) throws(ScenarioWritingError) in
            guard let text = try? node.text(length: 0...Int.max), text.contains("${") else { return node }
            throw .variable(text)
        }
    }

    /// The keys of a mapping whose values are others than in `base`, down to this depth; nil when there are none.
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

    /// Whether both say the same, wherever they stand.
    fileprivate func isSame(as other: SettingsNode) -> Bool { yaml == other.yaml }
}

extension ScenarioAction {
    /// The card that it names; nil when it names none.
    fileprivate var namedCard: CardSetup? {
        switch self {
        case .pay(let pay): pay.card
        case .insertCard(let card), .swipeCard(let card): card
        default: nil
        }
    }
}
