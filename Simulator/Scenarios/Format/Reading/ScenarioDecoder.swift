import Acquirer
import Determinism
import EMV
import ISO8583
import Money
import Settings
import Simulator
import StoreSite
import TillConfiguration

/// Decodes a ``Scenario`` from a file whose shape has been checked. Collects further errors, so that one run reports
/// them all.
struct ScenarioDecoder {
    let name: String
    /// The location of the scenario's own file, which may include others.
    let location: SettingsLocation
    /// The files that the scenario may name.
    let files: ScenarioFiles
    private(set) var problems = ProblemList()
    private(set) var till = TillConfiguration.standard
    private var cards: [String: SettingsNode] = [:]
    private var cardholder: SettingsNode?
    private var card: CardSetup?
    private var standardCard: (name: String, node: SettingsNode)?
    private var readerNames: [String] = []
    /// Whether the scenario has a second till that takes payments.
    var hasSecondTill = false

    init(name: String, location: SettingsLocation, files: ScenarioFiles) {
        (self.name, self.location, self.files) = (name, location, files)
    }

    /// Returns the value of `body`; on an error, records it and returns nil.
    mutating func note<Value>(_ body: () throws(SettingsError) -> Value) -> Value? { problems.attempt(body) }

    mutating func note(_ error: SettingsError) { problems.add(error) }

    /// - Returns: the scenario; nil after an error.
    mutating func scenario(_ node: SettingsNode) -> Scenario? {
        let files = files
        till = problems.attempt { () throws(SettingsError) in try Self.configuration(node, files) } ?? .standard
        cardholder = try? node.optional("cardholder")
        readCards(node)
        let exceptions = exceptions(node)
        let secondTill = secondTill(node)
        let readers = readers(node)
        readerNames = readers.map(\.name)
        let clock = problems.attempt { () throws(SettingsError) in try Self.clock(try node.optional("clock")) }
        let rules = problems.attempt { () throws(SettingsError) in
            try Self.rules(try node.optional("issuer"), files)
        }
        let site = problems.attempt { () throws(SettingsError) in try Self.site(try node.optional("site")) }
        let dialog = till(node)
        var steps = dialog?.steps ?? []
        if (try? node.optional("till")) == nil {
            let list = problems.attempt { () throws(SettingsError) in try node.required("steps").list() } ?? []
            for entry in list { if let step = step(entry) { steps.append(step) } }
        }
        var expectations: [Expectation] = []
        if let expect = try? node.optional("expect") { expectations = self.expectations(expect) }
        let rest = problems.attempt { () throws(SettingsError) in try Rest(node, files) }
        guard problems.isEmpty, let clock, let rules, let site, let rest, let card else { return nil }
        var scenario = Scenario(
            name: name, summary: rest.summary, card: card, readers: readers, steps: steps, location: location)
        (scenario.tags, scenario.expectedFailure) = (rest.tags, rest.expectedFailure)
        (scenario.seed, scenario.clock, scenario.issuerRules) = (rest.seed, clock, rules)
        (scenario.site, scenario.printer, scenario.disk) = (site.first, rest.printer, rest.disk)
        (scenario.wire, scenario.secondTill, scenario.tillProtocol) = (rest.wire, secondTill, dialog?.tillProtocol)
        checkSecondTill(of: scenario, node)
        guard problems.isEmpty else { return nil }
        scenario.exceptions = exceptions
        (scenario.till, scenario.expectations, scenario.golden) = (till, expectations, rest.golden)
        return scenario
    }

    /// The values that don't depend on other keys.
    private struct Rest {
        let summary: String
        let tags: [String]
        let expectedFailure: String?
        let seed: UInt64?
        let printer: SimulatedPrinterCondition
        let disk: DiskCondition
        let golden: [GoldenSection]
        let wire: WireSetup?

        init(_ node: SettingsNode, _ files: ScenarioFiles) throws(SettingsError) {
            summary = try node.required("description").text()
            var tags: [String] = []
            for tag in try node.optional("tags")?.list() ?? [] { tags.append(try tag.text()) }
            self.tags = tags
            expectedFailure = try node.optional("expectedFailure")?.text()
            seed = (try node.optional("seed")?.int()).map { UInt64($0) }
            printer = try node.optional("printer")?.choice(of: SimulatedPrinterCondition.words) ?? .ready
            disk = try node.optional("disk")?.choice(of: DiskCondition.words) ?? .working
            wire = try node.optional("host").map(ScenarioDecoder.wire)
            var golden: [GoldenSection] = []
            let sections = try node.optional("golden")
            if let sections { try files.checkName(sections) }
            for word in try sections?.list() ?? [] {
                golden.append(try word.choice(GoldenSection.self))
            }
            self.golden = golden
        }
    }

