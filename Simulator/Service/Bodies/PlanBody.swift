import Acquirer
import Determinism
import HTTPInterface
import Money
import Sessions
import Settings
import Simulator
import StoreSite
import Text

/// The body of a request for a session: its initial state. All keys are optional.
struct PlanBody: Sendable {
    let plan: SessionPlan
    /// Whether the till connects the first reader at the start.
    let connects: Bool
    /// The name of the issuer's rules; nil for none, and for rules that the plan writes out.
    private(set) var rulesName: String?
    /// Whether another part of this process drives the session; see ``DrivenSession``.
    private(set) var isDriven = false

    static let schema = Schema.object([
        Field(
            "seed", .integer(0...Int(Int32.max)), "The random seed. Default: 1.", optional: true),
        Field("start", .format("date-time"), "The start time on the session's clock.", optional: true),
        Field("utcOffsetSeconds", .integer(-50_400...50_400), "The till's UTC offset.", optional: true),
        Field(
            "readers", .list(.either([.word(ReaderBody.models), .named("ReaderPlan")]), 1...10),
            "The readers, each as the word of its model or as a plan. Without a name of its own, the first one is "
                + "'reader', the second one 'reader-2', and so on. Payments use the first one by default. "
                + "Default: one short-apdu reader.",
            optional: true),
        Field(
            "cards", .list(.either([.word(CardProfileLibrary.allNames), .named("CardPlan")]), 1...mostCards),
            "The cards. Payments use the first one by default.", optional: true),
        Field("issuer", .named("IssuerPlan"), optional: true),
        Field(
            "host", .named("HostPlan"),
            "The wire to the issuer. Without it, the till has the issuer in its own process.", optional: true),
        Field("store", .named("StorePlan"), "The store, signed in to.", optional: true),
        Field("printer", .named("PrinterChange"), optional: true),
        Field("disk", .named("DiskChange"), optional: true),
        Field("connect", .boolean, "Whether to connect the first reader at once. Default: true.", optional: true),
    ])

    static let cardSchema = Schema.object([
        Field("name", .phrase(1...60), "The name of the card in the session."),
        Field("profile", .phrase(1...longestText), "The name of a built-in profile, or a profile as YAML text."),
    ])
    static let issuerSchema = Schema.object([
        Field("rules", .phrase(1...longestText), "The name of built-in rules, or rules as YAML text.", optional: true),
        Field("faults", .list(.named("IssuerFault"), 0...100), "The faults of the issuer connection.", optional: true),
    ])
    static let hostSchema = Schema.object([
        Field("wire", .word(["iso8583"]), "The protocol of the wire."),
        Field("profile", .word(PlannedWire.profileNames), "The message profile, which is the acquirer's dialect."),
        Field(
            "faults", .list(.phrase(1...80), 0...50), "The faults of the acquirer, for example `answer-lost:sale:1`.",
            optional: true),
        Field(
            "faultPercent", .integer(0...100),
            "How many of a hundred messages about money get another fault at random. Default: 0.", optional: true),
    ])
    static let storeSchema = Schema.object([
        Field("orders", .integer(0...mostOrders), "The number of generated orders.", optional: true),
        Field("unpaid", .list(.decimal, 0...100), "The amounts of unpaid orders, in US dollars.", optional: true),
        Field(
            "faults", .list(.phrase(1...200), 0...100),
            "The faults, for example `POST /wc/v3/orders/* #1 lost-answer`.", optional: true),
        Field("stripe", .boolean, "Whether the store has the Stripe extension as well.", optional: true),
    ])

    /// The default cards of a session: one of each common kind.
    static let standardCards = [
        "visa-credit", "mastercard-debit", "pin-required", "online-pin", "multi-application", "declined",
        "insufficient-funds", "stripe-only",
    ]
    private static let mostOrders = 1000
    private static let mostCards = 200
    /// The longest text of a profile or of rules, in characters.
    static let longestText = 65_536

    /// Takes the plan of a ``DrivenSession``.
    init(driven plan: SessionPlan) { (self.plan, connects, isDriven) = (plan, true, true) }

    /// - Throws: ``APIError``
    init(_ body: BodyNode) throws(APIError) {
        try body.object(Self.schema.fields)
        let cards = if let node = body["cards"] { try Self.cards(node) } else { try Self.standard() }
        var plan = SessionPlan(cards: cards, readers: try Self.readers(body["readers"]))
        if let node = body["seed"] { plan.seed = UInt64(try node.int(0...Int(Int32.max))) }
        if let node = body["start"] {
            guard let start = Timestamp(try node.text()) else {
                throw .body("not a date and time", at: node.path, fix: "write one such as 2026-01-02T12:00:00Z")
            }
            plan.start = start
        }
        if let node = body["utcOffsetSeconds"] { plan.utcOffsetSeconds = try node.int(-50_400...50_400) }
        if let node = body["issuer"] {
            try node.object(Self.issuerSchema.fields)
            if let rules = node["rules"] {
                plan.issuerRules = try Self.rules(rules)
                if let name = try? rules.text(), IssuerRulesLibrary.names.contains(name) { rulesName = name }
            }
            for fault in try node["faults"]?.list(0...100) ?? [] {
                plan.issuerFaults.append(try FaultBodies.issuer(fault))
            }
        }
        if let node = body["host"] { plan.wire = try Self.wire(node) }
        if let node = body["store"] { plan.store = try Self.store(node) }
        if let node = body["printer"] { plan.printer = try ConditionBodies.condition(node, of: "a printer") }
        if let node = body["disk"] { plan.disk = try ConditionBodies.condition(node, of: "a disk") }
        connects = try body["connect"]?.bool() ?? true
        self.plan = plan
    }

