import USB

/// A model of a simulated reader, as data. The models here use the test IDs of the open-hardware registry pid.codes
/// (1209:0001 to 1209:000E), so that none is mistaken for a vendor's product.
public struct SimulatedReaderModel: Hashable, Sendable {
    /// Which side runs T=0 and T=1 (CCID 1.1 §5.1, dwFeatures).
    public enum ExchangeLevel: UInt32, Hashable, Sendable {
        /// The host; the reader transfers single bytes.
        case character = 0
        /// The host; the reader transfers single TPDUs or blocks.
        case tpdu = 0x1_0000
        /// The reader, for commands of up to 261 bytes.
        case shortAPDU = 0x2_0000
        /// The reader, for all commands; long ones are split into several messages.
        case extendedAPDU = 0x4_0000

        /// Whether the host runs T=0 and T=1.
        var leavesProtocolToHost: Bool { self == .character || self == .tpdu }
    }

    /// The reader's behavior after an answer that fills whole packets (a multiple of 64 bytes), which no short packet
    /// ends.
    public enum FullPacketBehavior: Hashable, Sendable {
        /// Ends the transfer with a zero-length packet, as USB 2.0 §5.8.3 requires.
        case endsTransfer
        /// Ends the transfer and then answers the next read with zero bytes.
        case zeroLengthAfter
        /// Answers with zero bytes first; the answer follows on the next read.
        case zeroLengthBefore
    }

