public import Money
public import Payments
public import Settings
public import Simulator
public import StoreSite

/// A step of a scenario and its expected results.
public struct ScenarioStep: Sendable {
    /// The location in the file or source.
    public var location: SettingsLocation
    /// The action.
    public var action: ScenarioAction
    /// The actions that happen during the step.
    public var interruptions: [Interruption]
    /// The expected results.
    public var expectations: [Expectation]

    /// Takes an action, what happens meanwhile, and what must be true afterward. `location` is its place in a file.
    public init(
        _ action: ScenarioAction, interruptions: [Interruption] = [], expectations: [Expectation] = [],
        location: SettingsLocation = .nowhere
    ) {
        (self.location, self.action) = (location, action)
        (self.interruptions, self.expectations) = (interruptions, expectations)
    }
}

/// An action in a session.
public enum ScenarioAction: Sendable {
    /// Connects a reader; nil for the only or most recently used one.
    case connect(reader: String?)
    /// Disconnects the reader.
    case disconnect
    /// Takes a payment.
    case pay(PayAction)
    /// Retries the last payment that did not succeed.
    case retry
    /// Captures a pre-authorization, all of it or a part.
    case capture(FollowUpAction)
    /// Adds an amount to what a pre-authorization holds.
    case increment(IncrementAction)
    /// Gives back what a pre-authorization holds, by the payment's position in the scenario, from 1; nil for the last
    /// one.
    case cancelPayment(Int?)
    /// Refunds a payment.
    case refund(FollowUpAction)
    /// Cancels the current step.
    case cancel
    /// Installs the firmware that the configuration offers.
    case update
    /// Unplugs a reader; nil for the only or most recently used one.
    case unplug(reader: String?)
    /// Plugs a reader in; nil for the only or most recently used one.
    case plug(reader: String?)
    /// Inserts a card without a prompt; nil for the scenario's card.
    case insertCard(CardSetup?)
    /// Removes the card.
    case removeCard
    /// Swipes a card without a prompt; nil for the scenario's card.
    case swipeCard(CardSetup?)
    /// Holds a card in the field without a prompt; nil for the scenario's card.
    case tapCard(CardSetup?)
    /// Moves the card out of the field.
    case moveAway
    /// The owner of the scenario's device unlocks it.
    case unlock
    /// Suspends the machine. Afterward, devices are enumerated anew unless they are kept.
    case sleep(Duration, keepsDevices: Bool)
    /// Stops the program normally and starts it again on the same records.
    case restart
    /// Kills the program.
    case crash
    /// Recovers unfinished payments with inquiries to the host.
    case recover
    /// Sends the pending payment notifications to the store.
    case settle
    /// Prints a receipt.
    case print(PrintAction)
    /// Prints a receipt again, which marks it as a duplicate.
    case reprint(PrintAction)
    /// Lets simulated time pass.
    case wait(Duration)
    /// Repairs the issuer, the store, the printer, and the disk: removes rules and faults, and cancels planned acts.
    case mend
    /// Changes the world around the till.
    case set(WorldChange)
    /// Sends a till's request to the terminal.
    case ask(TillRequest)

    /// The action's word in a file.
    public var word: String {
        switch self {
        case .connect: "connect"
        case .disconnect: "disconnect"
        case .pay: "pay"
        case .retry: "retry"
        case .capture: "capture"
        case .increment: "increment"
        case .cancelPayment: "cancelPayment"
        case .refund: "refund"
        case .cancel: "cancel"
        case .update: "update"
        case .unplug: "unplug"
        case .plug: "plug"
        case .insertCard: "insertCard"
        case .removeCard: "removeCard"
        case .swipeCard: "swipeCard"
        case .tapCard: "tapCard"
        case .moveAway: "moveAway"
        case .unlock: "unlock"
        case .sleep: "sleep"
        case .restart: "restart"
        case .crash: "crash"
        case .recover: "recover"
        case .settle: "settle"
        case .print: "print"
        case .reprint: "reprint"
        case .wait: "wait"
        case .mend: "mend"
        case .set: "set"
        case .ask: "ask"
        }
    }
}

/// Options of a payment.
public struct PayAction: Sendable {
    /// The amount or order to pay.
    public enum Bill: Hashable, Sendable {
        /// An amount that the clerk enters.
        case amount(Money)
        /// An order of the store by its position in ``SiteSetup/unpaid``, from 1.
        case order(Int)
    }

    /// The amount or order to pay.
    public var bill: Bill
    /// The card to present; nil for the scenario's card.
    public var card: CardSetup?
    /// Whether the cardholder presents and removes the card.
    public var presentsCard: Bool
    /// The time that the reader waits for a card.
    public var timeout: Duration
    /// Whether to go online even if the card accepts offline.
    public var forcesOnline: Bool
    /// Whether the amount is only held, and captured later.
    public var authorizesOnly: Bool
    /// Whether an approval of a part of the amount is taken.
    public var allowsPartial: Bool

