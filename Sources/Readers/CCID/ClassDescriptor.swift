/// The CCID class descriptor: 54 bytes with the capabilities of a reader (CCID 1.1 §5.1).
///
/// The values come from the reader and are known to be wrong in the field. The driver's derived values
/// are bounded here: ``usableMessageLength``, ``usableIFSD``.
public struct CCIDClassDescriptor: Hashable, Sendable {
    /// Length of the descriptor in bytes.
    public static let length = 54
    /// bDescriptorType
    public static let type: UInt8 = 0x21

    /// bcdCCID, 0x0110 for 1.10.
    public var release: UInt16 = 0x0110
    /// bMaxSlotIndex: the number of slots less one.
    public var maximumSlotIndex: UInt8 = 0
    /// bVoltageSupport
    public var voltages: CCIDVoltages = [.volts5, .volts3, .volts1_8]
    /// dwProtocols
    public var protocols: CCIDProtocols = [.t0, .t1]
    /// dwDefaultClock, kHz.
    public var defaultClock: UInt32 = 4_000
    /// dwMaximumClock, kHz.
    public var maximumClock: UInt32 = 4_000
    /// bNumClockSupported
    public var clockCount: UInt8 = 0
    /// dwDataRate, bit/s.
    public var defaultDataRate: UInt32 = 10_752
    /// dwMaxDataRate, bit/s.
    public var maximumDataRate: UInt32 = 344_086
    /// bNumDataRatesSupported
    public var dataRateCount: UInt8 = 0
    /// dwMaxIFSD: the longest T=1 information field that the reader claims to accept.
    public var maximumIFSD: UInt32 = 254
    /// dwSynchProtocols
    public var synchronousProtocols: UInt32 = 0
    /// dwMechanical
    public var mechanical: UInt32 = 0
    /// dwFeatures as received, exchange level included.
    public var rawFeatures: UInt32 = 0
    /// dwMaxCCIDMessageLength: header and data, as claimed by the reader.
    public var maximumMessageLength: UInt32 = 271
    /// bClassGetResponse; FF: as the command's class.
    public var classGetResponse: UInt8 = 0xFF
    /// bClassEnvelope; FF: as the command's class.
    public var classEnvelope: UInt8 = 0xFF
    /// wLcdLayout: lines in the high byte, characters a line in the low byte.
    public var displayLayout: UInt16 = 0
    /// bPINSupport
    public var pinSupport: CCIDPINSupport = []
    /// bMaxCCIDBusySlots
    public var maximumBusySlots: UInt8 = 1

    /// A reader with one slot, every voltage, T=0 and T=1.
    public init(level: CCIDExchangeLevel, features: CCIDFeatures = []) {
        rawFeatures = features.rawValue | level.rawValue
    }

    /// Decodes a class descriptor, bLength first.
    ///
    /// - Throws: ``CCIDDescriptorError``
    public init(bytes: [UInt8]) throws(CCIDDescriptorError) {
        guard bytes.count == Self.length else { throw .wrongLength(bytes.count) }
        guard bytes[0] == UInt8(Self.length) else {
            throw .inconsistentLength(claimed: bytes[0], actual: bytes.count)
        }
        guard bytes[1] == Self.type else { throw .wrongType(bytes[1]) }
        release = bytes.littleEndian16(at: 2)
        maximumSlotIndex = bytes[4]
        voltages = CCIDVoltages(rawValue: bytes[5])
        protocols = CCIDProtocols(rawValue: bytes.littleEndian32(at: 6))
        defaultClock = bytes.littleEndian32(at: 10)
        maximumClock = bytes.littleEndian32(at: 14)
        clockCount = bytes[18]
        defaultDataRate = bytes.littleEndian32(at: 19)
        maximumDataRate = bytes.littleEndian32(at: 23)
        dataRateCount = bytes[27]
        maximumIFSD = bytes.littleEndian32(at: 28)
        synchronousProtocols = bytes.littleEndian32(at: 32)
        mechanical = bytes.littleEndian32(at: 36)
        rawFeatures = bytes.littleEndian32(at: 40)
        maximumMessageLength = bytes.littleEndian32(at: 44)
        classGetResponse = bytes[48]
        classEnvelope = bytes[49]
        displayLayout = bytes.littleEndian16(at: 50)
        pinSupport = CCIDPINSupport(rawValue: bytes[52])
        maximumBusySlots = bytes[53]
    }

