internal import ScenarioFormat
internal import Sessions
internal import Simulator

/// What actions do to the world.
enum SessionActs {
    /// What an action does, act by act; nil for what is a step of the till. A cancel is meant for the `step` that is
    /// under way.
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
        case .sleep(let duration, let keepsDevices): [.suspend(duration, persistently: keepsDevices)]
        case .crash: [.crash]
        case .set(let change): acts(change)
        case .mend:
            [
                .callOff, .issuerRules(IssuerRules()), .issuerRecovers, .siteRecovers, .printer(.ready),
                .disk(.working),
            ]
        case .connect, .disconnect, .pay, .retry, .refund, .update, .restart, .recover, .settle, .print, .reprint,
            .wait:
            nil
        }
    }

    private static func acts(_ change: WorldChange) -> [SessionAct] {
        var acts: [SessionAct] = []
        if let rules = change.issuerRules { acts.append(.issuerRules(rules)) }
        acts += change.siteFaults.map { .siteFault($0) }
        if let printer = change.printer { acts.append(.printer(PrinterCondition(printer))) }
        if let disk = change.disk { acts.append(.disk(DiskCondition(disk))) }
        if let battery = change.battery { acts.append(.battery(percent: battery)) }
        acts += change.readerFaults.map { .readerFault($0) }
        return acts
    }
}
