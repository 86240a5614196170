internal import Amounts
internal import Hardware
internal import SettingsFile

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
    /// The key that it has in a file.
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