    /// The encoded descriptor, 54 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [UInt8(Self.length), Self.type]
        bytes.appendLittleEndian(release)
        bytes += [maximumSlotIndex, voltages.rawValue]
        bytes.appendLittleEndian(protocols.rawValue)
        bytes.appendLittleEndian(defaultClock)
        bytes.appendLittleEndian(maximumClock)
        bytes.append(clockCount)
        bytes.appendLittleEndian(defaultDataRate)
        bytes.appendLittleEndian(maximumDataRate)
        bytes.append(dataRateCount)
        for word in [maximumIFSD, synchronousProtocols, mechanical, rawFeatures, maximumMessageLength] {
            bytes.appendLittleEndian(word)
        }
        bytes += [classGetResponse, classEnvelope]
        bytes.appendLittleEndian(displayLayout)
        bytes += [pinSupport.rawValue, maximumBusySlots]
        return bytes
    }

    /// The features in ``rawFeatures``.
    public var features: CCIDFeatures { CCIDFeatures(rawValue: rawFeatures & ~0x7_0000) }

    /// The exchange level in ``rawFeatures``.
    public var level: CCIDExchangeLevel { CCIDExchangeLevel(features: rawFeatures) }

    /// The longest message, header included, that the driver sends or reads: the reader's value, but no
    /// less than the longest short APDU needs (271) and no more than the longest APDU needs (65,554).
    public var usableMessageLength: Int { Int(min(max(maximumMessageLength, 271), 65_554)) }

    /// The information field size to announce in T=1: the reader's value within 1...254, or 32, which
    /// every reader must accept, when it is 0.
    public var usableIFSD: UInt8 { maximumIFSD == 0 ? 32 : UInt8(min(maximumIFSD, 254)) }
}

/// The unit of exchange between a reader and a card: the exchange level bits of dwFeatures (CCID 1.1 §5.1).
public enum CCIDExchangeLevel: UInt32, Hashable, Sendable, CustomStringConvertible {
    /// Single characters: the host runs the whole transmission protocol.
    case character = 0
    /// One T=0 TPDU or one T=1 block at a time.
    case tpdu = 0x1_0000
    /// Whole APDUs with short lengths, up to 261 bytes of command.
    case shortAPDU = 0x2_0000
    /// Whole APDUs with short or extended lengths, in several messages when they are long.
    case extendedAPDU = 0x4_0000

    /// Takes the level from dwFeatures; the highest when a reader claims several.
    public init(features: UInt32) {
        self = Self.highestFirst.first { features & $0.rawValue != 0 } ?? .character
    }

    private static let highestFirst: [CCIDExchangeLevel] = [.extendedAPDU, .shortAPDU, .tpdu]

    /// Whether the host runs T=0 and T=1.
    public var leavesProtocolToHost: Bool { self == .character || self == .tpdu }

    public var description: String {
        switch self {
        case .character: "character"
        case .tpdu: "TPDU"
        case .shortAPDU: "short APDU"
        case .extendedAPDU: "extended APDU"
        }
    }
}

/// The automatic functions of a reader: dwFeatures without the exchange level (CCID 1.1 §5.1).
public struct CCIDFeatures: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Takes dwFeatures as it is in the descriptor; bits of no function are kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Sets its parameters from the ATR.
    public static let automaticParameters = CCIDFeatures(rawValue: 0x2)
    /// Activates a card when it is inserted.
    public static let automaticActivation = CCIDFeatures(rawValue: 0x4)
    /// Chooses the voltage.
    public static let automaticVoltage = CCIDFeatures(rawValue: 0x8)
    /// Changes the clock frequency to suit the card.
    public static let automaticClock = CCIDFeatures(rawValue: 0x10)
    /// Changes the data rate to suit the card.
    public static let automaticDataRate = CCIDFeatures(rawValue: 0x20)
    /// Negotiates every parameter in its own way; the host sends neither PPS nor parameters.
    public static let automaticNegotiation = CCIDFeatures(rawValue: 0x40)
    /// Sends the PPS that fits the parameters which the host sets.
    public static let automaticPPS = CCIDFeatures(rawValue: 0x80)
    /// Can stop the card's clock.
    public static let clockStop = CCIDFeatures(rawValue: 0x100)
    /// Accepts a NAD other than 00 in T=1.
    public static let nodeAddress = CCIDFeatures(rawValue: 0x200)
    /// Announces the size of its information field as its first exchange in T=1.
    public static let automaticIFSD = CCIDFeatures(rawValue: 0x400)
    /// Wakes a suspended host when a card is inserted.
    public static let wakeUp = CCIDFeatures(rawValue: 0x10_0000)
}

/// The transmission protocols of a reader, dwProtocols (CCID 1.1 §5.1).
public struct CCIDProtocols: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Takes dwProtocols as it is in the descriptor; bits of no protocol are kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let t0 = CCIDProtocols(rawValue: 1)
    public static let t1 = CCIDProtocols(rawValue: 2)
}

/// The supply voltages of a reader, bVoltageSupport (CCID 1.1 §5.1).
public struct CCIDVoltages: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    /// Takes bVoltageSupport as it is in the descriptor; bits of no voltage are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let volts5 = CCIDVoltages(rawValue: 1)
    public static let volts3 = CCIDVoltages(rawValue: 2)
    public static let volts1_8 = CCIDVoltages(rawValue: 4)
}

/// The functions of a reader's PIN pad, bPINSupport (CCID 1.1 §5.1). Some readers claim one without having it.
public struct CCIDPINSupport: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    /// Takes bPINSupport as it is in the descriptor; bits of no function are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let verification = CCIDPINSupport(rawValue: 1)
    public static let modification = CCIDPINSupport(rawValue: 2)
}
