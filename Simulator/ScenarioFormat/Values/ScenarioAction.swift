/// What can be done in a session.
public enum ScenarioAction: Sendable {
    /// Connects a reader; nil for the only one, or the one that was used last.
    case connect(reader: String?)
    /// Lets go of the reader.
    case disconnect
    /// Takes a payment.
    case pay(PayAction)
    /// Tries the last payment again that did not come to an end, as a clerk does who presses the button again.
    case retry
    /// Gives money back.
    case refund(RefundAction)
    /// Stops what is under way.
    case cancel
    /// Installs the firmware that the configuration offers.
    case update
    /// Pulls a reader out; nil for the only one, or the one that was used last.
    case unplug(reader: String?)
    /// Plugs a reader in; nil for the only one, or the one that was used last.
    case plug(reader: String?)
    /// Puts a card in, or takes it out, while nobody asks for it; nil for the standard card.
    case insertCard(CardSetup?)
    /// Pulls the card out.
    case removeCard
    /// Swipes a card while nobody asks for it; nil for the standard card.
    case swipeCard(CardSetup?)
    /// The machine sleeps for so long; its devices are new ones afterwards, unless they are kept.
    case sleep(Duration, keepsDevices: Bool)
    /// The program ends as it does when it is told to, and starts again on the same records.
    case restart
    /// The program is gone from one moment to the next.
    case crash
    /// Asks the host about what was left open.
    case recover
    /// Tells the store of what it has not been told yet.
    case settle
    /// Prints a receipt.
    case print(PrintAction)
    /// Prints a receipt again, which marks it as a duplicate.
    case reprint(PrintAction)
    /// Lets time pass.
    case wait(Duration)
    /// Issuer, store, printer and disk work again: rules and faults are gone, and what was still to happen does not.
    case mend
    /// Changes the world around the till.
    case set(WorldChange)

    /// The word that it has in a file.
    public var word: String {
        switch self {
        case .connect: "connect"
        case .disconnect: "disconnect"
        case .pay: "pay"
        case .retry: "retry"
        case .refund: "refund"
        case .cancel: "cancel"
        case .update: "update"
        case .unplug: "unplug"
        case .plug: "plug"
        case .insertCard: "insertCard"
        case .removeCard: "removeCard"
        case .swipeCard: "swipeCard"
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
        }
    }
}
