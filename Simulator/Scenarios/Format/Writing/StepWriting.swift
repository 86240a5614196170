import Hardware
import Money
import Payments
import Settings
import Simulator
import StoreSite
import TillConfiguration

extension ScenarioWriter {
    func step(_ step: ScenarioStep) throws(ScenarioWritingError) -> SettingsNode {
        let action: Entry
        var more: [Entry] = []
        if case .ask(let asked) = step.action {
            let entries = try request(asked)
            guard let first = entries.first else { return .mapping([]) }
            (action, more) = (first, Array(entries.dropFirst()))
        } else {
            action = try self.action(step.action)
        }
        guard !step.interruptions.isEmpty || !step.expectations.isEmpty else {
            // An action without a value.
            return action.key == "do" ? action.value : .mapping([action] + more)
        }
        var entries = [action] + more
        if !step.interruptions.isEmpty {
            var interruptions: [SettingsNode] = []
            for interruption in step.interruptions { interruptions.append(try self.interruption(interruption)) }
            entries.append(("during", .list(interruptions)))
        }
        if !step.expectations.isEmpty { entries.append(("expect", try expectations(step.expectations))) }
        return .mapping(entries)
    }

    private func interruption(_ interruption: Interruption) throws(ScenarioWritingError) -> SettingsNode {
        var entries: [Entry] = []
        switch interruption.trigger {
        case .time(let delay): entries.append(("after", try Self.duration(delay)))
        case .event(let words, let count, let delay):
            entries.append(("on", .text(words)))
            if count != 1 { entries.append(("count", .text(String(count)))) }
            if delay != .zero { entries.append(("after", try Self.duration(delay))) }
        }
        return .mapping(entries + [try action(interruption.action)])
    }

    /// Returns the step's action key and its value.
    private func action(_ action: ScenarioAction) throws(ScenarioWritingError) -> Entry {
        switch action {
        case .connect(let reader?), .unplug(let reader?), .plug(let reader?): return (action.word, .text(reader))
        case .insertCard(let card?), .swipeCard(let card?), .tapCard(let card?):
            return (action.word, .text(card.name))
        case .pay(let pay): return (action.word, try self.pay(pay))
        case .refund(let refund), .capture(let refund):
            let node = self.refund(refund)
            return node.map { (action.word, $0) } ?? ("do", .text(action.word))
        case .increment(let increment):
            let whole = FollowUpAction(amount: increment.amount, payment: increment.payment)
            return (action.word, self.refund(whole) ?? .mapping([]))
        case .cancelPayment(let payment?): return (action.word, .text(String(payment)))
        case .print(let print), .reprint(let print):
            let node = self.print(print)
            return node.map { (action.word, $0) } ?? ("do", .text(action.word))
        case .wait(let duration): return (action.word, try Self.duration(duration))
        case .sleep(let duration, let keepsDevices):
            let time = try Self.duration(duration)
            return (
                action.word,
                keepsDevices ? .mapping([("duration", time), ("keepsDevices", .text("true"))]) : time
            )
        case .set(let change): return (action.word, try self.change(change))
        case .connect, .disconnect, .retry, .cancel, .cancelPayment, .update, .unplug, .plug, .insertCard, .removeCard,
            .swipeCard, .tapCard, .moveAway, .unlock,
            .restart, .crash, .recover, .settle, .mend, .ask:
            return ("do", .text(action.word))
        }
    }

    private func pay(_ pay: PayAction) throws(ScenarioWritingError) -> SettingsNode {
        var entries: [Entry] = []
        switch pay.bill {
        case .amount(let amount): entries += money(amount)
        case .order(let place): entries.append(("order", .text(String(place))))
        }
        if let card = pay.card { entries += try cardEntries(of: card) }
        if !pay.presentsCard { entries.append(("presents", .text("false"))) }
        if pay.timeout != .seconds(60) { entries.append(("timeout", try Self.duration(pay.timeout))) }
        if pay.forcesOnline { entries.append(("forceOnline", .text("true"))) }
        if pay.authorizesOnly { entries.append(("authorizeOnly", .text("true"))) }
        if pay.allowsPartial { entries.append(("allowPartial", .text("true"))) }
        if entries.count == 1, let only = entries.first, only.key == "amount" { return only.value }
        return .mapping(entries)
    }

    /// Returns `amount`, and `currency` if it is not the till's.
    func money(_ money: Money) -> [Entry] {
        let amount: Entry = ("amount", .text(money.decimalText))
        return money.currency == scenario.till.currency
            ? [amount] : [amount, ("currency", .text(money.currency.code))]
    }

