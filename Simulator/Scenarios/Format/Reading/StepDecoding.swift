import Money
import Payments
import Settings
import Simulator
import TillConfiguration

extension ScenarioDecoder {
    /// - Returns: the step; nil after recording an error.
    mutating func step(_ node: SettingsNode) -> ScenarioStep? {
        if node.kind == .text {
            return action(word: node).map {
                ScenarioStep($0, location: node.location)
            }
        }
        return action(node).map { finished($0, node) }
    }

    /// Whether a mapping has the key of an action.
    func hasAction(_ node: SettingsNode) -> Bool {
        let names = ScenarioKeys.actions.map(\.name)
        return ((try? node.entries()) ?? []).contains { names.contains($0.key) }
    }

    /// Returns a step with what happens during it, and with what is expected of it.
    mutating func finished(_ action: ScenarioAction, _ node: SettingsNode) -> ScenarioStep {
        var interruptions: [Interruption] = []
        for entry in (try? node.optional("during")?.list()) ?? [] {
            if let interruption = interruption(entry) { interruptions.append(interruption) }
        }
        let expectations = (try? node.optional("expect")).map { self.expectations($0) } ?? []
        return ScenarioStep(
            action, interruptions: interruptions, expectations: expectations, location: node.location)
    }

    private mutating func interruption(_ node: SettingsNode) -> Interruption? {
        guard let action = action(node) else { return nil }
        guard action.fitsInTheMiddle else {
            note(node.error("'\(action.word)' cannot happen in the middle of a step"))
            return nil
        }
        return note { () throws(SettingsError) in
            let delay = try node.optional("after")?.duration()
            guard let event = try node.optional("on") else {
                if let count = try node.optional("count") { throw count.error("'count' counts the events of 'on'") }
                guard let delay else { throw node.error("the trigger is missing", fix: "give 'on' or 'after'") }
                return Interruption(.time(delay), action, location: node.location)
            }
            return Interruption(
                .event(try event.text(), count: try node.optional("count")?.int() ?? 1, delay: delay ?? .zero), action,
                location: node.location)
        }
    }

    /// Returns the action of the step's one action key.
    private mutating func action(_ node: SettingsNode) -> ScenarioAction? {
        let names = ScenarioKeys.actions.map(\.name)
        let entries = ((try? node.entries()) ?? []).filter { names.contains($0.key) }
        guard entries.count == 1, let entry = entries.first else {
            let given = entries.map { "'\($0.key)'" }.joined(separator: " and ")
            note(
                node.error(
                    entries.isEmpty ? "the step has no action" : "\(given) are two steps",
                    fix: entries.isEmpty ? "give one of \(names.joined(separator: ", "))" : "write two entries"))
            return nil
        }
        let value = entry.value
        switch entry.key {
        case "do": return action(word: value)
        case "connect": return readerName(value).map { .connect(reader: $0) }
        case "unplug": return readerName(value).map { .unplug(reader: $0) }
        case "plug": return readerName(value).map { .plug(reader: $0) }
        case "insertCard": return card(value, person: nil).map { .insertCard($0) }
        case "swipeCard": return card(value, person: nil).map { .swipeCard($0) }
        case "tapCard": return card(value, person: nil).map { .tapCard($0) }
        case "pay": return pay(value)
        case "refund": return refund(value).map { .refund($0) }
        case "capture": return refund(value).map { .capture($0) }
        case "increment": return increment(value)
        case "cancelPayment": return note { () throws(SettingsError) in .cancelPayment(try value.int()) }
        case "print": return note { () throws(SettingsError) in .print(try Self.print(value)) }
        case "reprint": return note { () throws(SettingsError) in .reprint(try Self.print(value)) }
        case "wait": return note { () throws(SettingsError) in .wait(try value.duration()) }
        case "sleep": return note { () throws(SettingsError) in try Self.sleep(value) }
        default:
            let (files, till) = (files, till)
            let change = note { () throws(SettingsError) in try Self.change(value, files, till) }
            if change?.neighborPays != nil, !hasSecondTill {
                note(value.error("'neighborPays' needs 'secondTill'"))
            }
            return change.map { .set($0) }
        }
    }

    private mutating func action(word node: SettingsNode) -> ScenarioAction? {
        switch try? node.text() {
        case "connect": .connect(reader: nil)
        case "disconnect": .disconnect
        case "retry": .retry
        case "refund": .refund(FollowUpAction())
        case "capture": .capture(FollowUpAction())
        case "cancelPayment": .cancelPayment(nil)
        case "cancel": .cancel
        case "update": .update
        case "unplug": .unplug(reader: nil)
        case "plug": .plug(reader: nil)
        case "insertCard": .insertCard(nil)
        case "removeCard": .removeCard
        case "swipeCard": .swipeCard(nil)
        case "tapCard": .tapCard(nil)
        case "moveAway": .moveAway
        case "unlock": .unlock
        case "restart": .restart
        case "crash": .crash
        case "recover": .recover
        case "settle": .settle
        case "mend": .mend
        case "print": .print(PrintAction())
        case "reprint": .reprint(PrintAction())
        default: nil
        }
    }

    // MARK: Payments

