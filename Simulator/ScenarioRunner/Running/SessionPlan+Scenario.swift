public import ScenarioFormat
public import Sessions
internal import Simulator

extension SessionPlan {
    /// What a scenario's session begins with.
    ///
    /// - Parameters:
    ///   - scenario: what is to be played.
    ///   - seed: what chance is made of, whatever the scenario says.
    public init(_ scenario: Scenario, seed: UInt64) {
        self.init(
            cards: Self.cards(of: scenario),
            readers: scenario.readers.map { reader in
                PlannedReader(
                    name: reader.name, model: reader.model, isPluggedIn: reader.isPluggedIn, faults: reader.faults,
                    batteryPercent: reader.battery)
            },
            seed: seed)
        (start, utcOffsetSeconds) = (scenario.clock.start, scenario.clock.offsetSeconds)
        (issuerRules, till) = (scenario.issuerRules, scenario.till)
        store = scenario.site.map { site in
            PlannedStore(orders: site.orders, unpaid: site.unpaid, faults: site.faults)
        }
        (printer, disk) = (PrinterCondition(scenario.printer), DiskCondition(scenario.disk))
    }

    /// Every card that is named, once; the scenario's own first.
    private static func cards(of scenario: Scenario) -> [PlannedCard] {
        var cards = [scenario.card]
        for step in scenario.steps {
            for action in [step.action] + step.interruptions.map(\.action) {
                guard let card = action.card, !cards.contains(where: { $0.name == card.name }) else { continue }
                cards.append(card)
            }
        }
        return cards.map { PlannedCard($0.profile, name: $0.name) }
    }
}

extension ScenarioAction {
    /// The card that it names.
    fileprivate var card: CardSetup? {
        switch self {
        case .pay(let pay): pay.card
        case .insertCard(let card), .swipeCard(let card): card
        default: nil
        }
    }
}

extension PrinterCondition {
    init(_ printer: ScenarioPrinter) {
        self =
            switch printer {
            case .ready: .ready
            case .outOfPaper: .outOfPaper
            case .jammed: .jammed
            case .offline: .offline
            case .refusing: .refusing
            case .away: .away
            case .slow: .slow(.seconds(10))
            case .failing: .failing
            }
    }
}

extension DiskCondition {
    init(_ disk: ScenarioDisk) {
        self =
            switch disk {
            case .working: .working
            case .full: .full
            case .readOnly: .readOnly
            case .slow: .slow(.seconds(1))
            case .failing: .failing
            }
    }
}