    /// Returns the value of `refund`; nil for the rest of the last payment.
    private func refund(_ refund: FollowUpAction) -> SettingsNode? {
        var entries = refund.amount.map(money) ?? []
        if let payment = refund.payment { entries.append(("payment", .text(String(payment)))) }
        if entries.count == 1, let only = entries.first, only.key == "amount" { return only.value }
        return entries.isEmpty ? nil : .mapping(entries)
    }

    /// Returns the value of `print`; nil for the customer's receipt of the last payment.
    private func print(_ print: PrintAction) -> SettingsNode? {
        var entries: [Entry] = []
        if print.copy != .customer { entries.append(("copy", .text(print.copy.rawValue))) }
        if let payment = print.payment { entries.append(("payment", .text(String(payment)))) }
        return entries.isEmpty ? nil : .mapping(entries)
    }

    private func change(_ change: WorldChange) throws(ScenarioWritingError) -> SettingsNode {
        var entries: [Entry] = []
        if let rules = change.issuerRules?.source { entries.append(("issuer", rules)) }
        if !change.siteFaults.isEmpty {
            let faults = change.siteFaults.map { SettingsNode.text($0.description) }
            entries.append(("site", .mapping([("faults", .list(faults))])))
        }
        if let printer = change.printer { entries.append(("printer", .text(printer.fileWord))) }
        if let disk = change.disk { entries.append(("disk", .text(disk.fileWord))) }
        if let battery = change.battery { entries.append(("battery", .text(String(battery)))) }
        if !change.readerFaults.isEmpty || change.repairsReader {
            entries.append(("readerFaults", .list(change.readerFaults.map(ReaderFaultWords.node))))
        }
        return .mapping(entries + (try moreChanges(change)))
    }
}

extension ScenarioWriter {
    /// Returns the faults between processes.
    private func moreChanges(_ change: WorldChange) throws(ScenarioWritingError) -> [Entry] {
        var entries: [Entry] = []
        if !change.linkFaults.isEmpty {
            var faults: [SettingsNode] = []
            for fault in change.linkFaults {
                var parts: [Entry] = [
                    ("request", .text(fault.kind.rawValue)), ("by", try Self.duration(fault.delay)),
                ]
                if let message = fault.message { parts.append(("message", .text(message.rawValue))) }
                if fault.remaining != 1 { parts.append(("times", .text(String(fault.remaining)))) }
                faults.append(.mapping(parts))
            }
            entries.append(("link", .list(faults)))
        }
        if let time = change.issuerDown { entries.append(("issuerDown", try Self.duration(time))) }
        if let time = change.siteDown { entries.append(("siteDown", try Self.duration(time))) }
        if change.clockJump > .zero { entries.append(("clockForward", try Self.duration(change.clockJump))) }
        if change.clockJump < .zero { entries.append(("clockBack", try Self.duration(.zero - change.clockJump))) }
        if change.losesLease { entries.append(("loseLease", .text("true"))) }
        if let act = change.neighbor { entries.append(("neighbor", .text(act.rawValue))) }
        switch change.neighborPays {
        case .amount(let amount):
            let parts = money(amount)
            let only = parts.count == 1 ? parts.first?.value : nil
            entries.append(("neighborPays", only ?? .mapping(parts)))
        case .order(let place): entries.append(("neighborPays", .mapping([("order", .text(String(place)))])))
        case nil: break
        }
        return entries
    }
}

extension ScenarioWriter {
    func expectations(_ expectations: [Expectation]) throws(ScenarioWritingError) -> SettingsNode {
        var entries: [Entry] = []
        for expectation in expectations { entries.append((expectation.check.key, try node(expectation.check))) }
        return .mapping(entries)
    }

