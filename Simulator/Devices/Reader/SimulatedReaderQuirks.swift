/// Readers with defects seen in real ones, one fault each. They use a test ID of pid.codes and names that say what is
/// wrong. Give one the IDs of a real reader with ``disguised(asVendor:product:release:)`` where the driver has to
/// recognize it.
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

    /// Never sends an answer that fills whole packets.
    public static let stuckPackets = quirk("stuck-packets", "loses full packets") {
        $0.misbehavior.hangsOnFullPackets = true
    }
    /// Needs nearly a second before its first command, and fifty for its first answer.
    public static let slowStart = quirk("slow-start", "starts slowly") {
        $0.misbehavior.deafTime = .milliseconds(900)
        $0.startTime = .seconds(50)
    }
    /// Claims a PIN pad and has none.
    public static let falsePINPad = quirk("false-pinpad", "claims a PIN pad") {
        $0.pinSupport = 1
        $0.misbehavior.hasNoKeys = true
    }
    /// Has no display and accepts a PIN entry only with one message.
    public static let pinMessages = quirk("pin-messages", "strict PIN pad", .pinpad) {
        $0.displayLayout = 0
        $0.misbehavior.pinMessages = 1
    }
    /// Swaps the minimum and maximum number of PIN digits.
    public static let pinDigits = quirk("pin-digits", "swapped PIN lengths", .pinpad) {
        $0.misbehavior.swapsPINDigits = true
    }
    /// Claims short APDU level and chains long answers as at extended APDU level.
    public static let chaining = quirk("chaining", "chains answers", .shortAPDU) {
        $0.misbehavior.level = .extendedAPDU
        $0.misbehavior.partLength = 128
    }
    /// Claims extended APDU level and accepts only short commands.
    public static let shortOnly = quirk("short-only", "claims extended APDU", .extendedAPDU) {
        $0.misbehavior.level = .shortAPDU
    }
    /// Claims short APDU level and accepts only TPDUs.
    public static let tpduOnly = quirk("tpdu-only", "claims short APDU", .tpdu) {
        $0.level = .shortAPDU
        $0.misbehavior.level = .tpdu
    }
    /// Accepts data rates at which it cannot transfer.
    public static let highRates = quirk("data-rate", "fails at high rates") {
        $0.misbehavior.reliableDataRate = 200_000
    }
    /// Never answers a PPS.
    public static let noPPS = quirk("no-pps", "no PPS") {
        $0.misbehavior.hangsOnProtocolSelection = true
    }
    /// Never answers S(IFS request).
    public static let noIFSD = quirk("no-ifsd", "no IFSD negotiation") {
        $0.misbehavior.hangsOnIFSDNegotiation = true
    }
    /// Claims to accept any message and accepts only short ones.
    public static let messageLength = quirk("message-length", "claims long messages", .extendedAPDU) {
        $0.maximumMessageLength = 65_554
        $0.misbehavior.messageLength = 271
    }
    /// Claims two slots and has one.
    public static let slotCount = quirk("slot-count", "claims a second slot") {
        $0.misbehavior.claimedSlotCount = 2
    }
    /// Notifies the host of its first slot change and of no other.
    public static let lostNotices = quirk("lost-notices", "loses notifications") {
        $0.misbehavior.maximumNotices = 1
    }
    /// Hangs on ABORT.
    public static let noAbort = quirk("no-abort", "crashes on ABORT") { $0.misbehavior.diesOnAbort = true }
    /// Reports interface class FF.
    public static let vendorClass = quirk("vendor-class", "class FF") {
        $0.misbehavior.interfaceClass = 0xFF
    }
    /// Hangs after a suspend.
    public static let suspend = quirk("suspend", "hangs after a suspend") {
        $0.misbehavior.hangsAfterSuspendOf = .seconds(2)
    }
    /// Two slots, each with its own interface, that hang when both are used at once.
    public static let sharedFirmware = quirk("shared-firmware", "hangs with two slots in use") {
        $0.companions = [.tpdu]
        $0.misbehavior.hangsWhenShared = true
    }
    /// Demands more of a driver than CCID 1.1: like QEMU's reader, with faults of others that need no quirk entry.
    public static let demanding = quirk("demanding", "demanding") {
        $0.protocols = 0b01
        $0.pinSupport = 1
        $0.maximumMessageLength = 65_554
        $0.fullPacketHabit = .zeroLengthBefore
        $0.misbehavior.hasNoKeys = true
        $0.misbehavior.hasNoClassRequests = true
        $0.misbehavior.reportsNewCardsActive = true
        $0.misbehavior.reportsSuccessWithoutCard = true
        $0.misbehavior.bytesAfterFailure = [0x3B, 0x60, 0x00, 0x00]
        $0.misbehavior.emptyAnswerInstruction = 0x70
        $0.misbehavior.extraNotice = [0x40, 0x01]
        $0.misbehavior.reversesEndpoints = true
        $0.misbehavior.classRelease = 0x0000
    }
    /// Claims a maximum message length below the longest short command, but accepts that command.
    public static let shortMessages = quirk("short-messages", "claims short messages", .shortAPDU) {
        $0.maximumMessageLength = 263
        $0.misbehavior.messageLength = 271
    }

    /// All models with defects.
    public static let faulty = [
        stuckPackets, slowStart, falsePINPad, pinMessages, pinDigits, chaining, shortOnly, tpduOnly, highRates, noPPS,
        noIFSD, messageLength, slotCount, lostNotices, noAbort, vendorClass, suspend, sharedFirmware, demanding,
        shortMessages,
    ]

    /// Returns the model with this name, with or without defects.
    public static func named(_ name: String) -> SimulatedReaderModel? { (all + faulty).first { $0.name == name } }

    /// Returns the same reader with the IDs of another one. Its strings stay the same.
    public func disguised(
        asVendor vendor: UInt16, product: UInt16, release: UInt16? = nil
    ) -> SimulatedReaderModel {
        var model = self
        (model.vendorID, model.productID, model.release) = (vendor, product, release ?? self.release)
        return model
    }

    /// The exchange level the firmware really implements.
    var actualLevel: ExchangeLevel { misbehavior.level ?? level }
    /// The longest message the firmware really accepts, in bytes.
    var actualMessageLength: Int { misbehavior.messageLength ?? maximumMessageLength }
}
