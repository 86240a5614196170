/// A documented reader fault that the driver tolerates with every reader. It needs no row in the quirk table, and a row
/// that names it changes nothing: it only records where the fault was seen.
public enum ToleratedFault: String, CaseIterable, Hashable, Sendable {
    /// Transfers of zero bytes before or after an answer that fills its last packet.
    case zeroLengthPackets
    /// A card inserted while another one was powered is reported as active, although it has no power.
    case newCardCalledActive
    /// XfrBlock without a card is reported as successful; only the slot status shows that there is none.
    case doneWithoutCard
    /// The answer to a failed PowerOn contains an ATR.
    case bytesAfterFailure
    /// A failed exchange is reported as successful, with an empty answer.
    case emptyAnswer
    /// dwMaxCCIDMessageLength is too small for the longest short command, or larger than any message can be.
    case wrongMessageLength
    /// The class requests on the control endpoint stall, including ABORT.
    case noClassRequests
    /// The reader sends answers to commands of a program that used it before.
    case staleAnswers
    /// Notifications that are about no slot.
    case otherNotifications
    /// The class descriptor follows the endpoints instead of preceding them.
    case lateClassDescriptor
    /// The endpoints come in another order than CCID 1.1 §4.6 lists them, with numbers of their own.
    case endpointOrder
    /// bcdCCID is not a release of the specification.
    case wrongRelease

    /// How the driver handles it.
    public var answer: String {
        switch self {
        case .zeroLengthPackets: "it skips empty transfers, and reads on within the same deadline"
        case .newCardCalledActive: "it counts removals, and powers a card off before it powers it on"
        case .doneWithoutCard: "it checks the slot status in every answer"
        case .bytesAfterFailure: "it takes an ATR only from a successful command"
        case .emptyAnswer: "an answer without a status word is an error of the exchange"
        case .wrongMessageLength: "it limits messages to between 271 and 65,554 bytes"
        case .noClassRequests: "it aborts with the message alone, and resets the device when that does not help"
        case .staleAnswers: "it skips answers with another number or slot, and reads on within the same deadline"
        case .otherNotifications: "it skips everything except NotifySlotChange and HardwareError"
        case .lateClassDescriptor: "it finds the class descriptor anywhere in the interface"
        case .endpointOrder: "it identifies endpoints by type and direction"
        case .wrongRelease: "it ignores the release"
        }
    }

    /// The place where it is documented.
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
