/// What a simulated reader does wrong, as data: each field is one fault that real firmware is known for. A value
/// without arguments is a reader that behaves.
public struct ReaderMisbehaviour: Hashable, Sendable {
    /// A command that comes sooner than this after power or a bus reset makes the firmware hang.
    public var deafTime: Duration = .zero
    /// The reader claims keys and refuses every PIN entry.
    public var hasNoKeys = false
    /// The one value of bNumberMessage that a PIN entry may have.
    public var pinMessages: UInt8?
    /// wPINMaxExtraDigit is read with its two bytes exchanged.
    public var swapsPINDigits = false
    /// The exchange level that the firmware has, whatever dwFeatures claims.
    public var level: SimulatedReaderModel.ExchangeLevel?
    /// The longest part of an answer that comes in several messages.
    public var partLength: Int?
    /// Above this rate, bit/s, every exchange with a card ends with a parity error.
    public var reliableDataRate: Int?
    /// A PPS is never answered.
    public var hangsOnProtocolSelection = false
    /// S(IFS request) is never answered.
    public var hangsOnIFSDNegotiation = false
    /// An answer that fills its last packet never leaves the reader.
    public var hangsOnFullPackets = false
    /// The longest message that the firmware takes, whatever dwMaxCCIDMessageLength claims; a longer one stalls.
    public var messageLength: Int?
    /// What bMaxSlotIndex claims, as a number of slots.
    public var claimedSlotCount: Int?
    /// After so many NotifySlotChange no more come.
    public var noticesBeforeSilence: Int?
    /// A notification that is sent before each NotifySlotChange and means nothing.
    public var otherNotice: [UInt8]?
    /// ABORT, by request or by message, kills the firmware until the reader is plugged in again.
    public var diesOnAbort = false
    /// The reader and its companions hang when one of them gets a command while another is at work.
    public var hangsWhenShared = false
    /// Class requests of the control endpoint stall.
    public var hasNoClassRequests = false
    /// bInterfaceClass
    public var interfaceClass: UInt8 = 0x0B
    /// Suspended after it was closed for so long, the firmware hangs until a bus reset.
    public var losesItselfWhenClosed: Duration?
    /// A card that was put in is called active before anybody powered it.
    public var callsNewCardsActive = false
    /// XfrBlock without a card is called done.
    public var callsMissingCardsDone = false
    /// What follows the header of a failed PowerOn.
    public var bytesAfterFailure: [UInt8] = []
    /// Commands with this instruction byte are called done, with an answer of no bytes.
    public var emptyAnswerInstruction: UInt8?
    /// The endpoints are listed the other way round.
    public var reversesEndpoints = false
    /// bcdCCID
    public var classRelease: UInt16 = 0x0110

    public init() {}
}
