internal import Simulator
internal import StoreSite
internal import Yosemite

extension SimulatedSession {
    /// Does something to the world: now, later, or when something is seen.
    ///
    /// - Parameters:
    ///   - act: what is done.
    ///   - trigger: when; nil for now.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``
    public func perform(_ act: SessionAct, when trigger: SessionTrigger? = nil) throws(SimulatedSessionError) {
        let deed = try deed(act)
        guard let trigger else { return deed() }
        let plan = world.plannedActs.current
        let planned: @Sendable () -> Void = { [weak self] in
            if self?.world.plannedActs.current == plan { deed() }
        }
        let delayed: @Sendable () -> Void = { [weak self] in
            guard trigger.delay > .zero else { return planned() }
            self?.world.clock.schedule(after: trigger.delay, act.isDisruptive ? .disruptive : .awaited, planned)
        }
        switch trigger.moment {
        case .now: delayed()
        case .event(let words, let count): world.log.watch(words, count: count, delayed)
        }
    }

    /// The card that the act puts into a reader, when it names none: that of the payment that runs or ran last.
    private func deed(_ act: SessionAct) throws(SimulatedSessionError) -> @Sendable () -> Void {
        let body = try body(act)
        return { [weak self] in
            self?.world.log.note(.act, act.words)
            body()
        }
    }

    private func body(_ act: SessionAct) throws(SimulatedSessionError) -> @Sendable () -> Void {
        let world = world
        switch act {
        case .cancelPayment: return { [weak self] in self?.send { .cancelPayment(onCompletion: { _ in }) } }
        case .cancelRefund: return { [weak self] in self?.send { .cancelRefund(onCompletion: { _ in }) } }
        case .cancelUpdate: return { [weak self] in self?.send { .cancelCardReaderUpdate(onCompletion: { _ in }) } }
        case .crash: return { [weak self] in self?.crash() }
        case .unplug(let name):
            let reader = try world.reader(name)
            return {
                world.log.note(.unplugged, reader.name)
                reader.unplug()
            }
        case .plugIn(let name):
            let reader = try world.reader(name)
            return {
                world.log.note(.pluggedIn, reader.name)
                reader.plugIn()
            }
        case .insert(let card, let reader):
            let (card, reader) = (
                try card.map { name throws(SimulatedSessionError) in try world.card(name) }, try world.reader(reader)
            )
            return {
                reader.parts.chip?.insert((card ?? world.person.card ?? world.cards[0]).chip)
                world.person.attendant.noteCard()
            }
        case .removeCard(let name):
            let reader = try world.reader(name)
            return {
                reader.parts.chip?.removeCard()
                world.person.attendant.noteCard()
            }
        case .swipe(let card, let name):
            let card = try card.map { name throws(SimulatedSessionError) in try world.card(name) }
            let reader = try name == nil ? world.readers.first { $0.parts.stripe != nil } : world.reader(name)
            return {
                guard let stripe = (card ?? world.person.card ?? world.cards[0]).stripe else { return }
                reader?.parts.stripe?.swipe(stripe)
                world.person.attendant.noteCard()
            }
        case .press(let key, let name):
            let reader = try world.reader(name)
            return { if !world.person.attendant.press(key) { reader.parts.chip?.press(key) } }
        case .readerFault(let fault, let name):
            let reader = try world.reader(name)
            return { reader.parts.chip?.arm(fault) }
        case .battery(let percent, let name):
            let reader = try world.reader(name)
            return { reader.parts.chip?.setBatteryLevel(percent: percent) }
        case .suspend(let duration, let persistently):
            return { world.bus.suspend(for: duration, persistently: persistently) }
        case .issuerRules(let rules): return { Task { await world.issuer.obey(rules) } }
        case .issuerFault(let fault): return { Task { await world.issuer.inject(fault) } }
        case .issuerRecovers: return { Task { await world.issuer.removeFaults() } }
        case .siteFault(let rule): return { world.site?.site.add(rule) }
        case .callOff: return { world.plannedActs.callOff() }
        case .siteRecovers: return { world.site?.site.removeFaults() }
        case .printer(let condition): return { world.printServer.change(to: condition) }
        case .disk(let condition): return { world.disk.condition = condition }
        }
    }

    /// Chooses an application where the payment asks for it by hand.
    ///
    /// - Parameter index: its place in ``SessionNeed/application(_:)``; nil to cancel.
    /// - Returns: false when there is no such choice now.
    public func choose(_ index: Int?) -> Bool { world.person.attendant.choose(index) }

    /// Another reader is there from now on.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when its name is taken, or the bus is full.
    public func add(_ reader: PlannedReader) throws(SimulatedSessionError) { try world.add(reader) }

    /// Hands an action to the till that nobody waits for.
    private func send(_ makeAction: () -> CardPresentPaymentsAction) {
        let process = process
        guard process.life.isAlive else { return }
        try? process.stores.dispatch(makeAction())
    }
}

extension SessionAct {
    /// Whether it breaks into whatever the till does.
    fileprivate var isDisruptive: Bool {
        switch self {
        case .insert, .swipe, .plugIn, .press: false
        default: true
        }
    }

    /// What the log calls it.
    fileprivate var words: String {
        switch self {
        case .cancelPayment: "cancel_payment"
        case .cancelRefund: "cancel_refund"
        case .cancelUpdate: "cancel_update"
        case .crash: "crash"
        case .unplug: "unplug"
        case .plugIn: "plug_in"
        case .insert: "insert"
        case .removeCard: "remove_card"
        case .swipe: "swipe"
        // Which key is nobody's business.
        case .press: "press"
        case .readerFault: "reader_fault"
        case .battery(let percent, _): "battery \(percent)"
        case .suspend: "suspend"
        case .issuerRules: "issuer_rules"
        case .issuerFault: "issuer_fault"
        case .issuerRecovers: "issuer_recovers"
        case .siteFault(let rule): "site_fault \(rule.fault)"
        case .callOff: "call_off"
        case .siteRecovers: "site_recovers"
        case .printer(let condition): "printer \(condition.word)"
        case .disk(let condition): "disk \(condition.word)"
        }
    }
}
