public import Simulator
public import StoreSite
import Synchronization

/// A change to a simulated world while a session's steps run in it.
public enum SessionAct: Sendable {
    /// Asks the till to cancel the current payment.
    case cancelPayment
    /// Asks the till to cancel the current refund.
    case cancelRefund
    /// Asks the till to cancel the current firmware update.
    case cancelUpdate
    /// Kills the process. Anything it has not saved or sent is lost.
    case crash
    /// Unplugs a reader; nil for the first one.
    case unplug(reader: String? = nil)
    /// Plugs a reader in; nil for the first one.
    case plugIn(reader: String? = nil)
    /// Inserts a card; nil for the payment's card and the first reader.
    case insert(card: String? = nil, reader: String? = nil)
    /// Removes the card; nil for the first reader.
    case removeCard(reader: String? = nil)
    /// Swipes a card; nil for the payment's card and the first reader with a magnetic stripe head.
    case swipe(card: String? = nil, reader: String? = nil)
    /// Holds a card in the field; nil for the payment's card and the first reader with a field. It stays there until it
    /// is moved away, removed, or inserted.
    case tap(card: String? = nil, reader: String? = nil)
    /// Moves the card out of the field; nil for the first reader with a field.
    case moveAway(reader: String? = nil)
    /// The owner of a device unlocks it; nil for the payment's card. Cards without a lock stay as they are.
    case unlock(card: String? = nil)
    /// Presses a key on a reader's PIN pad; nil for the first reader.
    case press(SimulatedReaderKey, reader: String? = nil)
    /// Arms a fault in a reader; nil for the first one.
    case readerFault(SimulatedReaderFault, reader: String? = nil)
    /// Removes the armed faults of a reader and ends a hang; nil for the first one.
    case readerRecovers(reader: String? = nil)
    /// Sets a reader's battery charge; nil for the first reader.
    case battery(percent: UInt8, reader: String? = nil)
    /// Suspends the machine. Afterward, devices are either the same or enumerated anew.
    case suspend(Duration, persistently: Bool)
    /// Replaces the issuer's rules.
    case issuerRules(IssuerRules)
    /// Adds a fault between the terminal and the issuer, after existing ones.
    case issuerFault(IssuerFaultRule)
    /// Removes all faults between the terminal and the issuer. The rules stay.
    case issuerRecovers
    /// Adds a fault for requests to the store site, after existing ones.
    case siteFault(FaultRule)
    /// Removes all faults of the store site.
    case siteRecovers
    /// Cancels all acts that were planned and have not happened yet.
    case callOff
    /// Sets the condition of the printer.
    case printer(SimulatedPrinterCondition)
    /// Sets the condition of the disk.
    case disk(DiskCondition)
    /// Adds a fault of the way to the issuer, after existing ones. It has no effect on a wire.
    case linkFault(LinkFault)
    /// Kills the issuer, which starts again after a time with its ledger. It has no effect on a wire.
    case issuerDies(Duration)
    /// Kills the server of the store, which starts again after a time with all that it has.
    case siteDies(Duration)
    /// Sets the clock of the tills forward, or back by a negative duration, while the time that passes stays the same.
    case clockJump(Duration)
    /// Releases the lease of the till that takes payments while it goes on, so that it counts as dead.
    case leaseLoss
    /// Lets a second till do something on the same database. A database in memory has no leases: there, each till
    /// counts as dead for the other one.
    case neighbor(NeighborAct)
    /// Lets a customer pay at the second till, beside what the first one does. It needs ``SessionPlan/secondTill``.
    case neighborPays(SessionBill)
}

/// When a ``SessionAct`` happens.
public struct SessionTrigger: Hashable, Sendable {
    /// The moment to wait for.
    public enum Moment: Hashable, Sendable {
        /// The moment at which the act is added.
        case now
        /// The `count`-th event from now (1 is the next) whose ``SessionEvent/text`` begins with these words.
        case event(String, count: Int)
    }

    /// The moment to wait for.
    public var moment: Moment
    /// The delay after that moment. Without a delay the act happens before anything else.
    public var delay: Duration

    /// Creates a trigger from a moment and a delay.
    public init(_ moment: Moment, delay: Duration = .zero) { (self.moment, self.delay) = (moment, delay) }

    /// After a delay.
    public static func after(_ delay: Duration) -> SessionTrigger { SessionTrigger(.now, delay: delay) }

    /// At the `count`-th event from now that begins with these words, or `delay` later.
    public static func at(_ words: String, count: Int = 1, delay: Duration = .zero) -> SessionTrigger {
        SessionTrigger(.event(words, count: count), delay: delay)
    }
}

