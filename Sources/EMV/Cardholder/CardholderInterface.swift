public import CardSecrets

/// What the kernel asks of the person in front of the terminal.
public protocol CardholderInterface: Sendable {
    /// Lets the cardholder choose among the applications that card and terminal both support, in
    /// order of priority. Called when there are several, or when the card wants one confirmed.
    ///
    /// - Returns: an index into `applications`; nil when the cardholder cancels.
    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int?

    /// Asks for the PIN.
    func enterPIN(_ prompt: PINPrompt) async -> PINEntry

    /// Makes the PIN block that goes to the issuer, from the PIN just entered: the PIN pad's own work,
    /// under its own key.
    ///
    /// - Returns: nil when the PIN pad has no key.
    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock?
}

/// An application as offered to the cardholder.
public struct ApplicationChoice: Hashable, Sendable {
    /// Preferred name, or label, in the card's own words.
    public var name: String
    /// 5...16 bytes
    public var aid: [UInt8]
    /// 1 highest ... 15; nil when the card states none.
    public var priority: UInt8?
    /// The card asks for the cardholder's confirmation before this application is used (87, b8).
    public var needsConfirmation: Bool

    public init(name: String, aid: [UInt8], priority: UInt8?, needsConfirmation: Bool) {
        (self.name, self.aid, self.priority) = (name, aid, priority)
        self.needsConfirmation = needsConfirmation
    }
}

/// Why the PIN is asked for.
public struct PINPrompt: Hashable, Sendable {
    /// Who verifies the PIN: the card, or the issuer.
    public enum Method: Hashable, Sendable { case offline, online }

    /// Whose keys the PIN is typed on.
    public enum Place: Hashable, Sendable {
        /// Asked by ``CardholderInterface/enterPIN(_:)``.
        case terminal
        /// Asked by the reader itself, which keeps the PIN to itself: nobody else is asked.
        case reader
    }

    public var method: Method
    public var place: Place
    /// How many tries the card has left; nil when it does not say.
    public var triesLeft: UInt8?
    /// Whether the PIN entered before was wrong.
    public var isRetry: Bool

    public init(method: Method, place: Place = .terminal, triesLeft: UInt8?, isRetry: Bool) {
        (self.method, self.place) = (method, place)
        (self.triesLeft, self.isRetry) = (triesLeft, isRetry)
    }

    /// The next wrong PIN blocks the card's PIN.
    public var isLastTry: Bool { triesLeft == 1 }
}

/// How asking for the PIN ended.
public enum PINEntry: ~Copyable, Sendable {
    /// 4...12 digits, one a byte with values 0...9.
    case entered(SensitiveBytes)
    /// The cardholder or the attendant passed PIN entry over.
    case bypassed
    /// The cardholder wants to stop the payment.
    case cancelled
    /// There is no PIN pad, or it does not work.
    case unavailable
}
