public import Acquirer
public import Determinism
public import ISO8583
public import Money
public import Settings
public import Simulator
public import StoreSite
public import TillConfiguration

/// A simulated session as described in a file: the initial state, the steps, and the expected results.
///
/// A file with a matrix yields several scenarios. Values from a file have been checked: the cards exist, the issuer's
/// rules are valid, and the amounts fit their currencies.
public struct Scenario: Sendable, CustomStringConvertible {
    /// The file's name without its extension, with the case in brackets if the file has several: `approve[card=amex]`.
    public var name: String
    /// The location in the file or source.
    public var location: SettingsLocation
    /// One sentence that describes the scenario.
    public var summary: String
    /// Words for selecting scenarios.
    public var tags: [String]
    /// Why the scenario fails for now; nil when it must pass.
    public var expectedFailure: String?
    /// The random seed; nil for that of the run.
    public var seed: UInt64?
    /// The virtual clock at the start.
    public var clock: ClockSetup
    /// The readers, in the order in which they are plugged in.
    public var readers: [ReaderSetup]
    /// The card for steps that name none.
    public var card: CardSetup
    /// The cards on the till's exception file.
    public var exceptions: [CardSetup]
    /// The rules by which the issuer answers.
    public var issuerRules: IssuerRules
    /// The wire to the issuer; nil when the till has the issuer in its own process.
    public var wire: WireSetup?
    /// The store; nil for none.
    public var site: SiteSetup?
    /// The second till, when it takes payments of its own; nil when there is none, or one without a reader.
    public var secondTill: SecondTillSetup?
    /// The condition of the receipt printer.
    public var printer: SimulatedPrinterCondition
    /// The condition of the disk.
    public var disk: DiskCondition
    /// The till's configuration.
    public var till: TillConfiguration
    /// The protocol of a till whose requests are among the steps; nil for steps of the till itself.
    public var tillProtocol: TillProtocol?
    /// The steps, in order.
    public var steps: [ScenarioStep]
    /// The expected results after the last step.
    public var expectations: [Expectation]
    /// The sections of the golden file beside the scenario.
    public var golden: [GoldenSection]
    /// Whether the scenario comes from a file or from code.
    public var origin = Origin.file

    /// The origin of a scenario.
    public enum Origin: Hashable, Sendable { case file, code }

    /// Creates a scenario. The defaults are those of a file.
    public init(
        name: String, summary: String, card: CardSetup, readers: [ReaderSetup] = [ReaderSetup()],
        steps: [ScenarioStep], location: SettingsLocation = .nowhere
    ) {
        (self.name, self.location, self.summary) = (name, location, summary)
        (tags, expectedFailure, seed, clock) = ([], nil, nil, ClockSetup())
        (self.readers, self.card, self.steps) = (readers, card, steps)
        (issuerRules, wire, site, printer, disk, till) = (IssuerRules(), nil, nil, .ready, .working, .standard)
        (exceptions, expectations, golden) = ([], [], [])
    }

    public var description: String { name }
}

/// A wire to a simulated acquirer, which asks the issuer.
public struct WireSetup: Sendable {
    /// The acquirer's dialect.
    public var profile: MessageProfile
    /// What goes wrong at the acquirer. The first fault that applies to a message counts.
    public var faults: [AcquirerFault]
    /// How many of a hundred messages about money get another fault at random: 0...100.
    public var faultPercent: Int

    /// Takes the dialect of the messages and what goes wrong. `faultPercent` is 0...100.
    public init(_ profile: MessageProfile, faults: [AcquirerFault] = [], faultPercent: Int = 0) {
        (self.profile, self.faults, self.faultPercent) = (profile, faults, faultPercent)
    }
}

/// A card and its cardholder.
public struct CardSetup: Sendable {
    /// The card's name in the scenario. One name is one physical card, which keeps its counters between payments.
    public var name: String
    /// The card, its account, and the cardholder's behavior.
    public var profile: CardProfile

    /// Names a card. Steps with one name share one physical card, with its counters.
    public init(name: String, profile: CardProfile) { (self.name, self.profile) = (name, profile) }
}

/// A reader.
public struct ReaderSetup: Sendable {
    /// The name by which steps refer to the reader.
    public var name: String
    /// The reader model.
    public var model: SimulatedReader
    /// Whether the reader is plugged in at the start.
    public var isPluggedIn: Bool
    /// The battery charge in percent; nil for a full battery or none.
    public var battery: UInt8?
    /// Faults that are armed at the start.
    public var faults: [SimulatedReaderFault]

    /// Names a reader for steps. `battery` is in percent; nil for a full battery or none.
    public init(
        name: String = "reader", model: SimulatedReader = .chip(.tpdu), isPluggedIn: Bool = true,
        battery: UInt8? = nil, faults: [SimulatedReaderFault] = []
    ) {
        (self.name, self.model, self.isPluggedIn) = (name, model, isPluggedIn)
        (self.battery, self.faults) = (battery, faults)
    }
}

/// A second till that takes payments at the same time, as a process of its own.
public struct SecondTillSetup: Sendable {
    /// Whether it keeps its records in a database of its own; otherwise it has those of the first till.
    public var ownsDatabase: Bool
    /// Its reader.
    public var reader: ReaderSetup
    /// Its customers' card, which is another one than that of the first till.
    public var card: CardSetup

    /// The name of its reader in events.
    public static let readerName = "second-till"
    /// The words of a file for whose database it has.
    static let databases: KeyValuePairs<String, Bool> = ["shared": false, "own": true]

    /// Creates a second till; by default, it shares the database of the first one.
    public init(
        card: CardSetup, ownsDatabase: Bool = false, reader: ReaderSetup = ReaderSetup(name: SecondTillSetup.readerName)
    ) {
        (self.card, self.ownsDatabase, self.reader) = (card, ownsDatabase, reader)
    }
}

/// The simulated store that orders come from.
public struct SiteSetup: Hashable, Sendable {
    /// The number of generated orders at the start.
    public var orders: Int
    /// The totals of the unpaid orders.
    public var unpaid: [Money]
    /// Faults for requests.
    public var faults: [FaultRule]

    /// Creates a store with this many generated orders, and with an unpaid order for each amount.
    public init(orders: Int = 0, unpaid: [Money] = [], faults: [FaultRule] = []) {
        (self.orders, self.unpaid, self.faults) = (orders, unpaid, faults)
    }
}

/// The virtual clock at the start.
public struct ClockSetup: Hashable, Sendable {
    /// The time at which the session begins.
    public var start: Timestamp
    /// The local time zone, in seconds east of UTC.
    public var offsetSeconds: Int

    /// Creates a clock; by default, at the simulator's standard start time in UTC.
    public init(start: Timestamp = VirtualTimeSource.standardStart, offsetSeconds: Int = 0) {
        (self.start, self.offsetSeconds) = (start, offsetSeconds)
    }
}
