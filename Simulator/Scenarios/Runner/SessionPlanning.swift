public import ScenarioFormat
public import Sessions
import Simulator

extension SessionPlan {
    /// Creates the plan of a scenario's session.
    ///
    /// - Parameters:
    ///   - scenario: the scenario to play.
    ///   - seed: the random seed; overrides the scenario's.
    public init(_ scenario: Scenario, seed: UInt64) {
        self.init(
            cards: Self.cards(of: scenario),
            readers: (scenario.readers + [scenario.secondTill?.reader].compactMap { $0 }).map { reader in
                PlannedReader(
                    name: reader.name, model: reader.model, isPluggedIn: reader.isPluggedIn, faults: reader.faults,
                    batteryPercent: reader.battery)
            },
            seed: seed)
        (start, utcOffsetSeconds) = (scenario.clock.start, scenario.clock.offsetSeconds)
        (issuerRules, till, exceptions) = (scenario.issuerRules, scenario.till, scenario.exceptions.map(\.name))
        // The amounts that decline at simulated readers of the protocol, unless the scenario has rules of its own.
        if issuerRules.source == nil, let rules = scenario.tillProtocol?.issuerRules { issuerRules = rules }
        wire = scenario.wire.map {
            PlannedWire($0.profile, faults: $0.faults, faultRate: Double($0.faultPercent) / 100)
        }
        store = scenario.site.map { site in
            PlannedStore(orders: site.orders, unpaid: site.unpaid, faults: site.faults)
        }
        (printer, disk) = (scenario.printer, scenario.disk)
        secondTill = scenario.secondTill.map {
            PlannedTill(ownsDatabase: $0.ownsDatabase, reader: $0.reader.name, card: $0.card.name)
        }
    }

    /// Returns the named cards without duplicates, the scenario's card first.
    private static func cards(of scenario: Scenario) -> [PlannedCard] {
        var cards = [scenario.card]
        for step in scenario.steps {
            for action in [step.action] + step.interruptions.map(\.action) {
                guard let card = action.card, !cards.contains(where: { $0.name == card.name }) else { continue }
                cards.append(card)
            }
        }
        let others = [scenario.secondTill?.card].compactMap { $0 } + scenario.exceptions
        for card in others where !cards.contains(where: { $0.name == card.name }) { cards.append(card) }
        let planned = cards.map { PlannedCard($0.profile, name: $0.name) }
        let tests = scenario.tillProtocol?.cards ?? []
        return planned + tests.filter { test in !planned.contains { $0.name == test.name } }
    }
}

extension TillProtocol {
    /// The cards that requests and amounts of the protocol choose.
    fileprivate var cards: [PlannedCard] {
        switch self {
        case .stripe: (try? TestCards.planned()) ?? []
        case .nexo: (try? NexoTestCards.planned()) ?? []
        case .zvt: (try? ZVTTestAmount.planned()) ?? []
        }
    }

    /// The issuer's answers to amounts of the protocol; nil where cards answer.
    fileprivate var issuerRules: IssuerRules? {
        switch self {
        case .stripe: try? TestCards.rules()
        case .nexo: nil
        case .zvt: try? ZVTTestAmount.rules()
        }
    }
}

extension ScenarioAction {
    /// The named card; nil for none.
    fileprivate var card: CardSetup? {
        switch self {
        case .pay(let pay): pay.card
        case .insertCard(let card), .swipeCard(let card), .tapCard(let card): card
        default: nil
        }
    }
}

/// Converts actions of scenarios to acts of sessions.
enum SessionActs {
    /// Returns the acts of an action; nil for a step of the till. A cancel applies to the current `step`.
    static func of(_ action: ScenarioAction, during step: ScenarioAction?) -> [SessionAct]? {
        switch action {
        case .cancel:
            switch step {
            case .refund: [.cancelRefund]
            case .update: [.cancelUpdate]
            default: [.cancelPayment]
            }
        case .unplug(let reader): [.unplug(reader: reader)]
        case .plug(let reader): [.plugIn(reader: reader)]
        case .insertCard(let card): [.insert(card: card?.name)]
        case .removeCard: [.removeCard()]
        case .swipeCard(let card): [.swipe(card: card?.name)]
        case .tapCard(let card): [.tap(card: card?.name)]
        case .moveAway: [.moveAway()]
        case .unlock: [.unlock()]
        case .sleep(let duration, let keepsDevices): [.suspend(duration, persistently: keepsDevices)]
        case .crash: [.crash]
        case .set(let change): acts(change)
        case .mend:
            [
                .callOff, .issuerRules(IssuerRules()), .issuerRecovers, .siteRecovers, .printer(.ready),
                .disk(.working),
            ]
        case .connect, .disconnect, .pay, .retry, .refund, .capture, .increment, .cancelPayment, .update, .restart,
            .recover, .settle, .print, .reprint,
            .wait, .ask:
            nil
        }
    }

    private static func acts(_ change: WorldChange) -> [SessionAct] {
        var acts: [SessionAct] = []
        if let rules = change.issuerRules { acts.append(.issuerRules(rules)) }
        acts += change.siteFaults.map { .siteFault($0) }
        if let printer = change.printer { acts.append(.printer(printer)) }
        if let disk = change.disk { acts.append(.disk(disk)) }
        if let battery = change.battery { acts.append(.battery(percent: battery)) }
        if change.repairsReader { acts.append(.readerRecovers()) }
        acts += change.readerFaults.map { .readerFault($0) }
        acts += change.linkFaults.map { .linkFault($0) }
        if let time = change.issuerDown { acts.append(.issuerDies(time)) }
        if let time = change.siteDown { acts.append(.siteDies(time)) }
        if change.clockJump != .zero { acts.append(.clockJump(change.clockJump)) }
        if change.losesLease { acts.append(.leaseLoss) }
        if let act = change.neighbor { acts.append(.neighbor(act)) }
        switch change.neighborPays {
        case .amount(let amount): acts.append(.neighborPays(.amount(amount)))
        case .order(let place): acts.append(.neighborPays(.order(place)))
        case nil: break
        }
        return acts
    }
}
