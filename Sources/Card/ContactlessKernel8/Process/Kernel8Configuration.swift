import EMV
public import SmartCard

/// The configuration of kernel 8 for one application (Book C-8 annex A, table A.38), read from the data of an
/// activation. Every object must be there; lists may be empty.
public struct Kernel8Configuration: Hashable, Sendable {
    /// How long messages stay (tag 9F8211): three bytes, n 6, in units of 100 ms.
    public let messageHoldTime: [UInt8]
    /// How long the field goes off for a card that notices it, in units of 100 ms.
    public let fieldOffHoldTime: UInt8
    /// The messages of a card that the reader shows (tag 9F821D).
    public let messagesOnRestart: [UInt8]

    public private(set) var denial: Kernel8VerificationResults
    public private(set) var online: Kernel8VerificationResults
    /// The bits of the TVR that a card cannot change (tag 9F821A).
    public let reservedResults: Kernel8VerificationResults
    public let terminalType: UInt8
    public let transactionType: UInt8

    /// In minor units: a higher amount is above the floor limit (tag 9F820D).
    public let floorLimit: UInt64
    /// In minor units: a higher amount needs cardholder verification (tag 9F820E).
    public let cvmRequiredLimit: UInt64
    let cvmCapabilityRequired: UInt8
    let cvmCapabilityNotRequired: UInt8
    let cardDataInputCapability: UInt8
    let securityCapability: UInt8

    let relayResistance: RelayResistanceRules
    let defaultIADMACOffset: UInt8
    let discretionaryTags: [BERTag]
    /// The tags under which objects of the data record are shown (tag 9F8221).
    let shownTags: [BERTag: BERTag]
    private let flags: UInt8

    /// Whether the exchange of relay resistance data is on (kernel configuration byte 1, 10).
    public var performsRelayResistance: Bool { flags & 0x10 != 0 }
    /// Whether a failed local authentication stays visible in the TVR of the data record (08).
    public var reportsFailedAuthentication: Bool { flags & 0x08 != 0 }
    /// Whether the security capability has local authentication (9F820A, 10).
    var authenticatesLocally: Bool { securityCapability & 0x10 != 0 }

    /// Reads the configuration from value fields by tag.
    ///
    /// - Throws: ``Kernel8ConfigurationError``
    public init(_ data: [BERTag: [UInt8]]) throws(Kernel8ConfigurationError) {
        let reader = ConfigurationReader(data: data)
        for tag in Self.transmittedTags { _ = try reader.value(tag) }
        messageHoldTime = try reader.value(Kernel8Tag.messageHoldTime)
        guard BinaryCodedDecimal.decode(messageHoldTime) != nil else { throw .digits(Kernel8Tag.messageHoldTime) }
        fieldOffHoldTime = try reader.byte(Kernel8Tag.fieldOffHoldTime)
        messagesOnRestart = try reader.value(Kernel8Tag.messagesOnRestart)
        denial = try reader.results(Kernel8Tag.actionCodeDenial)
        online = try reader.results(Kernel8Tag.actionCodeOnline)
        reservedResults = try reader.results(Kernel8Tag.reservedResultsMask)
        terminalType = try reader.byte(EMVTag.terminalType)
        transactionType = try reader.byte(EMVTag.transactionType)
        floorLimit = try reader.amount(Kernel8Tag.floorLimit)
        cvmRequiredLimit = try reader.amount(Kernel8Tag.cvmRequiredLimit)
        cvmCapabilityRequired = try reader.byte(Kernel8Tag.cvmCapabilityRequired)
        cvmCapabilityNotRequired = try reader.byte(Kernel8Tag.cvmCapabilityNotRequired)
        cardDataInputCapability = try reader.byte(Kernel8Tag.cardDataInputCapability)
        securityCapability = try reader.byte(Kernel8Tag.securityCapability)
        relayResistance = RelayResistanceRules(
            minimumGrace: try reader.number(Kernel8Tag.minimumGrace),
            maximumGrace: try reader.number(Kernel8Tag.maximumGrace),
            expectedCommandTime: try reader.number(Kernel8Tag.expectedCommandTime),
            expectedAnswerTime: try reader.number(Kernel8Tag.expectedAnswerTime),
            accuracyThreshold: try reader.number(Kernel8Tag.accuracyThreshold),
            mismatchThreshold: try reader.byte(Kernel8Tag.mismatchThreshold))
        defaultIADMACOffset = try reader.byte(Kernel8Tag.defaultIADMACOffset)
        discretionaryTags = try reader.tags(Kernel8Tag.discretionaryTagList)
        let pairs = try reader.tags(Kernel8Tag.tagMappingList)
        guard pairs.count.isMultiple(of: 2) else { throw .oddTagMapping(pairs.count) }
        shownTags = Dictionary(
            stride(from: 0, to: pairs.count, by: 2).map { (pairs[$0], pairs[$0 + 1]) },
            uniquingKeysWith: { first, _ in first })
        flags = UInt8(try reader.number(Kernel8Tag.kernelConfiguration) >> 8)
        guard flags & 0x20 == 0 else { throw .certificatesWithRSA }
    }

