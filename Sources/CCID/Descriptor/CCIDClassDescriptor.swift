/// The 54 bytes in which a reader says what it can do (CCID 1.1 §5.1).
///
/// Its numbers are a reader's own word and are known to be wrong in the field. What the driver derives
/// from them is bounded here: ``usableMessageLength``, ``usableIFSD``.
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
    /// dwMaxIFSD: the longest T=1 information field that the reader takes, as it says.
    public var maximumIFSD: UInt32 = 254
    /// dwSynchProtocols
    public var synchronousProtocols: UInt32 = 0
    /// dwMechanical
    public var mechanical: UInt32 = 0
    /// dwFeatures as it came, exchange level included.
    public var rawFeatures: UInt32 = 0
    /// dwMaxCCIDMessageLength: header and data, as the reader says.
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

    /// The longest message, header included, that the driver sends or reads: the reader's word, but no
    /// less than the longest short APDU needs (271) and no more than the longest APDU needs (65,554).
    public var usableMessageLength: Int { Int(min(max(maximumMessageLength, 271), 65_554)) }

    /// The information field size to announce in T=1: the reader's word within 1...254, and 32, which
    /// every reader must take, when it says 0.
    public var usableIFSD: UInt8 { maximumIFSD == 0 ? 32 : UInt8(min(maximumIFSD, 254)) }
}
