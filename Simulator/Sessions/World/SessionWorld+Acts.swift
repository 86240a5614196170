internal import Simulator
internal import StoreSite

extension SessionWorld {
    /// Does something: now, later, or when something is seen.
    ///
    /// - Parameters:
    ///   - act: what the log says of it.
    ///   - trigger: when; nil for now.
    ///   - deed: what is done.
    func perform(_ act: SessionAct, when trigger: SessionTrigger?, _ deed: @escaping @Sendable () -> Void) {
        let told: @Sendable () -> Void = { [weak self] in
            self?.log.note(.act, act.words)
            deed()
        }
        guard let trigger else { return told() }
        let planned: @Sendable () -> Void = { [plannedActs, plan = plannedActs.current] in
            if plannedActs.current == plan { told() }
        }
        let delayed: @Sendable () -> Void = { [weak self] in
            guard trigger.delay > .zero else { return planned() }
            self?.clock.schedule(after: trigger.delay, act.isDisruptive ? .disruptive : .awaited, planned)
        }
        switch trigger.moment {
        case .now: delayed()
        case .event(let words, let count): log.watch(words, count: count, delayed)
        }
    }

    /// What an act does to the world; nil for one that is meant for the till.
    ///
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``
    func deed(_ act: SessionAct) throws(SimulatedSessionError) -> (@Sendable () -> Void)? {
        switch act {
        case .cancelPayment, .cancelRefund, .cancelUpdate, .crash: return nil
        case .unplug(let name):
            let reader = try reader(name)
            return { [weak self] in
                self?.log.note(.unplugged, reader.name)
                reader.unplug()
            }
        case .plugIn(let name):
            let reader = try reader(name)
            return { [weak self] in
                self?.log.note(.pluggedIn, reader.name)
                reader.plugIn()
            }
        case .insert(let card, let reader):
            let card = try card.map { name throws(SimulatedSessionError) in try self.card(name) }
            let reader = try self.reader(reader)
            return { [weak self] in
                guard let self else { return }
                reader.parts.chip?.insert((card ?? person.card ?? cards[0]).chip)
                person.attendant.noteCard()
            }
        case .removeCard(let name):
            let reader = try reader(name)
            return { [weak self] in
                reader.parts.chip?.removeCard()
                self?.person.attendant.noteCard()
            }
        case .swipe(let card, let name):
            let card = try card.map { name throws(SimulatedSessionError) in try self.card(name) }
            let reader = try name == nil ? readers.first { $0.parts.stripe != nil } : reader(name)
            return { [weak self] in
                guard let self, let stripe = (card ?? person.card ?? cards[0]).stripe else { return }
                reader?.parts.stripe?.swipe(stripe)
                person.attendant.noteCard()
            }
        case .press(let key, let name):
            let reader = try reader(name)
            return { [weak self] in
                guard let self else { return }
                if !person.attendant.press(key) { reader.parts.chip?.press(key) }
            }
        case .readerFault(let fault, let name):
            let reader = try reader(name)
            return { reader.parts.chip?.arm(fault) }
        case .battery(let percent, let name):
            let reader = try reader(name)
            return { reader.parts.chip?.setBatteryLevel(percent: percent) }
        case .suspend(let duration, let persistently):
            return { [bus] in bus.suspend(for: duration, persistently: persistently) }
        case .issuerRules(let rules): return { [issuer] in Task { await issuer.obey(rules) } }
        case .issuerFault(let fault): return { [issuer] in Task { await issuer.inject(fault) } }
        case .issuerRecovers: return { [issuer] in Task { await issuer.removeFaults() } }
        case .callOff: return { [plannedActs] in plannedActs.callOff() }
        case .siteRecovers: return { [site] in site?.site.removeFaults() }
        case .siteFault(let rule): return { [site] in site?.site.add(rule) }
        case .printer(let condition): return { [weak self] in self?.printServer.change(to: condition) }
        case .disk(let condition): return { [disk] in disk.condition = condition }
        }
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
        case .callOff: "call_off"
        case .siteRecovers: "site_recovers"
        case .siteFault(let rule): "site_fault \(rule.fault)"
        case .printer(let condition): "printer \(condition.word)"
        case .disk(let condition): "disk \(condition.word)"
        }
    }
}