    /// Objects that the kernel passes on and does not read itself.
    private static let transmittedTags: [BERTag] = [
        EMVTag.additionalCapabilities, EMVTag.terminalAID, EMVTag.terminalVersion, EMVTag.terminalCountry,
        Kernel8Tag.riskManagementData, Kernel8Tag.timeout,
    ]

    /// Returns the configuration for a transaction that the card must not approve without the issuer. The terminal asks
    /// the issuer whatever the results are, and declines if it never can. Kernel 8 has no bit of the TVR for it.
    func demandingIssuer() -> Kernel8Configuration {
        var copy = self
        copy.online = Kernel8VerificationResults(rawValue: 0xFF_FFFF_FFFF)
        if TerminalType(rawValue: terminalType)?.connectivity == .offlineOnly { copy.denial = copy.online }
        return copy
    }

    /// A configuration for a shop, to give a reader combination as its kernel data.
    ///
    /// The mask keeps a card from clearing what the kernel found. It is ours: no payment system has published its
    /// values. The data of the terminal (9F1A, 9F35, 9F40), the transaction type (9C), and the name (9F06) come from
    /// Entry Point.
    ///
    /// - Parameters:
    ///   - floorLimit: in minor units, up to twelve digits.
    ///   - cvmRequiredLimit: in minor units, up to twelve digits; a higher amount needs cardholder verification.
    ///   - relayResistance: the limits for the times of a card's answers; nil switches the exchange off.
    ///   - codes: the terminal action codes.
    ///   - capabilities: what the terminal can do.
    /// - Returns: value fields by tag.
    public static func shop(
        floorLimit: UInt64, cvmRequiredLimit: UInt64, relayResistance: RelayResistanceRules? = nil,
        codes: Kernel8ActionCodes = .shop, capabilities: Kernel8Capabilities = .shop
    ) -> [BERTag: [UInt8]] {
        let data: [BERTag: [UInt8]] = [
            EMVTag.terminalVersion: [0x00, 0x01],
            Kernel8Tag.cardDataInputCapability: [capabilities.cardDataInput],
            Kernel8Tag.cvmCapabilityRequired: [capabilities.cvmRequired],
            Kernel8Tag.cvmCapabilityNotRequired: [capabilities.cvmNotRequired],
            Kernel8Tag.kernelConfiguration: [relayResistance == nil ? 0x08 : 0x18, 0x00],
            Kernel8Tag.securityCapability: [0x10],
            Kernel8Tag.actionCodeDenial: codes.denial.bytes,
            Kernel8Tag.actionCodeOnline: codes.online.bytes,
            Kernel8Tag.reservedResultsMask: [0x84, 0x00, 0x04, 0x80, 0xCF],
            Kernel8Tag.floorLimit: BinaryCodedDecimal.encode(floorLimit, byteCount: 6),
            Kernel8Tag.cvmRequiredLimit: BinaryCodedDecimal.encode(cvmRequiredLimit, byteCount: 6),
            Kernel8Tag.timeout: [0x01, 0xF4],
            Kernel8Tag.messageHoldTime: [0x00, 0x00, 0x13],
            Kernel8Tag.fieldOffHoldTime: [0x0D],
            Kernel8Tag.messagesOnRestart: [0x18, 0x20],
            Kernel8Tag.defaultIADMACOffset: [0x18],
            Kernel8Tag.discretionaryTagList: Kernel8Tag.errorIndication.bytes + Kernel8Tag.readDataStatus.bytes
                + Kernel8Tag.writeDataStatus.bytes,
            Kernel8Tag.tagMappingList: [],
            Kernel8Tag.riskManagementData: [UInt8](repeating: 0, count: 8),
        ]
        return data.merging((relayResistance ?? .standard).kernelData) { _, new in new }
    }
}

