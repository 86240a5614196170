public import CardSecrets

/// The kernel's questions to the cardholder.
public protocol CardholderInterface: Sendable {
    /// Asks the cardholder to choose among the applications that card and terminal both support, in order of priority.
    /// Called when there are several, or when the card requires confirmation.
    ///
    /// - Returns: an index into `applications`; nil when the cardholder cancels.
    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int?

    /// Asks the cardholder to choose an account. Called when the card asks for the account type and the terminal offers
    /// the choice.
    ///
    /// - Parameters:
    ///   - types: the values of tag 5F57 to choose from, besides the default account.
    ///   - languages: the card's preferred languages, by ISO 639-1 code, the first one most.
    /// - Returns: one of `types`; nil for the default account.
    func chooseAccountType(_ types: [UInt8], languages: [String]) async -> UInt8?

    /// Asks for the PIN.
    func enterPIN(_ prompt: PINPrompt) async -> PINEntry

    /// Enciphers the PIN just entered into a PIN block for the issuer, under the PIN pad's key.
    ///
    /// - Returns: nil when the PIN pad has no key.
    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock?
}

extension CardholderInterface {
    /// Takes the default account.
    public func chooseAccountType(_ types: [UInt8], languages: [String]) async -> UInt8? { nil }
}

/// An application offered to the cardholder.
public struct ApplicationChoice: Hashable, Sendable {
    /// The card's application preferred name, or its label.
    public var name: String
    /// 5...16 bytes.
    public var aid: [UInt8]
    /// 1 (highest) to 15; nil if the card states none.
    public var priority: UInt8?
    /// Whether the card requires the cardholder's confirmation of this application (87, b8).
    public var needsConfirmation: Bool

    /// Names an application as the cardholder sees it. `aid` has 5 to 16 bytes; a `priority` of 1 is the highest.
    public init(name: String, aid: [UInt8], priority: UInt8?, needsConfirmation: Bool) {
        (self.name, self.aid, self.priority) = (name, aid, priority)
        self.needsConfirmation = needsConfirmation
    }
}

/// The details of a PIN request.
public struct PINPrompt: Hashable, Sendable {
    /// The verifier of the PIN: the card, or the issuer.
    public enum Method: Hashable, Sendable { case offline, online }

    /// The device on which the PIN is entered.
    public enum Place: Hashable, Sendable {
        /// On the terminal, through ``CardholderInterface/enterPIN(_:)``.
        case terminal
        /// On the reader's own keys. The PIN does not leave the reader, and ``CardholderInterface/enterPIN(_:)`` is not
        /// called.
        case reader
    }

    public var method: Method
    public var place: Place
    /// The number of PIN tries left; nil when the card does not return it.
    public var triesLeft: UInt8?
    /// Whether the previous PIN was wrong.
    public var isRetry: Bool
    /// The card's preferred languages (5F2D), by ISO 639-1 code, the first one most; empty if the card states none.
    public var languages: [String]

    /// Describes a request for a PIN. `triesLeft` is nil if the card does not tell; `languages` are ISO 639-1 codes.
    public init(
        method: Method, place: Place = .terminal, triesLeft: UInt8?, isRetry: Bool, languages: [String] = []
    ) {
        (self.method, self.place) = (method, place)
        (self.triesLeft, self.isRetry, self.languages) = (triesLeft, isRetry, languages)
    }

    /// Whether the next wrong PIN blocks the PIN on the card.
    public var isLastTry: Bool { triesLeft == 1 }
}

/// The result of a PIN request.
public enum PINEntry: ~Copyable, Sendable {
    /// 4...12 digits, one per byte with values 0...9.
    case entered(SensitiveBytes)
    /// The cardholder or the attendant bypassed PIN entry.
    case bypassed
    /// The cardholder canceled the payment.
    case canceled
    /// The PIN pad is missing or not working.
    case unavailable
}