    /// bVoltageSupport (CCID 1.1 §5.1), and the voltages at which a card works.
    public struct Voltages: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        /// Takes the field as it is in the descriptor.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let volts5 = Voltages(rawValue: 1)
        public static let volts3 = Voltages(rawValue: 2)
        public static let volts1_8 = Voltages(rawValue: 4)
        public static let all: Voltages = [.volts5, .volts3, .volts1_8]
    }

    /// The bits of dwFeatures other than the exchange level.
    public struct Features: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32
        /// Takes the field as it is in the descriptor, without the exchange level.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The reader sets the parameters from the ATR by itself.
        public static let automaticParameters = Features(rawValue: 0x2)
        public static let automaticVoltage = Features(rawValue: 0x8)
        public static let automaticClock = Features(rawValue: 0x10)
        public static let automaticBaudRate = Features(rawValue: 0x20)
        /// The reader negotiates the protocol by itself.
        public static let automaticPPS = Features(rawValue: 0x80)
        public static let clockStop = Features(rawValue: 0x100)
        /// The reader negotiates its T=1 information field size by itself.
        public static let automaticIFSD = Features(rawValue: 0x400)
    }

    /// The short name, for example `tpdu`.
    public var name: String
    public var vendorID: UInt16
    public var productID: UInt16
    /// bcdDevice.
    public var release: UInt16 = 0x0100
    public var manufacturer = "CardPresent"
    public var product: String
    public var serialNumber: String?
    public var level: ExchangeLevel
    public var features: Features
    public var voltages = Voltages.all
    /// The supported protocols: bit 0 for T=0, bit 1 for T=1 (dwProtocols).
    public var protocols: UInt32 = 0b11
    /// dwMaxCCIDMessageLength: the longest message, header included.
    public var maximumMessageLength = 271
    /// The longest T=1 information field that the reader accepts, 1...254.
    public var maximumIFSD: UInt8 = 254
    /// The number of slots, 1...16.
    public var slotCount = 1
    public var hasInterruptEndpoint = true
    public var speed = USBSpeed.full
    /// Whether the reader is contactless. It then builds the ATR itself (PC/SC part 3 §3.1.3.2.3) and passes whole
    /// commands to the card.
    public var isContactless = false
    /// The time from power-up or bus reset until the reader answers; earlier commands are answered then.
    public var startTime = Duration.zero
    /// Further readers in the same device, each with its own interface.
    public var companions: [SimulatedReaderModel] = []
    /// The magnetic stripe head in the same device, with its own interface; nil if there is none.
    public var stripeReader: SimulatedMSRModel?
    /// The PIN functions (bPINSupport): bit 0 verification, bit 1 modification. The firmware implements only
    /// verification.
    public var pinSupport: UInt8 = 0
    /// wLcdLayout: lines in the high byte, characters per line in the low byte; 0 without a display.
    public var displayLayout: UInt16 = 0
    public var fullPacketHabit = FullPacketBehavior.endsTransfer
    /// Whether a stalled endpoint stays halted until the host clears it. If not, the reader refuses to clear it.
    public var keepsHalts = true
    /// The time from power-up of a card to its ATR.
    public var activationTime: Duration = .milliseconds(10)
    /// How the reader accepts firmware (DFU); nil if its firmware cannot be replaced.
    public var firmware: SimulatedFirmwareOptions?
    /// The answers to Escape commands; all others fail.
    public var escapeAnswers: [[UInt8]: [UInt8]] = [:]
    /// The reader's defects.
    public var misbehavior = ReaderMisbehavior()

    /// Describes a model by what its descriptors tell. All that is not given here is that of an ordinary reader.
    public init(
        name: String, vendorID: UInt16 = 0x1209, productID: UInt16, product: String, level: ExchangeLevel,
        features: Features
    ) {
        (self.name, self.vendorID, self.productID, self.product) = (name, vendorID, productID, product)
        (self.level, self.features) = (level, features)
    }

    /// A basic reader that leaves the protocols to the host.
    public static let tpdu = SimulatedReaderModel(
        name: "tpdu", productID: 0x0001, product: "Simulated TPDU reader", level: .tpdu,
        features: [.automaticClock, .automaticBaudRate, .clockStop])

    /// A basic reader for T=0 cards only.
    public static let tpduT0: SimulatedReaderModel = {
        var model = tpdu
        (model.name, model.productID, model.product) = ("tpdu-t0", 0x0006, "Simulated T=0 reader")
        model.protocols = 0b01
        return model
    }()

    /// A reader that runs the protocols itself, for short commands.
    public static let shortAPDU = SimulatedReaderModel(
        name: "short-apdu", productID: 0x0002, product: "Simulated short APDU reader", level: .shortAPDU,
        features: automatic)

    /// A reader that runs the protocols itself. Its messages are short, so long commands are chained.
    public static let extendedAPDU = SimulatedReaderModel(
        name: "extended-apdu", productID: 0x0003, product: "Simulated extended APDU reader", level: .extendedAPDU,
        features: automatic)

    /// A short APDU reader with a battery. It answers the Escape command `BAT` with the same three bytes and the
    /// charge in percent.
    public static let battery: SimulatedReaderModel = {
        var model = SimulatedReaderModel(
            name: "battery", productID: 0x0004, product: "Simulated reader with battery", level: .shortAPDU,
            features: automatic)
        model.setBatteryLevel(percent: 100)
        return model
    }()

    /// A short APDU reader with a PIN pad and a two-line display. It takes the PIN and puts it into the VERIFY
    /// command, so that the host never sees it.
    public static let pinpad: SimulatedReaderModel = {
        var model = SimulatedReaderModel(
            name: "pinpad", productID: 0x0005, product: "Simulated reader with PIN pad", level: .shortAPDU,
            features: automatic)
        (model.pinSupport, model.displayLayout) = (1, 0x0210)
        return model
    }()

    /// A basic reader with two slots on one interface.
    public static let dualSlot: SimulatedReaderModel = {
        var model = tpdu
        (model.name, model.productID, model.product) = ("dual-slot", 0x0007, "Simulated reader with two slots")
        model.slotCount = 2
        return model
    }()

    /// A contactless short APDU reader with a start-up time.
    public static let contactless: SimulatedReaderModel = {
        var model = SimulatedReaderModel(
            name: "contactless", productID: 0x0008, product: "Simulated contactless reader", level: .shortAPDU,
            features: automatic)
        (model.isContactless, model.protocols) = (true, 0b10)
        (model.startTime, model.activationTime) = (.milliseconds(300), .milliseconds(60))
        return model
    }()

    /// A device with a short APDU reader and a contactless one, each with its own interface.
    public static let dualInterface: SimulatedReaderModel = {
        var model = shortAPDU
        (model.name, model.productID, model.product) = ("dual-interface", 0x0009, "Simulated dual interface reader")
        model.companions = [contactless]
        return model
    }()

    /// A basic reader with a magnetic stripe head.
    public static let combo: SimulatedReaderModel = {
        var model = tpdu
        (model.name, model.productID, model.product) = ("combo", 0x000A, "Simulated chip and magnetic stripe reader")
        model.stripeReader = .pointOfSale
        return model
    }()

    /// The battery reader with replaceable firmware. In update mode its product ID is 000E.
    public static let updatable: SimulatedReaderModel = {
        var model = battery
        (model.name, model.productID, model.product) = ("updatable", 0x000D, "Simulated updatable reader")
        model.serialNumber = "UPD00001"
        model.firmware = SimulatedFirmwareOptions(updateProductID: 0x000E)
        return model
    }()

    /// All models that come with the simulator.
    public static let all = [
        tpdu, shortAPDU, extendedAPDU, battery, pinpad, tpduT0, dualSlot, contactless, dualInterface, combo, updatable,
    ]

    /// The slots of the device, including its companions'.
    public var totalSlotCount: Int { companions.reduce(max(1, slotCount)) { $0 + max(1, $1.slotCount) } }

    /// Sets the answer to the Escape command of ``battery``.
    ///
    /// - Parameter percent: The charge, 0...100.
    public mutating func setBatteryLevel(percent: UInt8) {
        let command = Array("BAT".utf8)
        escapeAnswers[command] = command + [min(percent, 100)]
    }

    private static let automatic: Features = [
        .automaticParameters, .automaticVoltage, .automaticClock, .automaticBaudRate, .automaticPPS, .automaticIFSD,
    ]
}

