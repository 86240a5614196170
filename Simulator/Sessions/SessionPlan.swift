public import Acquirer
public import Determinism
public import ISO8583
public import Money
public import Simulator
public import StoreSite
public import TillConfiguration

/// The initial state of a simulated session: readers, cards, issuer, store, printer, disk, and clock. The same plan and
/// steps produce the same session, byte for byte.
public struct SessionPlan: Sendable {
    /// The location of the till's records.
    public enum Journal: Hashable, Sendable {
        /// An in-memory database that lives as long as the session, across process restarts.
        case memory
        /// A database file, flushed at every commit as in production. The issuer's ledger is stored beside it. Two
        /// sessions must not use the same file.
        case file(String)
        /// A database file from a pool that sessions reuse. The issuer's ledger is stored beside it.
        case shared(SessionJournals)
    }

    /// The random seed.
    public var seed: UInt64
    /// The time at which the session begins.
    public var start: Timestamp
    /// The local time zone, in seconds east of UTC.
    public var utcOffsetSeconds: Int
    /// The readers, at least one. The first is the default.
    public var readers: [PlannedReader]
    /// The cards, at least one. The first is the default.
    public var cards: [PlannedCard]
    /// The names of the cards that are on the till's exception file from the start (EMV Book 4 §6.3.5).
    public var exceptions: [String]
    /// The rules by which the issuer answers.
    public var issuerRules: IssuerRules
    /// Faults between the terminal and the issuer. The first one that matches a message applies.
    public var issuerFaults: [IssuerFaultRule]
    /// The wire between the till and the issuer; nil when the till has the issuer in its own process.
    public var wire: PlannedWire?
    /// The store that the till is signed in to; nil when it is not signed in.
    public var store: PlannedStore?
    /// The second till, when it takes payments of its own; nil when there is none, or one without a reader.
    public var secondTill: PlannedTill?
    /// The till's configuration.
    public var till: TillConfiguration
    /// The condition of the printer.
    public var printer: SimulatedPrinterCondition
    /// The condition of the disk that holds the journal.
    public var disk: DiskCondition
    /// The location of the till's records.
    public var journal: Journal
    /// Whether the log includes APDU exchanges, which make up most of it.
    public var logsExchanges: Bool
    /// Receives every event synchronously, on the session's thread. It must not block.
    public var observer: (@Sendable (SessionEvent) -> Void)?
    /// Receives what the models of `Proof` need of every event, as ``observer`` does; nil for no trace. It
    /// receives nothing of a session with a ``secondTill``, which the traces have no place for.
    public var tracer: (@Sendable (TracedEvent) -> Void)?
    /// The longest simulated time that a step may take. A step that takes longer fails with
    /// ``SimulatedSessionError/stuck(step:)``.
    public var longestStep: Duration
    /// The most jobs that the session may run. A session that needs more is taken for an endless loop.
    public var mostTurns: Int
    /// Whether the session keeps its events, and what its commands told. One that lives long, such as that of a
    /// terminal, keeps neither; ``observer`` receives every event all the same.
    public var keepsHistory: Bool
    /// Whether a card other than the first one is made when it is used first, for plans with many cards. A profile that
    /// describes no valid card is found then.
    public var makesCardsOnUse: Bool
    /// Receives the target and body of every request to the store site, on the session's thread. It must not block.
    public var requestObserver: (@Sendable (_ target: String, _ body: [UInt8]) -> Void)?

    /// Creates a plan without faults.
    ///
    /// - Parameters:
    ///   - cards: the cards.
    ///   - readers: the readers, plugged in or not.
    ///   - seed: the random seed.
    public init(cards: [PlannedCard], readers: [PlannedReader] = [PlannedReader()], seed: UInt64 = 1) {
        (self.cards, self.readers, self.seed) = (cards, readers, seed)
        (start, utcOffsetSeconds) = (VirtualTimeSource.standardStart, 0)
        (exceptions, issuerRules, issuerFaults, wire, store) = ([], IssuerRules(), [], nil, nil)
        (till, printer, disk, journal) = (.standard, .ready, .working, .memory)
        (logsExchanges, longestStep, mostTurns) = (true, .seconds(86_400), .max)
        (keepsHistory, makesCardsOnUse) = (true, false)
    }