    // MARK: The world

    private static func configuration(
        _ node: SettingsNode, _ files: ScenarioFiles
    ) throws(SettingsError) -> TillConfiguration {
        guard let node = try node.optional("configuration") else { return .standard }
        guard node.kind == .text else {
            try files.check(configuration: node)
            return try TillConfiguration(node)
        }
        return try TillConfiguration.load(path: files.path(node))
    }

    private static func clock(_ node: SettingsNode?) throws(SettingsError) -> ClockSetup {
        var clock = ClockSetup()
        if let start = try node?.optional("start") {
            guard let moment = Timestamp(try start.text()) else {
                throw start.error("not a moment", fix: "write it as 2026-01-02T12:00:00Z")
            }
            clock.start = moment
        }
        if let offset = try node?.optional("utcOffset") { clock.offsetSeconds = try Self.offset(offset) }
        return clock
    }

    private static func offset(_ node: SettingsNode) throws(SettingsError) -> Int {
        let text = try node.text()
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard let sign = text.first, "+-".contains(sign), parts.map(\.count) == [2, 2], let hours = Int(parts[0]),
            let minutes = Int(parts[1]), (0...14).contains(hours), (0...59).contains(minutes)
        else { throw node.error("not an offset from UTC", fix: "write it as +01:00") }
        return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    static func rules(_ node: SettingsNode?, _ files: ScenarioFiles) throws(SettingsError) -> IssuerRules {
        guard let node else { return IssuerRules() }
        guard node.kind == .text else { return try IssuerRules(node.wrapped(in: "rules")) }
        let name = try FilePath.isPath(try node.text()) ? files.path(node) : node.text()
        do throws(IssuerRulesError) {
            return try IssuerRulesLibrary.rules(name)
        } catch {
            switch error {
            case .malformed(let error): throw error
            case .unknownRules(_, let known, let nearest):
                throw SettingsError(
                    location: node.location, keyPath: node.keyPath,
                    problem: .notOneOf(value: name, allowed: known, nearest: nearest))
            }
        }
    }

    /// Returns at most one store. A list, because nil would mean an error.
    private static func site(_ node: SettingsNode?) throws(SettingsError) -> [SiteSetup] {
        guard let node else { return [] }
        var unpaid: [Money] = []
        for amount in try node.optional("unpaid")?.list() ?? [] { unpaid.append(try amount.money(.usDollar)) }
        return [
            SiteSetup(orders: try node.optional("orders")?.int() ?? 0, unpaid: unpaid, faults: try faults(node))
        ]
    }

    private static func wire(_ node: SettingsNode) throws(SettingsError) -> WireSetup {
        let name = try node.required("profile")
        guard let profile = MessageProfile.shipped(try name.text()) else { throw name.error("no such profile") }
        var faults: [AcquirerFault] = []
        for entry in try node.optional("faults")?.list() ?? [] {
            let text = try entry.text()
            do throws(AcquirerFaultError) { faults.append(try AcquirerFault(text, for: profile)) } catch {
                throw entry.error("\(error)")
            }
        }
        return WireSetup(profile, faults: faults, faultPercent: try node.optional("faultPercent")?.int() ?? 0)
    }

    static func faults(_ node: SettingsNode) throws(SettingsError) -> [FaultRule] {
        var faults: [FaultRule] = []
        for entry in try node.optional("faults")?.list() ?? [] {
            let text = try entry.text()
            do throws(FaultRuleError) { faults.append(try FaultRule(text)) } catch { throw entry.error("\(error)") }
        }
        return faults
    }

    // MARK: Readers

    private mutating func readers(_ node: SettingsNode) -> [ReaderSetup] {
        var readers: [ReaderSetup] = []
        if let only = try? node.optional("reader") {
            if let others = try? node.optional("readers") {
                problems.add(others.error("'reader' on line \(only.location.line) is also given; use only one of them"))
            }
            if let reader = problems.attempt({ () throws(SettingsError) in try Self.reader(only, name: "reader") }) {
                readers.append(reader)
            }
        } else if let several = try? node.optional("readers"), let entries = try? several.entries() {
            for entry in entries {
                let reader = problems.attempt { () throws(SettingsError) in
                    try Self.reader(entry.value, name: entry.key)
                }
                if let reader { readers.append(reader) }
            }
        } else {
            readers.append(ReaderSetup())
        }
        return readers
    }

    static func reader(_ node: SettingsNode, name: String) throws(SettingsError) -> ReaderSetup {
        guard node.kind == .mapping else {
            return ReaderSetup(name: name, model: try model(node))
        }
        let model = try model(try node.required("model"))
        let battery = try node.optional("battery")
        if let battery {
            guard case .chip(let chip) = model, !chip.escapeAnswers.isEmpty else {
                throw battery.error("this model has no battery", fix: "use the model battery or updatable")
            }
        }
        return ReaderSetup(
            name: name, model: model, isPluggedIn: try node.optional("pluggedIn")?.bool() ?? true,
            battery: (try battery?.int(in: 0...100)).map { UInt8($0) },
            faults: try readerFaults(try node.optional("faults")))
    }

    private static func model(_ node: SettingsNode) throws(SettingsError) -> SimulatedReader {
        let all = SimulatedReader.all + SimulatedReaderModel.faulty.map { .chip($0) }
        let name = try node.word(of: all.map(\.name))
        guard let model = all.first(where: { $0.name == name }) else { throw node.error("no such model") }
        return model
    }

    static func readerFaults(_ node: SettingsNode?) throws(SettingsError) -> [SimulatedReaderFault] {
        var faults: [SimulatedReaderFault] = []
        for entry in try node?.list() ?? [] { faults.append(try readerFault(entry)) }
        return faults
    }

    private static func readerFault(_ node: SettingsNode) throws(SettingsError) -> SimulatedReaderFault {
        let keys = ["command", "xfrBlock", "unpluggedAfter", "hang", "overcurrent"]
        var given: [(key: String, node: SettingsNode)] = []
        for key in keys { if let value = try node.optional(key) { given.append((key, value)) } }
        guard given.count == 1, let (key, value) = given.first else {
            throw node.error("give one of \(keys.joined(separator: ", "))")
        }
        if key == "command" || key == "xfrBlock" {
            let disturbance = try ReaderFaultWords.disturbance(try node.required("do"))
            let number = try value.int()
            return key == "command" ? .command(number, disturbance) : .xfrBlock(number, disturbance)
        }
        if let surplus = try node.optional("do") { throw surplus.error("'\(key)' can't be combined with 'do'") }
        switch key {
        case "unpluggedAfter": return .unplugged(afterBulkTransfers: try value.int())
        case "hang": return .hang(untilReset: try value.text() == "untilReset")
        default: return .hardwareError(slot: UInt8(try value.int(in: 0...15)))
        }
    }

    /// - Returns: the name; nil for an unknown reader, after recording the error.
    mutating func readerName(_ node: SettingsNode) -> String? {
        let names = readerNames
        return problems.attempt { () throws(SettingsError) in try node.word(of: names) }
    }

    // MARK: Cards

    private mutating func readCards(_ node: SettingsNode) {
        for entry in (try? node.optional("cards")?.entries()) ?? [] {
            cards[entry.key] = entry.value
            // Checks the card even if no step uses it.
            _ = card(named: entry.key, entry.value, person: nil)
        }
        let only = (try? node.optional("card")) ?? node.withText("visa-credit")
        let name = (try? only.text()) ?? "card"
        standardCard = (name, cards[name] ?? only)
        card = card(named: name, cards[name] ?? only, person: nil)
    }

    /// Returns the cards on the exception file.
    private mutating func exceptions(_ node: SettingsNode) -> [CardSetup] {
        guard let list = try? node.optional("exceptions")?.asList.list() else { return [] }
        return list.compactMap { entry in
            guard let standardCard, standardCard.name == (try? entry.text()) else { return card(entry, person: nil) }
            // `card` is the name of a scenario's card that has none of its own.
            return card(named: standardCard.name, standardCard.node, person: nil)
        }
    }

    /// Returns the card with a name: one of the file's cards, or a profile.
    mutating func card(_ node: SettingsNode, person: SettingsNode?) -> CardSetup? {
        guard let name = try? node.text() else { return nil }
        return card(named: name, cards[name] ?? node, person: person)
    }

    /// Returns the scenario's card with another cardholder.
    mutating func card(person: SettingsNode) -> CardSetup? {
        standardCard.flatMap { card(named: $0.name, $0.node, person: person) }
    }

    private mutating func card(named name: String, _ node: SettingsNode, person: SettingsNode?) -> CardSetup? {
        let (cardholder, files) = (cardholder, files)
        return problems.attempt { () throws(SettingsError) in
            var changes: [SettingsNode] = []
            if node.kind == .mapping, let override = try node.optional("override") { changes.append(override) }
            for person in [cardholder, person] {
                if let person { changes.append(try Self.profileSection(person)) }
            }
            if node.kind == .mapping, let recorded = try node.optional("recorded") {
                return CardSetup(name: name, profile: try Self.profile(recorded: recorded, node, changes))
            }
            let profile = node.kind == .text ? node : try node.required("profile")
            return CardSetup(name: name, profile: try Self.profile(profile, changes, files))
        }
    }

    /// Returns a scenario's `cardholder` section in the format of a card profile.
    private static func profileSection(_ person: SettingsNode) throws(SettingsError) -> SettingsNode {
        var section: SettingsNode?
        func add(_ value: SettingsNode, _ key: String) {
            let entry = value.wrapped(in: key)
            section = section.map { entry.laid(over: $0) } ?? entry
        }
        if let pins = try person.optional("pins") { add(pins.asList, "pinEntries") }
        if let label = try person.optional("choose") { add(label, "choosesApplication") }
        if let account = try person.optional("chooseAccount") { add(account, "choosesAccount") }
        for (key, name) in [("swipeFirst", "swipesFirst"), ("present", "presents"), ("moveAwayAt", "movesAwayAt")] {
            if let value = try person.optional(key) { add(value, name) }
        }
        let times = [
            ("insertAfter", "insertsAfter"), ("removeAfter", "removesAfter"), ("moveBackAfter", "movesBackAfter"),
            ("secondCardFor", "secondCardFor"),
        ]
        for (key, name) in times {
            guard let time = try person.optional(key) else { continue }
            add(time.withText(String(Int64(try time.duration() / .milliseconds(1)))), name)
        }
        guard let section else { throw person.error("the cardholder section is empty") }
        return section.wrapped(in: "cardholder")
    }

    private static func profile(
        recorded: SettingsNode, _ card: SettingsNode, _ changes: [SettingsNode]
    ) throws(SettingsError) -> CardProfile {
        for key in ["profile", "override"] {
            if let surplus = try card.optional(key) { throw surplus.error("a recorded card can't be changed") }
        }
        let person = changes.dropFirst().reduce(changes.first) { merged, next in merged.map { next.laid(over: $0) } }
        return try CardProfile(recording: try CardRecording(recorded), changedBy: person)
    }

    private static func profile(
        _ node: SettingsNode, _ changes: [SettingsNode], _ files: ScenarioFiles
    ) throws(SettingsError) -> CardProfile {
        let text = try node.text(length: 1...400)
        let name = try FilePath.isPath(text) ? files.path(node) : text
        do throws(CardProfileError) {
            guard changes.isEmpty, name == text else { return try CardProfileLibrary.profile(name, changedBy: changes) }
            return try CardProfileLibrary.keptProfile(name)
        } catch {
            switch error {
            case .malformed(let error): throw error
            case .unknownProfile(_, let known, let nearest):
                throw SettingsError(
                    location: node.location, keyPath: node.keyPath,
                    problem: .notOneOf(value: name, allowed: known, nearest: nearest))
            }
        }
    }
}

extension SettingsNode {
    /// Reads an amount in a currency.
    func money(_ currency: Currency) throws(SettingsError) -> Money {
        let text = try decimal()
        do throws(MoneyError) { return try Money(text, currency: currency) } catch { throw self.error("\(error)") }
    }

    /// Reads an ISO 4217 code.
    func currency() throws(SettingsError) -> Currency {
        let code = try text(length: 1...20)
        do throws(MoneyError) { return try Currency(code: code) } catch {
            throw self.error("unknown currency", fix: "write an ISO 4217 code such as USD, EUR or JPY")
        }
    }
}
