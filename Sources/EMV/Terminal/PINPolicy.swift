/// What the terminal lets a cardholder do about the PIN (EMV Book 4 §6.3.4).
public struct PINPolicy: Hashable, Sendable {
    /// Where a plaintext offline PIN is typed. An enciphered one, and one for the issuer, need a PIN pad that has
    /// the keys for it: they are always typed at the terminal.
    public enum Entry: String, Hashable, Sendable, CaseIterable {
        /// On the reader's own keys where it has some, else at the terminal.
        case readerFirst
        /// On the reader's own keys and nowhere else: no PIN ever reaches the terminal.
        case reader
        /// At the terminal, whatever the reader has.
        case terminal
    }

    /// What it means that the cardholder cancels an entry on the reader's keys, or lets its time go by. Those
    /// keys have no other way to say that there will be no PIN.
    public enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The payment stops.
        case stops
        /// PIN entry is passed over, if ``PINPolicy/allowsBypass`` lets it be.
        case bypasses
    }

    /// PIN entry may be passed over at an attended terminal (Book 4 §6.3.4.3). When it may not, passing it over
    /// stops the payment.
    public var allowsBypass: Bool
    /// A PIN passed over once is asked for no more, whatever PIN method comes next in the card's list.
    public var bypassCoversLaterMethods: Bool
    /// How often the PIN is asked for in one transaction, whatever the card's own counter says; at least 1.
    public var maximumTries: Int
    public var entry: Entry
    public var readerRefusal: Refusal
    /// How long the cardholder may take on the reader's keys, in seconds; at least 1.
    public var readerSeconds: UInt8

    public init(
        allowsBypass: Bool = true, bypassCoversLaterMethods: Bool = true, maximumTries: Int = 3,
        entry: Entry = .readerFirst, readerRefusal: Refusal = .stops, readerSeconds: UInt8 = 30
    ) {
        (self.allowsBypass, self.bypassCoversLaterMethods) = (allowsBypass, bypassCoversLaterMethods)
        self.maximumTries = max(1, maximumTries)
        (self.entry, self.readerRefusal) = (entry, readerRefusal)
        self.readerSeconds = max(1, readerSeconds)
    }
}