    /// Creates a plan with one built-in card.
    ///
    /// - Parameters:
    ///   - card: the name of a built-in profile, or a path to one.
    ///   - seed: the random seed.
    /// - Throws: `CardProfileError`
    public init(card: String, seed: UInt64 = 1) throws(CardProfileError) {
        self.init(cards: [PlannedCard(try CardProfileLibrary.profile(card))], seed: seed)
    }
}

/// A reader of a simulated session.
public struct PlannedReader: Sendable {
    /// The name by which steps refer to it.
    public var name: String
    /// The reader model.
    public var model: SimulatedReader
    /// Whether it is plugged in at the start.
    public var isPluggedIn: Bool
    /// Faults that are armed at the start.
    public var faults: [SimulatedReaderFault]
    /// The battery charge in percent; nil for a full battery or none.
    public var batteryPercent: UInt8?

    /// Creates a reader; by default it is plugged in and works.
    public init(
        name: String = "reader", model: SimulatedReader = .chip(.shortAPDU), isPluggedIn: Bool = true,
        faults: [SimulatedReaderFault] = [], batteryPercent: UInt8? = nil
    ) {
        (self.name, self.model, self.isPluggedIn) = (name, model, isPluggedIn)
        (self.faults, self.batteryPercent) = (faults, batteryPercent)
    }
}

/// The wire of a simulated session: the till sends messages of ISO 8583 to a simulated acquirer, which asks the issuer.
/// The bytes stay in this process, and their time is that of the session.
public struct PlannedWire: Sendable {
    /// The dialect of the acquirer.
    public var profile: MessageProfile
    /// What goes wrong at the acquirer. The first fault that applies to a message counts.
    public var faults: [AcquirerFault]
    /// The part of the messages about money that get another fault at random, by the seed of the session: 0...1.
    public var faultRate: Double

    /// Creates a wire; by default nothing goes wrong.
    public init(_ profile: MessageProfile, faults: [AcquirerFault] = [], faultRate: Double = 0) {
        (self.profile, self.faults, self.faultRate) = (profile, faults, faultRate)
    }

    /// The names of the shipped profiles.
    public static var profileNames: [String] { MessageProfile.shippedNames }

    /// Creates a wire without faults in the dialect of a shipped profile; nil when none has this name.
    public init?(profileNamed name: String) {
        guard let profile = MessageProfile.shipped(name) else { return nil }
        self.init(profile)
    }
}

/// A card of a simulated session, with its issuer account and its cardholder.
public struct PlannedCard: Sendable {
    /// The name by which steps refer to it.
    public var name: String
    /// The card, its account, and its cardholder's behavior.
    public var profile: CardProfile

    /// - Parameters:
    ///   - profile: the card.
    ///   - name: the name by which steps refer to it; nil for the profile's name.
    public init(_ profile: CardProfile, name: String? = nil) {
        (self.name, self.profile) = (name ?? profile.name, profile)
    }
}

/// The store site of a simulated session. Requests stay in this process, and its clock is the session's.
public struct PlannedStore: Sendable {
    /// The number of generated orders at the start.
    public var orders: Int
    /// Orders awaiting in-person payment, created at the start in this order. Their currency must be the store's, USD.
    public var unpaid: [Money]
    /// Faults for requests to the site. They do not apply to the creation of the unpaid orders.
    public var faults: [FaultRule]
    /// Whether the site has the Stripe extension in addition to WooPayments.
    public var hasStripe: Bool

    /// Creates a store; by default without orders or faults.
    public init(orders: Int = 0, unpaid: [Money] = [], faults: [FaultRule] = [], hasStripe: Bool = false) {
        (self.orders, self.unpaid, self.faults, self.hasStripe) = (orders, unpaid, faults, hasStripe)
    }
}