    private mutating func pay(_ node: SettingsNode) -> ScenarioAction? {
        guard node.kind == .mapping else {
            let currency = till.currency
            return note { () throws(SettingsError) in
                .pay(PayAction(.amount(try node.money(currency))))
            }
        }
        var card: CardSetup?
        let person = try? node.optional("cardholder")
        if let named = try? node.optional("card") {
            card = self.card(named, person: person)
        } else if let person {
            card = self.card(person: person)
        }
        let till = till
        return note { () throws(SettingsError) in
            .pay(
                PayAction(
                    try Self.bill(node, till), card: card,
                    presentsCard: try node.optional("presents")?.bool() ?? true,
                    timeout: try node.optional("timeout")?.duration() ?? .seconds(60),
                    forcesOnline: try node.optional("forceOnline")?.bool() ?? false,
                    authorizesOnly: try node.optional("authorizeOnly")?.bool() ?? false,
                    allowsPartial: try node.optional("allowPartial")?.bool() ?? false))
        }
    }

    private static func bill(
        _ node: SettingsNode, _ till: TillConfiguration
    ) throws(SettingsError) -> PayAction.Bill {
        let (amount, order) = (try node.optional("amount"), try node.optional("order"))
        let currency = try node.optional("currency")
        if let order {
            if let surplus = amount ?? currency { throw surplus.error("an order has its own amount") }
            return .order(try order.int())
        }
        guard let amount else { throw node.error("the amount is missing", fix: "give 'amount' or 'order'") }
        return .amount(try amount.money(try currency?.currency() ?? till.currency))
    }

    private mutating func refund(_ node: SettingsNode) -> FollowUpAction? {
        let currency = till.currency
        guard node.kind == .mapping else {
            return note { () throws(SettingsError) in FollowUpAction(amount: try node.money(currency)) }
        }
        return note { () throws(SettingsError) in
            let currency = try node.optional("currency")?.currency() ?? currency
            return FollowUpAction(
                amount: try node.optional("amount")?.money(currency), payment: try node.optional("payment")?.int())
        }
    }

    private mutating func increment(_ node: SettingsNode) -> ScenarioAction? {
        let currency = till.currency
        guard node.kind == .mapping else {
            return note { () throws(SettingsError) in
                .increment(IncrementAction(amount: try node.money(currency)))
            }
        }
        return note { () throws(SettingsError) in
            let currency = try node.optional("currency")?.currency() ?? currency
            return .increment(
                IncrementAction(
                    amount: try node.required("amount").money(currency), payment: try node.optional("payment")?.int()))
        }
    }

    private static func print(_ node: SettingsNode) throws(SettingsError) -> PrintAction {
        PrintAction(
            copy: try node.optional("copy")?.text() == "merchant" ? .merchant : .customer,
            payment: try node.optional("payment")?.int())
    }

    // MARK: The world

    private static func sleep(_ node: SettingsNode) throws(SettingsError) -> ScenarioAction {
        guard node.kind == .mapping else { return .sleep(try node.duration(), keepsDevices: false) }
        return .sleep(
            try node.required("duration").duration(),
            keepsDevices: try node.optional("keepsDevices")?.bool() ?? false)
    }

    private static func linkFaults(_ node: SettingsNode?) throws(SettingsError) -> [LinkFault] {
        var faults: [LinkFault] = []
        for entry in try node?.list() ?? [] {
            faults.append(
                LinkFault(
                    try entry.required("request").choice(LinkFault.Kind.self), by: try entry.required("by").duration(),
                    message: try entry.optional("message")?.choice(IssuerMessageKind.self),
                    times: try entry.optional("times")?.int(in: 1...1000) ?? 1))
        }
        return faults
    }

    private static func change(
        _ node: SettingsNode, _ files: ScenarioFiles, _ till: TillConfiguration
    ) throws(SettingsError) -> WorldChange {
        guard try !node.entries().isEmpty else { throw node.error("'set' is empty") }
        var change = WorldChange()
        if let rules = try node.optional("issuer") { change.issuerRules = try Self.rules(rules, files) }
        if let site = try node.optional("site") { change.siteFaults = try faults(site) }
        change.printer = try node.optional("printer")?.choice(of: SimulatedPrinterCondition.words)
        change.disk = try node.optional("disk")?.choice(of: DiskCondition.words)
        change.battery = (try node.optional("battery")?.int(in: 0...100)).map { UInt8($0) }
        let readerFaults = try node.optional("readerFaults")
        change.readerFaults = try Self.readerFaults(readerFaults)
        change.repairsReader = readerFaults != nil && change.readerFaults.isEmpty
        change.linkFaults = try linkFaults(node.optional("link"))
        change.issuerDown = try node.optional("issuerDown")?.duration()
        change.siteDown = try node.optional("siteDown")?.duration()
        if let forward = try node.optional("clockForward")?.duration() { change.clockJump += forward }
        if let back = try node.optional("clockBack")?.duration() { change.clockJump -= back }
        change.losesLease = try node.optional("loseLease")?.bool() ?? false
        change.neighbor = try node.optional("neighbor")?.choice(NeighborAct.self)
        if let bill = try node.optional("neighborPays") {
            change.neighborPays =
                try bill.kind == .mapping ? Self.bill(bill, till) : .amount(bill.money(till.currency))
        }
        return change
    }
}

extension ScenarioAction {
    /// Whether the action can happen during a step: it moves no money and takes no time.
    fileprivate var fitsInTheMiddle: Bool {
        switch self {
        case .cancel, .unplug, .plug, .insertCard, .removeCard, .swipeCard, .tapCard, .moveAway, .unlock, .crash, .set,
            .sleep, .mend:
            true
        case .connect, .disconnect, .pay, .retry, .refund, .capture, .increment, .cancelPayment, .update, .restart,
            .recover, .settle, .print, .reprint,
            .wait, .ask:
            false
        }
    }
}
