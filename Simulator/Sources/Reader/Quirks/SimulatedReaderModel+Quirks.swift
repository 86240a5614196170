/// Readers that misbehave as real ones do, one fault each. They carry a test identifier of pid.codes and honest names;
/// give one a real reader's identifiers with ``disguised(asVendor:product:release:)`` where a driver has to know it.
extension SimulatedReaderModel {
    private static func quirk(
        _ fault: String, _ product: String, _ base: SimulatedReaderModel = .tpdu,
        change: (inout SimulatedReaderModel) -> Void
    ) -> SimulatedReaderModel {
        var model = base
        (model.name, model.product, model.productID) = ("quirk-" + fault, "Simulated reader: " + product, 0x000F)
        model.serialNumber = fault
        change(&model)
        return model
    }

    /// Firmware that never sends an answer of whole packets.
    public static let stuckPackets = quirk("stuck-packets", "loses full packets") {
        $0.misbehaviour.hangsOnFullPackets = true
    }
    /// Needs nearly a second before its first command, and fifty for its first answer.
    public static let slowStart = quirk("slow-start", "starts slowly") {
        $0.misbehaviour.deafTime = .milliseconds(900)
        $0.startTime = .seconds(50)
    }
    /// Claims keys and has none.
    public static let falsePINPad = quirk("false-pinpad", "claims a PIN pad") {
        $0.pinSupport = 1
        $0.misbehaviour.hasNoKeys = true
    }
    /// Has no display and asks for a PIN only with the number of messages for one.
    public static let pinMessages = quirk("pin-messages", "picky PIN pad", .pinpad) {
        $0.displayLayout = 0
        $0.misbehaviour.pinMessages = 1
    }
    /// Reads the fewest and most digits of a PIN the other way round.
    public static let pinDigits = quirk("pin-digits", "confused PIN pad", .pinpad) {
        $0.misbehaviour.swapsPINDigits = true
    }
    /// Says short APDU, and gives long answers in parts as at extended APDU level.
    public static let chaining = quirk("chaining", "chains answers", .shortAPDU) {
        $0.misbehaviour.level = .extendedAPDU
        $0.misbehaviour.partLength = 128
    }
    /// Says extended APDU, and takes short commands only.
    public static let shortOnly = quirk("short-only", "claims extended APDU", .extendedAPDU) {
        $0.misbehaviour.level = .shortAPDU
    }
    /// Says short APDU, and takes TPDUs only.
    public static let tpduOnly = quirk("tpdu-only", "claims short APDU", .tpdu) {
        $0.level = .shortAPDU
        $0.misbehaviour.level = .tpdu
    }
    /// Takes rates at which it cannot exchange.
    public static let highRates = quirk("data-rate", "fails at high rates") {
        $0.misbehaviour.reliableDataRate = 200_000
    }
    /// Never answers a PPS.
    public static let noPPS = quirk("no-pps", "carries no PPS") {
        $0.misbehaviour.hangsOnProtocolSelection = true
    }
    /// Never answers S(IFS request).
    public static let noIFSD = quirk("no-ifsd", "bears no IFSD negotiation") {
        $0.misbehaviour.hangsOnIFSDNegotiation = true
    }
    /// Claims to take any message, and takes short ones.
    public static let messageLength = quirk("message-length", "claims long messages", .extendedAPDU) {
        $0.maximumMessageLength = 65_554
        $0.misbehaviour.messageLength = 271
    }
    /// Claims two slots and has one.
    public static let slotCount = quirk("slot-count", "claims a second slot") {
        $0.misbehaviour.claimedSlotCount = 2
    }
    /// Tells of its first change and of no other.
    public static let lostNotices = quirk("lost-notices", "loses notifications") {
        $0.misbehaviour.noticesBeforeSilence = 1
    }
    /// Does not survive ABORT.
    public static let noAbort = quirk("no-abort", "dies of ABORT") { $0.misbehaviour.diesOnAbort = true }
    /// Says class FF.
    public static let vendorClass = quirk("vendor-class", "says class FF") {
        $0.misbehaviour.interfaceClass = 0xFF
    }
    /// Does not come back from a suspend by itself.
    public static let suspend = quirk("suspend", "hangs after a suspend") {
        $0.misbehaviour.losesItselfWhenClosed = .seconds(2)
    }
    /// Two slots behind an interface each, which hang when both are used at a time.
    public static let sharedFirmware = quirk("shared-firmware", "hangs with two slots in use") {
        $0.companions = [.tpdu]
        $0.misbehaviour.hangsWhenShared = true
    }
    /// Asks more of a driver than CCID 1.1 does: as QEMU's reader, with the faults of others that need no row.
    public static let demanding = quirk("demanding", "asks much of a driver") {
        $0.protocols = 0b01
        $0.pinSupport = 1
        $0.maximumMessageLength = 65_554
        $0.fullPacketHabit = .zeroLengthBefore
        $0.misbehaviour.hasNoKeys = true
        $0.misbehaviour.hasNoClassRequests = true
        $0.misbehaviour.callsNewCardsActive = true
        $0.misbehaviour.callsMissingCardsDone = true
        $0.misbehaviour.bytesAfterFailure = [0x3B, 0x60, 0x00, 0x00]
        $0.misbehaviour.emptyAnswerInstruction = 0x70
        $0.misbehaviour.otherNotice = [0x40, 0x01]
        $0.misbehaviour.reversesEndpoints = true
        $0.misbehaviour.classRelease = 0x0000
    }
    /// Claims messages that are too short for the longest short command, and takes it.
    public static let shortMessages = quirk("short-messages", "claims short messages", .shortAPDU) {
        $0.maximumMessageLength = 263
        $0.misbehaviour.messageLength = 271
    }

    /// Every model that misbehaves.
    public static let faulty = [
        stuckPackets, slowStart, falsePINPad, pinMessages, pinDigits, chaining, shortOnly, tpduOnly, highRates, noPPS,
        noIFSD, messageLength, slotCount, lostNotices, noAbort, vendorClass, suspend, sharedFirmware, demanding,
        shortMessages,
    ]

    /// The model with this name, of those that behave and those that do not.
    public static func named(_ name: String) -> SimulatedReaderModel? { (all + faulty).first { $0.name == name } }

    /// The same reader with the identifiers of another one. What it says in words stays what it is.
    public func disguised(
        asVendor vendor: UInt16, product: UInt16, release: UInt16? = nil
    ) -> SimulatedReaderModel {
        var model = self
        (model.vendorID, model.productID, model.release) = (vendor, product, release ?? self.release)
        return model
    }

    /// The exchange level that the firmware has.
    var actualLevel: ExchangeLevel { misbehaviour.level ?? level }
    /// The longest message that the firmware takes.
    var actualMessageLength: Int { misbehaviour.messageLength ?? maximumMessageLength }
}
