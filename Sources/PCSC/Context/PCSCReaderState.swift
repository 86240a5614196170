/// What is known of a reader and its card.
public struct PCSCReaderState: Hashable, Sendable {
    /// A pseudo reader whose state changes when a reader comes or goes.
    public static let readerList = PCSCReaderState(reader: #"\\?PnP?\Notification"#)

    public let reader: String
    /// SCARD_STATE_CHANGED left out.
    public var flags: Flags
    /// How often a card came or went, modulo 65,536.
    public var events: UInt16
    /// The card's answer to reset; empty without one.
    public var answerToReset: [UInt8]

    /// A reader of which nothing is known yet. The first wait for it to change returns at once.
    public init(reader: String) { self.init(reader: reader, flags: [], events: 0, answerToReset: []) }

    init(reader: String, flags: Flags, events: UInt16, answerToReset: [UInt8]) {
        (self.reader, self.flags, self.events) = (reader, flags, events)
        self.answerToReset = answerToReset
    }

    /// The low half of `dwEventState` (PC/SC part 5; the values are those of pcsclite.h).
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        static let changed = Flags(rawValue: 0x0002)
        /// No such reader.
        public static let unknown = Flags(rawValue: 0x0004)
        /// The reader does not answer.
        public static let unavailable = Flags(rawValue: 0x0008)
        /// No card.
        public static let empty = Flags(rawValue: 0x0010)
        /// A card.
        public static let present = Flags(rawValue: 0x0020)
        /// A program has connected to the card for itself alone.
        public static let exclusive = Flags(rawValue: 0x0080)
        /// Programs have connected to the card.
        public static let inUse = Flags(rawValue: 0x0100)
        /// The card does not answer.
        public static let mute = Flags(rawValue: 0x0200)
    }

    /// Whether the reader is gone.
    public var isGone: Bool { !flags.isDisjoint(with: [.unknown, .unavailable]) }
}
