/// What kind of thing happened in a simulated session. Beside each stands what its detail says.
public enum SessionEventKind: String, Hashable, Sendable, Codable, CaseIterable {
    // MARK: What the session's steps did

    /// A step began: its words.
    case step
    /// A step ended: its words, and how it ended.
    case stepEnded = "step_ended"
    /// Something was done to the world, by a step or because something was seen: its words.
    case act
    /// The process died.
    case crash
    /// A process began. The first one began with the session.
    case start

    // MARK: The world

    /// The name of the reader.
    case pluggedIn = "plugged_in"
    /// The name of the reader.
    case unplugged
    /// A card came into a reader, by whosever hand: the name of the reader.
    case cardIn = "card_in"
    /// A card left a reader: the name of the reader.
    case cardOut = "card_out"

    // MARK: What the reader service told

    /// It waits for a card: the ways, as `insert,swipe`.
    case waiting
    /// What is shown: the text.
    case display
    /// A card is in the slot.
    case cardInserted = "card_inserted"
    /// A card was swiped.
    case cardSwiped = "card_swiped"
    /// The card is out.
    case cardRemoved = "card_removed"
    /// The kernel's phase: its word, as `cardholder_verification`.
    case kernel
    /// All that is needed of the card is read.
    case cardDetailsCollected = "card_details_collected"
    /// The host is about to be asked.
    case authorizing
    /// The reader asks for the card to be taken out.
    case removeCard = "remove_card"
    /// The payment was approved and the card is out.
    case approvedAndRemoved = "approved_and_removed"
    /// In percent.
    case lowBattery = "low_battery"
    /// In percent.
    case batteryResolved = "battery_resolved"
    /// What is done about a reader that does not answer: `abort`.
    case recovering
    /// Why: `unplugged`.
    case disconnected
    /// `reconnecting 1`, `succeeded`, `failed`
    case reconnection
    /// Firmware: `installing 40`, `available`
    case update

    // MARK: What crossed a boundary

    /// Command and answer in hexadecimal digits, masked: `00A4… 6F…9000`.
    case apdu
    /// The kind of message, and `sent`, `answered` with the response code, or `failed`: `authorize sent`.
    case host
    /// A request to the store site was answered: method, route and status; 0 when no answer came.
    case site
    /// A print job: its state and its number.
    case print

    // MARK: What the till did

    /// An action was dispatched: its name and arguments.
    case action
    /// An attempt's new state is about to be committed; see ``journal``.
    case saving
    /// An attempt's new state was committed: the state, the payment's attempt and its kind: `authorizing 1 sale`.
    case journal
    /// What is known at the store site of a payment was committed: `sent P000001`.
    case capture
    /// A receipt was committed: its kind and payment.
    case receipt
    /// A print job's state was committed: `accepted 1`.
    case printJob = "print_job"
    /// The disk refused a commit: why.
    case diskRefused = "disk_refused"
}
