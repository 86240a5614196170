/// What kind of reader a simulated reader is, as data. The models here carry test identifiers of the
/// open-hardware registry pid.codes (1209:0001 to 1209:000E, set aside for tests), so that none is taken for a vendor's product.
public struct SimulatedReaderModel: Hashable, Sendable {
    /// Who does T=0 and T=1 (CCID 1.1 §5.1, dwFeatures).
    public enum ExchangeLevel: UInt32, Hashable, Sendable {
        /// The host: the reader carries single bytes.
        case character = 0
        /// The host: the reader exchanges single TPDUs or blocks.
        case tpdu = 0x1_0000
        /// The reader, for commands of up to 261 bytes.
        case shortAPDU = 0x2_0000
        /// The reader, for any command, in several messages when it is long.
        case extendedAPDU = 0x4_0000

        /// The host runs T=0 and T=1.
        var leavesProtocolToHost: Bool { self == .character || self == .tpdu }
    }

    /// What the reader does after an answer of whole packets (a multiple of 64 bytes), which no short packet ends.
    public enum FullPacketHabit: Hashable, Sendable {
        /// It ends the transfer with a zero-length packet, as USB 2.0 §5.8.3 asks.
        case endsTransfer
        /// It ends the transfer and then answers the next read with zero bytes.
        case zeroLengthAfter
        /// It answers with zero bytes first; the answer comes on the next read.
        case zeroLengthBefore
    }