extension SessionWorld {
    /// Performs an act now, later, or when an event occurs.
    ///
    /// - Parameters:
    ///   - act: the act, for the log.
    ///   - trigger: when; nil for now.
    ///   - deed: the work to do.
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
            self?.clock.schedule(after: trigger.delay, planned)
        }
        switch trigger.moment {
        case .now: delayed()
        case .event(let words, let count): log.watch(words, count: count, delayed)
        }
    }

    /// Returns the work of an act on the world; nil for an act on the till.
    ///
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``
    func deed(_ act: SessionAct) throws(SimulatedSessionError) -> (@Sendable () -> Void)? {
        switch act {
        case .cancelPayment, .cancelRefund, .cancelUpdate, .crash, .leaseLoss, .neighbor, .neighborPays: return nil
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
                reader.insert(card ?? person.card ?? cards.first)
                person.attendant.noteCard()
            }
        case .removeCard(let name):
            let reader = try reader(name)
            return { [weak self] in
                reader.removeCard()
                self?.person.attendant.noteCard()
            }
        case .swipe(let card, let name):
            let card = try card.map { name throws(SimulatedSessionError) in try self.card(name) }
            let reader = try name == nil ? readers.first { $0.parts.stripe != nil } : reader(name)
            return { [weak self] in
                guard let self, let stripe = (card ?? person.card ?? cards.first).stripe else { return }
                reader?.parts.stripe?.swipe(stripe)
                person.attendant.noteCard()
            }
        case .tap(let card, let name):
            let card = try card.map { name throws(SimulatedSessionError) in try self.card(name) }
            let reader = try readerWithField(name)
            return { [weak self] in
                guard let self else { return }
                reader?.tap(card ?? person.card ?? cards.first)
                person.attendant.noteCard()
            }
        case .moveAway(let name):
            let reader = try readerWithField(name)
            return { [weak self] in
                reader?.parts.contactless?.removeCard()
                self?.person.attendant.noteCard()
            }
        case .unlock(let name):
            let card = try name.map { name throws(SimulatedSessionError) in try self.card(name) }
            return { [weak self] in
                guard let self else { return }
                (card ?? person.card ?? cards.first).contactless?.unlock()
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
        case .readerRecovers(let name):
            let reader = try reader(name)
            return { reader.parts.chip?.disarm() }
        case .battery(let percent, let name):
            let reader = try reader(name)
            return { reader.parts.chip?.setBatteryLevel(percent: percent) }
        case .suspend(let duration, let persistently):
            return { [bus] in bus.suspend(for: duration, persistently: persistently) }
        case .issuerRules(let rules): return { [issuer] in Task { await issuer.use(rules) } }
        case .issuerFault(let fault): return { [issuer] in Task { await issuer.inject(fault) } }
        case .issuerRecovers:
            return { [self] in
                recoverWire()
                Task { [issuer] in await issuer.removeFaults() }
            }
        case .callOff: return { [plannedActs] in plannedActs.callOff() }
        case .siteRecovers:
            return { [site, siteServer] in
                site?.site.removeFaults()
                siteServer.recover()
            }
        case .siteFault(let rule): return { [site] in site?.site.add(rule) }
        case .printer(let condition): return { [weak self] in self?.printServer.change(to: condition) }
        case .disk(let condition): return { [disk] in disk.condition = condition }
        case .linkFault(let fault): return { [link] in link.add(fault) }
        case .issuerDies(let duration): return { [link] in link.issuer.die(for: duration) }
        case .siteDies(let duration): return { [siteServer] in siteServer.die(for: duration) }
        case .clockJump(let duration): return { [wallClock] in wallClock.jump(by: duration) }
        }
    }
}

extension SessionAct {
    /// The act's words in the log.
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
        case .tap: "tap"
        case .moveAway: "move_away"
        case .unlock: "unlock"
        // The key is not logged: it may be part of a PIN.
        case .press: "press"
        case .readerFault: "reader_fault"
        case .readerRecovers: "reader_recovers"
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
        case .linkFault(let fault): "link_fault \(fault.kind.rawValue)"
        case .issuerDies: "issuer_dies"
        case .siteDies: "site_dies"
        case .clockJump(let duration): duration < .zero ? "clock_back" : "clock_forward"
        case .leaseLoss: "lease_loss"
        case .neighbor(let act): "neighbor \(act.rawValue)"
        case .neighborPays(let bill): "neighbor_pays \(bill.words)"
        }
    }
}

/// Tracks which planned acts of a session are still valid: those planned since the last ``SessionAct/callOff``.
final class PlannedActs: Sendable {
    private let number = Atomic(0)

    /// Identifies the acts that are planned now.
    var current: Int { number.load(ordering: .sequentiallyConsistent) }

    func callOff() { number.add(1, ordering: .sequentiallyConsistent) }
}
