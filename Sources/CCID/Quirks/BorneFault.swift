/// A fault that is on record for readers and that the driver bears with every reader: no row is needed for it, and
/// none switches anything on. Rows name it where it was seen.
public enum BorneFault: String, CaseIterable, Hashable, Sendable {
    /// Transfers of zero bytes before or after an answer that fills its last packet.
    case zeroLengthPackets
    /// A card that was put in while another one was powered is called active, though nobody powered it.
    case newCardCalledActive
    /// XfrBlock without a card is called done; only the slot status says that there is none.
    case doneWithoutCard
    /// The answer to a failed PowerOn carries an ATR.
    case bytesAfterFailure
    /// An exchange that failed is called done, with an answer of no bytes.
    case emptyAnswer
    /// dwMaxCCIDMessageLength is too small for the longest short command, or larger than any message can be.
    case wrongMessageLength
    /// The class requests of the control endpoint stall, ABORT among them.
    case noClassRequests
    /// Answers to commands of a program that had the reader before.
    case staleAnswers
    /// Notifications that speak of no slot.
    case otherNotifications
    /// The class descriptor stands behind the endpoints instead of before them.
    case lateClassDescriptor
    /// The endpoints come in another order than CCID 1.1 §4.6 lists them, with numbers of their own.
    case endpointOrder
    /// bcdCCID names no release of the specification.
    case wrongRelease

    /// What the driver does about it.
    public var answer: String {
        switch self {
        case .zeroLengthPackets: "an empty transfer is never an answer: it reads on, within the same deadline"
        case .newCardCalledActive: "it counts removals, and powers a card off before it powers it on"
        case .doneWithoutCard: "it looks at the slot status of every answer"
        case .bytesAfterFailure: "it takes an ATR from a command that is done, and from no other"
        case .emptyAnswer: "an answer without a status word is an error of the exchange"
        case .wrongMessageLength: "it sends and reads no fewer than 271 bytes and no more than 65,554"
        case .noClassRequests: "it aborts by the message alone, and resets the device when that does not help"
        case .staleAnswers: "an answer with another number or slot is never ours: it reads on, within the same deadline"
        case .otherNotifications: "it passes over what is no NotifySlotChange or HardwareError"
        case .lateClassDescriptor: "it takes the class descriptor wherever it stands in the interface"
        case .endpointOrder: "it knows endpoints by type and direction"
        case .wrongRelease: "it does not ask for the release"
        }
    }

    /// Where it is on record.
    public var source: String {
        switch self {
        case .zeroLengthPackets: "libccid 1.8.4 src/ccid.c (ENABLE_ZLP); open-keychain/open-keychain#2842; QEMU 7.2"
        case .newCardCalledActive, .doneWithoutCard, .bytesAfterFailure, .noClassRequests, .staleAnswers:
            "QEMU 7.2, seen on the wire"
        case .emptyAnswer: "LudovicRousseau/pyscard#18"
        case .wrongMessageLength: "libccid 1.8.4 src/commands.c (263 bytes); QEMU 7.2 (65,554 bytes)"
        case .otherNotifications: "LudovicRousseau/CCID#154"
        case .lateClassDescriptor: "libccid 1.8.4 src/ccid_usb.c (O2MICRO_OZ776_PATCH)"
        case .endpointOrder: "libccid 1.8.4 src/ccid_usb.c (get_end_points)"
        case .wrongRelease: "GnuPG scd/ccid-driver.c (a warning for all but 1.0)"
        }
    }
}