    /// bVoltageSupport (CCID 1.1 §5.1) and what a card runs on.
    public struct Voltages: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let volts5 = Voltages(rawValue: 1)
        public static let volts3 = Voltages(rawValue: 2)
        public static let volts1_8 = Voltages(rawValue: 4)
        public static let all: Voltages = [.volts5, .volts3, .volts1_8]
    }

    /// Bits of dwFeatures without the exchange level.
    public struct Features: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The reader takes the parameters of the ATR by itself.
        public static let automaticParameters = Features(rawValue: 0x2)
        public static let automaticVoltage = Features(rawValue: 0x8)
        public static let automaticClock = Features(rawValue: 0x10)
        public static let automaticBaudRate = Features(rawValue: 0x20)
        /// The reader negotiates the protocol by itself.
        public static let automaticPPS = Features(rawValue: 0x80)
        public static let clockStop = Features(rawValue: 0x100)
        /// The reader announces its information field size in T=1 by itself.
        public static let automaticIFSD = Features(rawValue: 0x400)
    }

    /// Short name, for example `tpdu`.
    public var name: String
    public var vendorID: UInt16
    public var productID: UInt16
    /// bcdDevice
    public var release: UInt16 = 0x0100
    public var manufacturer = "CardPresent"
    public var product: String
    public var serialNumber: String?
    public var level: ExchangeLevel
    public var features: Features
    public var voltages = Voltages.all
    /// Protocols that the reader speaks: bit 0 for T=0, bit 1 for T=1 (dwProtocols).
    public var protocols: UInt32 = 0b11
    /// dwMaxCCIDMessageLength: the longest message, header included.
    public var maximumMessageLength = 271
    /// The longest T=1 information field that the reader takes, 1...254.
    public var maximumIFSD: UInt8 = 254
    /// 1...16
    public var slotCount = 1
    public var hasInterruptEndpoint = true
    public var speed = USBSpeed.full
    /// The reader has a field instead of contacts. It makes the answer to reset itself, as PC/SC part 3 §3.1.3.2.3 has
    /// it, and whole commands go to the card.
    public var isContactless = false
    /// From power, or a bus reset, until the reader answers; what it is asked before that is answered then.
    public var startTime = Duration.zero
    /// Further readers in the same device, each behind an interface of its own.
    public var companions: [SimulatedReaderModel] = []
    /// The head for magnetic stripes in the same device, behind an interface of its own; nil when there is none.
    public var stripeReader: SimulatedMSRModel?
    /// What the reader's keys are for: bit 0 PIN verification, bit 1 PIN modification (bPINSupport). The firmware
    /// has verification only.
    public var pinSupport: UInt8 = 0
    /// Lines in the high byte and characters a line in the low byte; 0 without a display (wLcdLayout).
    public var displayLayout: UInt16 = 0
    public var fullPacketHabit = FullPacketHabit.endsTransfer
    /// Whether a stalled endpoint stays halted until the host clears it; a reader that does not refuses to clear it.
    public var keepsHalts = true
    /// How long a card takes from power to its ATR.
    public var activationTime: Duration = .milliseconds(10)
    /// How the reader takes firmware (DFU); nil for one that keeps what it has.
    public var firmware: SimulatedFirmwareHabits?
    /// What the reader answers to Escape; it knows no other.
    public var escapeAnswers: [[UInt8]: [UInt8]] = [:]
    /// What it does wrong.
    public var misbehaviour = ReaderMisbehaviour()

    public init(
        name: String, vendorID: UInt16 = 0x1209, productID: UInt16, product: String, level: ExchangeLevel,
        features: Features
    ) {
        (self.name, self.vendorID, self.productID, self.product) = (name, vendorID, productID, product)
        (self.level, self.features) = (level, features)
    }

    /// A plain reader that leaves the protocols to the host.
    public static let tpdu = SimulatedReaderModel(
        name: "tpdu", productID: 0x0001, product: "Simulated TPDU reader", level: .tpdu,
        features: [.automaticClock, .automaticBaudRate, .clockStop])

    /// A plain reader for T=0 cards alone.
    public static let tpduT0: SimulatedReaderModel = {
        var model = tpdu
        (model.name, model.productID, model.product) = ("tpdu-t0", 0x0006, "Simulated T=0 reader")
        model.protocols = 0b01
        return model
    }()

    /// A reader that speaks the protocols itself, for short commands.
    public static let shortAPDU = SimulatedReaderModel(
        name: "short-apdu", productID: 0x0002, product: "Simulated short APDU reader", level: .shortAPDU,
        features: automatic)

    /// A reader that speaks the protocols itself. Its messages are short, so long commands come in several.
    public static let extendedAPDU = SimulatedReaderModel(
        name: "extended-apdu", productID: 0x0003, product: "Simulated extended APDU reader", level: .extendedAPDU,
        features: automatic)

    /// A short APDU reader with a battery. It tells its charge when it gets the Escape command `BAT`: the
    /// same three bytes, then percent.
    public static let battery: SimulatedReaderModel = {
        var model = SimulatedReaderModel(
            name: "battery", productID: 0x0004, product: "Simulated reader with battery", level: .shortAPDU,
            features: automatic)
        model.setBatteryLevel(percent: 100)
        return model
    }()

    /// A short APDU reader with keys and a display of two lines. It takes the PIN itself and puts it into the
    /// VERIFY command, so that the host never sees it.
    public static let pinpad: SimulatedReaderModel = {
        var model = SimulatedReaderModel(
            name: "pinpad", productID: 0x0005, product: "Simulated reader with PIN pad", level: .shortAPDU,
            features: automatic)
        (model.pinSupport, model.displayLayout) = (1, 0x0210)
        return model
    }()

    /// A plain reader with two slots behind one interface.
    public static let dualSlot: SimulatedReaderModel = {
        var model = tpdu
        (model.name, model.productID, model.product) = ("dual-slot", 0x0007, "Simulated reader with two slots")
        model.slotCount = 2
        return model
    }()

    /// A short APDU reader with a field: cards have a contactless answer to reset, and the reader takes its time to
    /// start.
    public static let contactless: SimulatedReaderModel = {
        var model = SimulatedReaderModel(
            name: "contactless", productID: 0x0008, product: "Simulated contactless reader", level: .shortAPDU,
            features: automatic)
        (model.isContactless, model.protocols) = (true, 0b10)
        (model.startTime, model.activationTime) = (.milliseconds(300), .milliseconds(60))
        return model
    }()

    /// A device with a short APDU reader and a contactless one, each behind an interface of its own.
    public static let dualInterface: SimulatedReaderModel = {
        var model = shortAPDU
        (model.name, model.productID, model.product) = ("dual-interface", 0x0009, "Simulated dual interface reader")
        model.companions = [contactless]
        return model
    }()

    /// A plain reader with a head for magnetic stripes.
    public static let combo: SimulatedReaderModel = {
        var model = tpdu
        (model.name, model.productID, model.product) = ("combo", 0x000A, "Simulated chip and magnetic stripe reader")
        model.stripeReader = .pointOfSale
        return model
    }()

    /// The reader with a battery, whose firmware can be replaced. In update mode its product is 000E.
    public static let updatable: SimulatedReaderModel = {
        var model = battery
        (model.name, model.productID, model.product) = ("updatable", 0x000D, "Simulated updatable reader")
        model.serialNumber = "UPD00001"
        model.firmware = SimulatedFirmwareHabits(updateProductID: 0x000E)
        return model
    }()

    /// Every model that comes with the simulator.
    public static let all = [
        tpdu, shortAPDU, extendedAPDU, battery, pinpad, tpduT0, dualSlot, contactless, dualInterface, combo, updatable,
    ]

    /// Slots of the device: its own and its companions'.
    public var totalSlotCount: Int { companions.reduce(max(1, slotCount)) { $0 + max(1, $1.slotCount) } }

    /// Makes the model answer the Escape command of ``battery`` with this charge.
    ///
    /// - Parameter percent: 0...100
    public mutating func setBatteryLevel(percent: UInt8) {
        let command = Array("BAT".utf8)
        escapeAnswers[command] = command + [min(percent, 100)]
    }

    private static let automatic: Features = [
        .automaticParameters, .automaticVoltage, .automaticClock, .automaticBaudRate, .automaticPPS, .automaticIFSD,
    ]
}