/// Reads objects of the configuration, with the lengths of the dictionary.
private struct ConfigurationReader {
    let data: [BERTag: [UInt8]]

    func value(_ tag: BERTag) throws(Kernel8ConfigurationError) -> [UInt8] {
        guard let value = data[tag] else { throw .missing(tag) }
        guard Kernel8DataObject[tag]?.lengths.contains(value.count) ?? true else {
            throw .wrongLength(tag, value.count)
        }
        return value
    }

    /// Big-endian. The dictionary has the lengths.
    func number(_ tag: BERTag) throws(Kernel8ConfigurationError) -> UInt16 {
        try value(tag).reduce(0) { $0 << 8 | UInt16($1) }
    }

    func byte(_ tag: BERTag) throws(Kernel8ConfigurationError) -> UInt8 { UInt8(truncatingIfNeeded: try number(tag)) }

    func results(_ tag: BERTag) throws(Kernel8ConfigurationError) -> Kernel8VerificationResults {
        Kernel8VerificationResults(rawValue: try value(tag).reduce(0) { $0 << 8 | UInt64($1) })
    }

    func amount(_ tag: BERTag) throws(Kernel8ConfigurationError) -> UInt64 {
        guard let amount = BinaryCodedDecimal.decode(try value(tag)) else { throw .digits(tag) }
        return amount
    }

    func tags(_ tag: BERTag) throws(Kernel8ConfigurationError) -> [BERTag] {
        let list = try value(tag)
        do throws(BERTLVError) { return try StaticDataHash.tags(in: list) } catch {
            throw .tagList(tag, offset: error.offset)
        }
    }
}

/// Why the configuration of kernel 8 can't be used. The kernel ends the application with L2 0F.
public enum Kernel8ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The object is not there.
    case missing(BERTag)
    /// The value has this number of bytes, which is not allowed.
    case wrongLength(BERTag, Int)
    /// The value is no decimal number.
    case digits(BERTag)
    /// The list of tags ends in a tag, or has one that is too long, at the offset.
    case tagList(BERTag, offset: Int)
    /// The tag mapping list (9F8221) has this number of tags, which is odd.
    case oddTagMapping(Int)
    /// Certificates with RSA are switched on (9F8209 byte 1, 20), which this kernel has not.
    case certificatesWithRSA

    public var description: String {
        switch self {
        case .missing(let tag): "kernel 8: the configuration has no \(tag): add it to the kernel data"
        case .wrongLength(let tag, let count):
            "kernel 8: configuration object \(tag) has a wrong length, \(count) bytes"
        case .digits(let tag): "kernel 8: configuration object \(tag) is no decimal number"
        case .tagList(let tag, let offset): "kernel 8: \(tag) is no list of tags, at offset \(offset)"
        case .oddTagMapping(let count): "kernel 8: the tag mapping list (9F8221) has \(count) tags: write pairs"
        case .certificatesWithRSA:
            "kernel 8: RSA certificates are not supported: clear bit 20 of the kernel configuration (9F8209)"
        }
    }
}
