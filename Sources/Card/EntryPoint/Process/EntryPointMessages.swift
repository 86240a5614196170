public import EMV
public import SmartCard
import Text

/// A step of the reader for Entry Point. The actions of one answer are carried out in their order; each is complete
/// before the next begins.
public enum EntryPointAction: Equatable, Sendable {
    /// Adds a message to the reader's ``MessageQueue``.
    case show(UserInterfaceRequest)
    /// Switches the field on if it is off, and looks for cards until one is found
    /// (``EntryPointEvent/cardDetected``, ``EntryPointEvent/collision``).
    case poll
    /// Sends a command to the card, and passes on ``EntryPointEvent/response(_:took:)`` or
    /// ``EntryPointEvent/failed(_:)``. Always the last action of an answer.
    case transmit(CommandAPDU)
    /// Switches the field off, and waits for this time.
    case pauseField(Duration)
    case switchFieldOff
    /// Passes an outcome on to the till.
    case deliver(FinalOutcome)
    /// Watches for the card to leave the field, without waiting for it: ``EntryPointEvent/cardRemoved``, or
    /// ``EntryPointEvent/removalTimedOut`` after this time.
    case watchRemoval(within: Duration)
    /// The transaction ends without another word of the card: the host's answer, also that it cannot be reached,
    /// decides.
    case applyHostDecision
}

/// An event at the reader.
public enum EntryPointEvent: Hashable, Sendable {
    /// One card is in the field and powered.
    case cardDetected
    /// Several cards are in the field.
    case collision
    /// After a collision, no more than one card is left.
    case collisionEnded
    /// The card's answer, and the time from the command's first byte to the answer's last one.
    case response(ResponseAPDU, took: Duration)
    /// The command has no answer. ``CardChannelError/canceled`` says that the transaction has to end.
    case failed(CardChannelError)
    /// The card left the field. Known only where the reader watches for it.
    case cardRemoved
    /// The card did not leave the field in time.
    case removalTimedOut
    /// The result of the authorization that an Online Request asked for.
    case hostAnswered(OnlineAuthorizationResult)
    /// No card came in time, or the transaction was canceled, while the reader polls. During an exchange with the card,
    /// ``failed(_:)`` says so.
    case stop

    /// The name of the event, without its data.
    public var name: String {
        switch self {
        case .cardDetected: "card detected"
        case .collision: "collision"
        case .collisionEnded: "collision ended"
        case .response: "response"
        case .failed: "failed exchange"
        case .cardRemoved: "card removed"
        case .removalTimedOut: "removal timed out"
        case .hostAnswered: "answer of the host"
        case .stop: "stop"
        }
    }
}

/// The event that Entry Point waits for.
public enum EntryPointPhase: String, Hashable, Sendable {
    /// Nothing: a transaction may begin.
    case idle
    /// A card.
    case polling
    /// Cards to leave the field, until no more than one is left.
    case collision
    /// The answer to SELECT of the directory.
    case readingDirectory = "reading the directory"
    /// The answer to SELECT of an application.
    case selecting = "selecting an application"
    /// The answer to a command of the kernel.
    case kernel = "running a kernel"
    /// The host's answer.
    case awaitingHost = "awaiting the host"
}

/// Why Entry Point did not take a transaction or an event. Nothing has changed then.
public enum EntryPointError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request is not valid.
    case request(TransactionRequestError)
    /// The reader has no combination for the transaction type.
    case transactionType(TransactionRequest.Kind)
    /// The limits of a combination are in another currency than the amount.
    case currency(aid: [UInt8], limits: String, amount: String)
    /// A transaction was begun in a phase other than ``EntryPointPhase/idle``.
    case busy(EntryPointPhase)
    /// The event, by its name, does not fit the phase.
    case unexpected(event: String, EntryPointPhase)

    public var description: String {
        switch self {
        case .request(let error): error.description
        case .transactionType(let kind):
            "no contactless application for transaction type \(kind.rawValue.hexadecimal): configure one, or use "
                + "another interface"
        case .currency(let aid, let limits, let amount):
            "the limits of contactless application \(aid.hexadecimal) are in \(limits), the amount is in \(amount): "
                + "configure limits in \(amount)"
        case .busy(let phase):
            "a contactless transaction runs already (\(phase.rawValue)): end it before the next one begins"
        case .unexpected(let event, let phase):
            "unexpected event '\(event)' of the reader (\(phase.rawValue)): report it, with the reader's log"
        }
    }
}