extension SimulatedReaderModel {
    /// The bulk OUT endpoint, for commands.
    public static let bulkOutEndpoint: UInt8 = 0x02
    /// The bulk IN endpoint, for answers.
    public static let bulkInEndpoint: UInt8 = 0x82
    /// The interrupt IN endpoint, for notifications.
    public static let interruptEndpoint: UInt8 = 0x83
    /// The size of a bulk packet in bytes.
    public var packetSize: Int { speed == .high ? 512 : 64 }
    /// The polling interval of the interrupt endpoint, 16 ms: in milliseconds at full speed, as a power of two of
    /// microframes at high speed (USB 2.0 §9.6.6).
    private var interruptInterval: UInt8 { speed == .high ? 8 : 16 }
    /// The card clock in kHz.
    static let clock: UInt32 = 4_000
    /// The data rate in bit/s: the clock divided by 372.
    static let dataRate: UInt32 = 10_752

    /// The descriptors of a reader of this model.
    public var descriptors: SimulatedUSBDescriptors {
        var endpoints = [
            USBEndpoint(address: Self.bulkOutEndpoint, kind: .bulk, maximumPacketSize: UInt16(packetSize)),
            USBEndpoint(address: Self.bulkInEndpoint, kind: .bulk, maximumPacketSize: UInt16(packetSize)),
        ]
        if hasInterruptEndpoint {
            endpoints.append(
                USBEndpoint(
                    address: Self.interruptEndpoint, kind: .interrupt, maximumPacketSize: 8, interval: interruptInterval
                ))
        }
        if misbehavior.reversesEndpoints { endpoints.reverse() }
        let interface = USBInterface(
            number: 0, classCode: misbehavior.interfaceClass, endpoints: endpoints,
            classDescriptors: [classDescriptor])
        return SimulatedUSBDescriptors(
            device: USBDeviceDescriptor(vendorID: vendorID, productID: productID, release: release),
            configuration: USBConfiguration(value: 1, interfaces: [interface]), speed: speed,
            manufacturer: manufacturer, product: product, serialNumber: serialNumber)
    }

    /// The smart card class descriptor, 54 bytes (CCID 1.1 §5.1).
    var classDescriptor: [UInt8] {
        var bytes: [UInt8] = [
            0x36, 0x21, UInt8(misbehavior.classRelease & 0xFF), UInt8(misbehavior.classRelease >> 8),
            UInt8(clamping: (misbehavior.claimedSlotCount ?? slotCount) - 1), voltages.rawValue,
        ]
        bytes.append(word: protocols)
        bytes.append(word: Self.clock)
        bytes.append(word: Self.clock)
        bytes.append(0)
        bytes.append(word: Self.dataRate)
        bytes.append(word: Self.dataRate * 32)
        bytes.append(0)
        for value in [UInt32(maximumIFSD), 0, 0, features.rawValue | level.rawValue] { bytes.append(word: value) }
        bytes.append(word: UInt32(clamping: maximumMessageLength))
        // The class of GET RESPONSE and ENVELOPE as in the command; display; PIN pad; all slots at once.
        return bytes + [
            0xFF, 0xFF, UInt8(displayLayout & 0xFF), UInt8(displayLayout >> 8), pinSupport, UInt8(clamping: slotCount),
        ]
    }
}
