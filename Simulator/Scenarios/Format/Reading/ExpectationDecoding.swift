import Hardware
import Money
import Settings
import TillConfiguration

extension ScenarioDecoder {
    /// Returns the expectations, in the order of the file.
    mutating func expectations(_ node: SettingsNode) -> [Expectation] {
        var expectations: [Expectation] = []
        let (currency, files) = (till.currency, files)
        for entry in (try? node.entries()) ?? [] where entry.value.kind != .nothing {
            let check = note { () throws(SettingsError) in
                if entry.key == "rows" { try files.checkQueries(entry.value) }
                return try Self.check(entry.key, entry.value, currency)
            }
            if let check {
                expectations.append(Expectation(key: entry.key, location: entry.location, check: check))
            }
        }
        return expectations
    }

    private static func check(
        _ key: String, _ node: SettingsNode, _ currency: Currency
    ) throws(SettingsError) -> Expectation.Check {
        switch key {
        case "outcome": .outcome(try node.text())
        case "error": .error(try node.text() == "none" ? nil : try node.text())
        case "state": .state(try node.text())
        case "events": .events(try patterns(node))
        case "noEvents": .noEvents(try patterns(node))
        case "display": .display(try patterns(node))
        case "noDisplay": .noDisplay(try patterns(node))
        case "apdu": .apdu(try patterns(node))
        case "noAPDU": .noAPDU(try patterns(node))
        case "trace": .trace(try texts(node, length: 1...140_000))
        case "receipt": .receipt(try patterns(node))
        case "noReceipt": .noReceipt(try patterns(node))
        case "merchantReceipt": .merchantReceipt(try patterns(node))
        case "printed": .printed(try patterns(node))
        case "noPrinted": .noPrinted(try patterns(node))
        case "prints": .prints(try texts(node))
        case "journal": .journal(try texts(node))
        case "rows": try rows(node)
        case "ledger": .ledger(try ledger(node, currency))
        case "charged": try charged(node, currency)
        case "charges": .charges(try node.int())
        case "site": .site(try site(node))
        case "tvr": .tvr(try bits(node))
        case "tsi": .tsi(try bits(node))
        case "cvm": .cvm(try node.text())
        case "entry": .entry(try node.text())
        case "elapsed": .elapsed(try bounds(node))
        case "reconciled": .reconciled(try node.bool())
        default: throw node.error("unknown expectation '\(key)'")
        }
    }

    private static func patterns(_ node: SettingsNode) throws(SettingsError) -> [TextPattern] {
        try texts(node).map { TextPattern($0) }
    }

    private static func texts(
        _ node: SettingsNode, length: ClosedRange<Int> = 0...400
    ) throws(SettingsError) -> [String] {
        var texts: [String] = []
        for entry in try node.oneOrMany() { texts.append(try entry.text(length: length)) }
        return texts
    }

    private static func rows(_ node: SettingsNode) throws(SettingsError) -> Expectation.Check {
        var queries: [RowsExpectation] = []
        for entry in try node.oneOrMany() {
            let query = try entry.required("query")
            let text = try query.text()
            guard text.uppercased().hasPrefix("SELECT ") || text.uppercased().hasPrefix("WITH ") else {
                throw query.error("the query must be a SELECT")
            }
            var rows: [[String]] = []
            for row in try entry.required("are").list() { rows.append(try texts(row)) }
            queries.append(RowsExpectation(query: text, rows: rows))
        }
        return .rows(queries)
    }

    private static func ledger(
        _ node: SettingsNode, _ currency: Currency
    ) throws(SettingsError) -> [LedgerLine] {
        var lines: [LedgerLine] = []
        for entry in try node.list() {
            var line = LedgerLine()
            line.kind = try entry.optional("kind")?.text()
            line.response = try entry.optional("response")?.text()
            line.reason = try entry.optional("reason")?.text()
            line.rule = try entry.optional("rule")?.text()
            let own = try entry.optional("currency")?.currency()
            line.currency = own?.code
            if let amount = try entry.optional("amount") {
                let money = try amount.money(own ?? currency)
                (line.minorUnits, line.currency) = (money.minorUnits, money.currency.code)
            }
            lines.append(line)
        }
        return lines
    }

    private static func charged(
        _ node: SettingsNode, _ currency: Currency
    ) throws(SettingsError) -> Expectation.Check {
        let money =
            node.kind == .mapping
            ? try node.required("amount").money(try node.required("currency").currency()) : try node.money(currency)
        return .charged(minorUnits: money.minorUnits, currency: money.currency.code)
    }

    private static func site(_ node: SettingsNode) throws(SettingsError) -> SiteExpectation {
        var requests: [RequestCount] = []
        for entry in try node.optional("requests")?.entries() ?? [] {
            requests.append(RequestCount(TextPattern(entry.key), count: try entry.value.int()))
        }
        return SiteExpectation(
            charges: try node.optional("charges")?.int(), order: try node.optional("order")?.text(),
            requests: requests)
    }

    private static func bits(_ node: SettingsNode) throws(SettingsError) -> BitExpectation {
        var bits = BitExpectation(set: [], clear: [])
        if let set = try node.optional("set") { bits.set = try texts(set) }
        if let clear = try node.optional("clear") { bits.clear = try texts(clear) }
        guard bits != BitExpectation(set: [], clear: []) else { throw node.error("give 'set' or 'clear'") }
        return bits
    }

    private static func bounds(_ node: SettingsNode) throws(SettingsError) -> TimeBounds {
        guard node.kind == .mapping else { return TimeBounds(atLeast: nil, atMost: try node.duration()) }
        let bounds = TimeBounds(
            atLeast: try node.optional("atLeast")?.duration(), atMost: try node.optional("atMost")?.duration())
        guard bounds != TimeBounds() else { throw node.error("give 'atLeast' or 'atMost'") }
        if let least = bounds.atLeast, let most = bounds.atMost, least > most {
            throw node.error("'atMost' is less than 'atLeast'")
        }
        return bounds
    }
}