    /// Sets the options. A nil `card` is that of the scenario; `timeout` ends the wait for it.
    public init(
        _ bill: Bill, card: CardSetup? = nil, presentsCard: Bool = true, timeout: Duration = .seconds(60),
        forcesOnline: Bool = false, authorizesOnly: Bool = false, allowsPartial: Bool = false
    ) {
        (self.authorizesOnly, self.allowsPartial) = (authorizesOnly, allowsPartial)
        (self.bill, self.card, self.presentsCard) = (bill, card, presentsCard)
        (self.timeout, self.forcesOnline) = (timeout, forcesOnline)
    }
}

/// Options of a refund, or of a capture: which earlier payment, and how much of it.
public struct FollowUpAction: Hashable, Sendable {
    /// The amount to refund or to capture; nil for the rest.
    public var amount: Money?
    /// The payment's position in the scenario, from 1; nil for the last one.
    public var payment: Int?

    /// Names a payment of the scenario by its position, from 1; without any, it is the whole rest of the last one.
    public init(amount: Money? = nil, payment: Int? = nil) { (self.amount, self.payment) = (amount, payment) }
}

/// Options of an increment.
public struct IncrementAction: Hashable, Sendable {
    /// What is added to the amount that is held.
    public var amount: Money
    /// The payment's position in the scenario, from 1; nil for the last one.
    public var payment: Int?

    public init(amount: Money, payment: Int? = nil) { (self.amount, self.payment) = (amount, payment) }
}

/// Options of a print.
public struct PrintAction: Hashable, Sendable {
    /// The customer's or the merchant's copy.
    public var copy: ReceiptCopy
    /// The payment's position in the scenario, from 1; nil for the last one.
    public var payment: Int?

    /// Takes the position of the payment in the scenario, from 1; nil is the last.
    public init(copy: ReceiptCopy = .customer, payment: Int? = nil) { (self.copy, self.payment) = (copy, payment) }
}

/// An action that happens during a step.
public struct Interruption: Sendable {
    /// When the action happens.
    public enum Trigger: Hashable, Sendable {
        /// After a delay from the start of the step.
        case time(Duration)
        /// After a delay from the `count`-th event of the step that begins with these words.
        case event(String, count: Int, delay: Duration)
    }

    /// The location in the file or source.
    public var location: SettingsLocation
    /// When the action happens.
    public var trigger: Trigger
    /// The action.
    public var action: ScenarioAction

    /// Does an action when the trigger fires; `location` is its place in a file.
    public init(_ trigger: Trigger, _ action: ScenarioAction, location: SettingsLocation = .nowhere) {
        (self.location, self.trigger, self.action) = (location, trigger, action)
    }
}

/// A change in the world around the till.
public struct WorldChange: Sendable {
    /// The issuer's new rules; nil for no change.
    public var issuerRules: IssuerRules?
    /// Faults to add at the store.
    public var siteFaults: [FaultRule]
    /// The printer's new condition; nil for no change.
    public var printer: SimulatedPrinterCondition?
    /// The disk's new condition; nil for no change.
    public var disk: DiskCondition?
    /// The reader's new battery charge in percent; nil for no change.
    public var battery: UInt8?
    /// Faults to arm in the reader.
    public var readerFaults: [SimulatedReaderFault]
    /// Whether to remove the reader's faults that have not happened yet, before others are armed.
    public var repairsReader: Bool
    /// Faults to add on the way to the issuer.
    public var linkFaults: [LinkFault] = []
    /// The time after which the issuer, which dies, starts again; nil when it does not die.
    public var issuerDown: Duration?
    /// The time after which the store's server, which dies, starts again; nil when it does not die.
    public var siteDown: Duration?
    /// How far someone sets the till's clock forward; negative for back, zero for not at all.
    public var clockJump = Duration.zero
    /// Whether the till that takes payments counts as dead from now on.
    public var losesLease = false
    /// The act of a second till; nil for none.
    public var neighbor: NeighborAct?
    /// What a customer pays at the second till meanwhile; nil for nothing.
    public var neighborPays: PayAction.Bill?

    /// Creates a change. Values that are left out stay unchanged.
    public init(
        issuerRules: IssuerRules? = nil, siteFaults: [FaultRule] = [], printer: SimulatedPrinterCondition? = nil,
        disk: DiskCondition? = nil, battery: UInt8? = nil, readerFaults: [SimulatedReaderFault] = [],
        repairsReader: Bool = false
    ) {
        (self.issuerRules, self.siteFaults, self.printer) = (issuerRules, siteFaults, printer)
        (self.disk, self.battery, self.readerFaults) = (disk, battery, readerFaults)
        self.repairsReader = repairsReader
    }
}
