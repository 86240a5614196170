public import Determinism
public import Hardware
public import Simulator

/// What a simulated session begins with: the readers, the cards, the issuer, the store, the printer, the disk and the
/// clock. The same plan and the same steps give the same session, byte for byte.
public struct SessionPlan: Sendable {
    /// Where the till keeps its records.
    public enum Journal: Hashable, Sendable {
        /// A database that lives as long as the session; it outlives the processes in it.
        case memory
        /// A database in a file, flushed at every commit as in a shop. The issuer's book stands beside it. Two sessions
        /// must not have the same file.
        case file(String)
        /// The same in a file that another session had before, and that another one will have. The issuer's book stands
        /// beside it.
        case shared(SessionJournals)
    }

    /// Everything that is left to chance comes from here.
    public var seed: UInt64
    /// When the session begins.
    public var start: Timestamp
    /// Seconds east of UTC of the clock on the wall.
    public var utcOffsetSeconds: Int
    /// At least one; the first is the one that is used where none is named.
    public var readers: [PlannedReader]
    /// The cards that there are; the first is the one that is used where none is named.
    public var cards: [PlannedCard]
    /// By which rules the issuer answers.
    public var issuerRules: IssuerRules
    /// What goes wrong between the terminal and the issuer; the first that fits a message counts.
    public var issuerFaults: [IssuerFaultRule]
    /// The store that somebody is signed in to; nil when nobody is.
    public var store: PlannedStore?
    /// The till's configuration.
    public var till: TillConfiguration
    /// How the printer is.
    public var printer: PrinterCondition
    /// How the disk is that the journal is on.
    public var disk: DiskCondition
    /// Where the till keeps its records.
    public var journal: Journal
    /// Whether the log has the exchanges with the card. They are the longest part of it.
    public var logsExchanges: Bool
    /// Gets every event when it happens, before anything else does; nil when nobody wants it. It is on the session's
    /// thread, and must not wait.
    public var observer: (@Sendable (SessionEvent) -> Void)?
    /// The longest time that a step may take on the virtual clock. One that is still waiting then waits for something
    /// that will never come.
    public var longestStep: Duration
    /// How many pieces of work all of the session may take: one with more goes round in circles.
    public var mostTurns: Int
    /// Gets the target and the body of every request to the store site when it leaves; nil when nobody wants them. It
    /// is on the session's thread, and must not wait.
    public var requestObserver: (@Sendable (_ target: String, _ body: [UInt8]) -> Void)?

    /// A session with one reader and one card, and nothing that goes wrong.
    ///
    /// - Parameters:
    ///   - cards: the cards that there are.
    ///   - readers: the readers, plugged in or not.
    ///   - seed: everything that is left to chance comes from it.
    public init(cards: [PlannedCard], readers: [PlannedReader] = [PlannedReader()], seed: UInt64 = 1) {
        (self.cards, self.readers, self.seed) = (cards, readers, seed)
        (start, utcOffsetSeconds) = (VirtualTimeSource.standardStart, 0)
        (issuerRules, issuerFaults, store) = (IssuerRules(), [], nil)
        (till, printer, disk, journal) = (.standard, .ready, .working, .memory)
        (logsExchanges, longestStep, mostTurns) = (true, .seconds(86_400), .max)
    }

    /// The same with one built-in card.
    ///
    /// - Parameters:
    ///   - card: the name of a built-in profile, or a path to one.
    ///   - seed: everything that is left to chance comes from it.
    /// - Throws: `CardProfileError`
    public init(card: String, seed: UInt64 = 1) throws(CardProfileError) {
        self.init(cards: [PlannedCard(try CardProfileLibrary.profile(card))], seed: seed)
    }
}