    private static func standard() throws(APIError) -> [PlannedCard] {
        var cards: [PlannedCard] = []
        for name in standardCards { cards.append(try card(named: name, as: name, at: "cards")) }
        return cards
    }

    private static func cards(_ node: BodyNode) throws(APIError) -> [PlannedCard] {
        var cards: [PlannedCard] = []
        for entry in try node.list(1...mostCards) {
            if case .text(let name) = entry.value {
                cards.append(try card(named: name, as: name, at: entry.path))
                continue
            }
            try entry.object(cardSchema.fields)
            let name = try entry.required("name").text(1...60)
            let profile = try entry.required("profile")
            let text = try profile.text(1...longestText)
            guard text.contains("\n") else {
                cards.append(try card(named: text, as: name, at: profile.path))
                continue
            }
            do throws(SettingsError) {
                cards.append(PlannedCard(try CardProfile(yaml: text, file: "profile"), name: name))
            } catch {
                throw .body(error.description, at: profile.path, fix: error.fix)
            }
        }
        for (index, card) in cards.enumerated() where cards[..<index].contains(where: { $0.name == card.name }) {
            throw .body("there are two cards '\(BodyNode.clip(card.name))'", at: "\(node.path)[\(index)]")
        }
        return cards
    }

    /// Returns a built-in profile. Never reads a file, because clients must not reach files of this machine.
    private static func card(named profile: String, as name: String, at path: String) throws(APIError) -> PlannedCard {
        guard CardProfileLibrary.allNames.contains(profile) else {
            throw .body(
                "there is no card profile '\(BodyNode.clip(profile))'", at: path,
                fix: BodyNode.suggestion(profile, CardProfileLibrary.allNames))
        }
        do throws(CardProfileError) {
            return PlannedCard(try CardProfileLibrary.profile(profile), name: name)
        } catch {
            throw .body(error.description, at: path)
        }
    }

    private static func readers(_ node: BodyNode?) throws(APIError) -> [PlannedReader] {
        guard let node else { return [PlannedReader()] }
        var readers: [PlannedReader] = []
        for entry in try node.list(1...10) { readers.append(try ReaderBody.planned(entry, number: readers.count + 1)) }
        for (index, reader) in readers.enumerated() where readers[..<index].contains(where: { $0.name == reader.name })
        {
            throw .body("there are two readers '\(BodyNode.clip(reader.name))'", at: "\(node.path)[\(index)]")
        }
        return readers
    }

    /// Returns issuer rules by name or from YAML text.
    static func rules(_ node: BodyNode) throws(APIError) -> IssuerRules {
        let text = try node.text(1...longestText)
        do {
            if text.contains("\n") { return try IssuerRules(yaml: text, file: "rules") }
            guard IssuerRulesLibrary.names.contains(text) else {
                throw APIError.body(
                    "there are no issuer rules '\(BodyNode.clip(text))'", at: node.path,
                    fix: BodyNode.suggestion(text, IssuerRulesLibrary.names))
            }
            return try IssuerRulesLibrary.rules(text)
        } catch let error as APIError {
            throw error
        } catch let error as SettingsError {
            throw .body(error.description, at: node.path, fix: error.fix)
        } catch {
            throw .body("\(error)", at: node.path)
        }
    }

    private static func wire(_ node: BodyNode) throws(APIError) -> PlannedWire {
        try node.object(hostSchema.fields)
        _ = try node.required("wire").word(["iso8583"], called: "wire")
        let place = try node.required("profile")
        let name = try place.word(PlannedWire.profileNames, called: "message profile")
        guard var wire = PlannedWire(profileNamed: name) else {
            throw .body("there is no message profile '\(BodyNode.clip(name))'", at: place.path)
        }
        for entry in try node["faults"]?.list(0...50) ?? [] {
            let text = try entry.text(1...80)
            do throws(AcquirerFaultError) { wire.faults.append(try AcquirerFault(text, for: wire.profile)) } catch {
                throw .body("\(error)", at: entry.path)
            }
        }
        wire.faultRate = Double(try node["faultPercent"]?.int(0...100) ?? 0) / 100
        return wire
    }

    private static func store(_ node: BodyNode) throws(APIError) -> PlannedStore {
        try node.object(storeSchema.fields)
        var store = PlannedStore()
        if let orders = node["orders"] { store.orders = try orders.int(0...mostOrders) }
        for amount in try node["unpaid"]?.list(0...100) ?? [] {
            store.unpaid.append(try PaymentBody.money(amount, .usDollar))
        }
        for fault in try node["faults"]?.list(0...100) ?? [] { store.faults.append(try FaultBodies.store(fault)) }
        store.hasStripe = try node["stripe"]?.bool() ?? false
        return store
    }
}