    private func node(_ check: Expectation.Check) throws(ScenarioWritingError) -> SettingsNode {
        switch check {
        case .outcome(let word), .state(let word), .cvm(let word), .entry(let word): .text(word)
        case .error(let code): .text(code ?? "none")
        case .events(let patterns), .noEvents(let patterns), .display(let patterns), .noDisplay(let patterns),
            .apdu(let patterns), .noAPDU(let patterns), .receipt(let patterns), .noReceipt(let patterns),
            .merchantReceipt(let patterns), .printed(let patterns), .noPrinted(let patterns):
            Self.oneOrMany(patterns.map(\.text))
        case .prints(let texts), .journal(let texts), .trace(let texts): .list(texts.map { .text($0) })
        case .rows(let queries):
            .list(
                queries.map { query in
                    .mapping([
                        ("query", .text(query.query)),
                        ("are", .list(query.rows.map { row in .list(row.map { .text($0) }) })),
                    ])
                })
        case .ledger(let lines): try ledger(lines)
        case .charged(let minorUnits, let currency): try charged(try Self.money(minorUnits, currency))
        case .charges(let count): .text(String(count))
        case .site(let site): self.site(site)
        case .tvr(let bits), .tsi(let bits): Self.bits(bits)
        case .elapsed(let bounds): try elapsed(bounds)
        case .reconciled(let isReconciled): .text(String(isReconciled))
        }
    }

    private static func oneOrMany(_ texts: [String]) -> SettingsNode {
        if texts.count == 1, let only = texts.first { .text(only) } else { .list(texts.map { .text($0) }) }
    }

    private func charged(_ money: Money) throws(ScenarioWritingError) -> SettingsNode {
        let amount = SettingsNode.text(money.decimalText)
        guard money.currency != scenario.till.currency else { return amount }
        return .mapping([("amount", amount), ("currency", .text(money.currency.code))])
    }

    private func ledger(_ lines: [LedgerLine]) throws(ScenarioWritingError) -> SettingsNode {
        var nodes: [SettingsNode] = []
        for line in lines {
            var entries: [Entry] = []
            if let kind = line.kind { entries.append(("kind", .text(kind))) }
            let own = scenario.till.currency.code
            if let minorUnits = line.minorUnits {
                let money = try Self.money(minorUnits, line.currency ?? own)
                entries.append(("amount", .text(money.decimalText)))
            }
            if let currency = line.currency, line.minorUnits == nil || currency != own {
                entries.append(("currency", .text(currency)))
            }
            if let response = line.response { entries.append(("response", .text(response))) }
            if let reason = line.reason { entries.append(("reason", .text(reason))) }
            if let rule = line.rule { entries.append(("rule", .text(rule))) }
            nodes.append(.mapping(entries))
        }
        return .list(nodes)
    }

    private func site(_ site: SiteExpectation) -> SettingsNode {
        var entries: [Entry] = []
        if let charges = site.charges { entries.append(("charges", .text(String(charges)))) }
        if let order = site.order { entries.append(("order", .text(order))) }
        if !site.requests.isEmpty {
            let requests = site.requests.map { ($0.pattern.text, SettingsNode.text(String($0.count))) }
            entries.append(("requests", .mapping(requests)))
        }
        return .mapping(entries)
    }

    private static func bits(_ bits: BitExpectation) -> SettingsNode {
        var entries: [Entry] = []
        if !bits.set.isEmpty { entries.append(("set", oneOrMany(bits.set))) }
        if !bits.clear.isEmpty { entries.append(("clear", oneOrMany(bits.clear))) }
        return .mapping(entries)
    }

    private func elapsed(_ bounds: TimeBounds) throws(ScenarioWritingError) -> SettingsNode {
        if bounds.atLeast == nil, let most = bounds.atMost { return try Self.duration(most) }
        var entries: [Entry] = []
        if let least = bounds.atLeast { entries.append(("atLeast", try Self.duration(least))) }
        if let most = bounds.atMost { entries.append(("atMost", try Self.duration(most))) }
        return .mapping(entries)
    }
}

extension Expectation.Check {
    /// The expectation's key in a file.
    var key: String {
        switch self {
        case .outcome: "outcome"
        case .error: "error"
        case .state: "state"
        case .events: "events"
        case .noEvents: "noEvents"
        case .display: "display"
        case .noDisplay: "noDisplay"
        case .apdu: "apdu"
        case .noAPDU: "noAPDU"
        case .trace: "trace"
        case .receipt: "receipt"
        case .noReceipt: "noReceipt"
        case .merchantReceipt: "merchantReceipt"
        case .printed: "printed"
        case .noPrinted: "noPrinted"
        case .prints: "prints"
        case .journal: "journal"
        case .rows: "rows"
        case .ledger: "ledger"
        case .charged: "charged"
        case .charges: "charges"
        case .site: "site"
        case .tvr: "tvr"
        case .tsi: "tsi"
        case .cvm: "cvm"
        case .entry: "entry"
        case .elapsed: "elapsed"
        case .reconciled: "reconciled"
        }
    }
}
