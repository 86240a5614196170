public import Hardware
public import SettingsFile
public import Simulator

/// A simulated session as a file describes it: what there is, what happens, and what must come of it.
///
/// A file with a matrix makes several of these. Everything in it has been checked: the cards exist, the issuer's rules can
/// be read, the amounts have the digits of their currency.
public struct Scenario: Sendable, CustomStringConvertible {
    /// The file's name without its ending, with the case in brackets where the file has several: `approve[card=amex]`.
    public var name: String
    /// Where it stands.
    public var location: SettingsLocation
    /// One sentence on what it shows.
    public var summary: String
    /// Words to choose it by.
    public var tags: [String]
    /// Why it does not do yet what it expects; nil when it does.
    public var expectedFailure: String?
    /// What chance is made of; nil when the run decides.
    public var seed: UInt64?
    /// The virtual clock at the beginning.
    public var clock: ClockSetup
    /// In the order in which they are plugged in.
    public var readers: [ReaderSetup]
    /// What is presented when a step names no card.
    public var card: CardSetup
    /// By which rules the issuer answers.
    public var issuerRules: IssuerRules
    /// The store that orders come from; nil when there is none.
    public var site: SiteSetup?
    /// How the receipt printer is.
    public var printer: ScenarioPrinter
    /// How the disk is.
    public var disk: ScenarioDisk
    /// The till's configuration.
    public var till: TillConfiguration
    /// What happens, in order.
    public var steps: [ScenarioStep]
    /// What must be so after the last step.
    public var expectations: [Expectation]
    /// What is compared with the golden file beside the scenario.
    public var golden: [GoldenSection]
    /// Where it comes from.
    public var origin = Origin.file

    /// Where a scenario is written.
    public enum Origin: Hashable, Sendable { case file, code }

    /// A scenario that no file describes yet. What is not given is as in a file that does not say it.
    public init(
        name: String, summary: String, card: CardSetup, readers: [ReaderSetup] = [ReaderSetup()],
        steps: [ScenarioStep], location: SettingsLocation = .nowhere
    ) {
        (self.name, self.location, self.summary) = (name, location, summary)
        (tags, expectedFailure, seed, clock) = ([], nil, nil, ClockSetup())
        (self.readers, self.card, self.steps) = (readers, card, steps)
        (issuerRules, site, printer, disk, till) = (IssuerRules(), nil, .ready, .working, .standard)
        (expectations, golden) = ([], [])
    }

    public var description: String { name }
}
