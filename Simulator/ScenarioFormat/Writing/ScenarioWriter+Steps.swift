internal import Amounts
internal import Hardware
internal import SettingsFile
internal import Simulator
internal import StoreSite

extension ScenarioWriter {
    func step(_ step: ScenarioStep) throws(ScenarioWritingError) -> SettingsNode {
        let action = try action(step.action)
        guard !step.interruptions.isEmpty || !step.expectations.isEmpty else {
            // A word alone.
            return action.key == "do" ? action.value : .mapping([action])
        }
        var entries = [action]
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

    /// The key that says what is done.
    private func action(_ action: ScenarioAction) throws(ScenarioWritingError) -> Entry {
        switch action {
        case .connect(let reader?), .unplug(let reader?), .plug(let reader?): return (action.word, .text(reader))
        case .insertCard(let card?), .swipeCard(let card?): return (action.word, .text(card.name))
        case .pay(let pay): return (action.word, try self.pay(pay))
        case .refund(let refund):
            let node = self.refund(refund)
            return node.map { (action.word, $0) } ?? ("do", .text(action.word))
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
        case .set(let change): return (action.word, self.change(change))
        case .connect, .disconnect, .retry, .cancel, .update, .unplug, .plug, .insertCard, .removeCard, .swipeCard,
            .restart, .crash, .recover, .settle, .mend:
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
        if entries.count == 1, let only = entries.first, only.key == "amount" { return only.value }
        return .mapping(entries)
    }

    /// `amount`, and `currency` where it is not the till's.
    private func money(_ money: Money) -> [Entry] {
        let amount: Entry = ("amount", .text(money.decimalText))
        return money.currency == scenario.till.currency
            ? [amount] : [amount, ("currency", .text(money.currency.code))]
    }

    /// Nil for all that is left of the last payment.
    private func refund(_ refund: RefundAction) -> SettingsNode? {
        var entries = refund.amount.map(money) ?? []
        if let payment = refund.payment { entries.append(("payment", .text(String(payment)))) }
        if entries.count == 1, let only = entries.first, only.key == "amount" { return only.value }
        return entries.isEmpty ? nil : .mapping(entries)
    }

    /// Nil for the customer's receipt of the last payment.
    private func print(_ print: PrintAction) -> SettingsNode? {
        var entries: [Entry] = []
        if print.copy != .customer { entries.append(("copy", .text(print.copy.rawValue))) }
        if let payment = print.payment { entries.append(("payment", .text(String(payment)))) }
        return entries.isEmpty ? nil : .mapping(entries)
    }

    private func change(_ change: WorldChange) -> SettingsNode {
        var entries: [Entry] = []
        if let rules = change.issuerRules?.source { entries.append(("issuer", rules)) }
        if !change.siteFaults.isEmpty {
            let faults = change.siteFaults.map { SettingsNode.text($0.description) }
            entries.append(("site", .mapping([("faults", .list(faults))])))
        }
        if let printer = change.printer { entries.append(("printer", .text(printer.rawValue))) }
        if let disk = change.disk { entries.append(("disk", .text(disk.rawValue))) }
        if let battery = change.battery { entries.append(("battery", .text(String(battery)))) }
        if !change.readerFaults.isEmpty {
            entries.append(("readerFaults", .list(change.readerFaults.map(ReaderFaultWords.node))))
        }
        return .mapping(entries)
    }
}
