import EMV
public import SmartCard

/// The data that the IAD-MAC covers: everything that kernel and card told each other for the cryptogram (EMV Book E
/// §3.2, Book C-8 §7.2.11).
public struct ApplicationMACInput: Sendable {
    /// The values of the PDOL, as they were sent with GET PROCESSING OPTIONS, without 83 and length.
    public var pdolValues: [UInt8]
    /// The values of CDOL1, as they were sent with GENERATE AC.
    public var cdol1Values: [UInt8]
    /// The last exchange of relay resistance data; nil if there was none.
    public var relayResistance: RelayResistanceExchange?
    /// The data objects of the answer to GENERATE AC in their order: the children of template 77.
    public var answer: [BERTLV]
    /// The hash of the static data, 32 bytes (``StaticDataHash``).
    public var staticDataHash: [UInt8]

    /// Takes the parts as they were sent and received.
    public init(
        pdolValues: [UInt8], cdol1Values: [UInt8], relayResistance: RelayResistanceExchange? = nil, answer: [BERTLV],
        staticDataHash: [UInt8]
    ) {
        (self.pdolValues, self.cdol1Values, self.relayResistance) = (pdolValues, cdol1Values, relayResistance)
        (self.answer, self.staticDataHash) = (answer, staticDataHash)
    }

    /// The parts one after the other. The cryptogram (9F26) and the EDA-MAC (9F8105) are left out: they are made of the
    /// IAD-MAC.
    var encoded: [UInt8] {
        let covered = answer.filter { $0.tag != EMVTag.applicationCryptogram && $0.tag != Kernel8Tag.edaMAC }
        var bytes = pdolValues + cdol1Values
        if let relayResistance { bytes += relayResistance.terminalEntropy + relayResistance.answer.bytes }
        for object in covered { bytes += object.encoded }
        return bytes + staticDataHash
    }
}

/// Where the kernel writes the IAD-MAC into the issuer application data (tag 9F10) of the data record, so that the
/// issuer gets the bytes that the cryptogram covers (bits 06 of byte 2 of the application interchange profile).
public enum IADMACPlacement: Hashable, Sendable {
    /// Nowhere. Also for 06, whose meaning is not known.
    case nowhere
    /// At the offset of the kernel's configuration (tag 9F821E).
    case atDefaultOffset
    /// At the offset that the card gives (tag 9F8107).
    case atCardOffset

    /// Reads the application interchange profile (tag 82, 2 bytes).
    public init(interchangeProfile: [UInt8]) {
        switch interchangeProfile.dropFirst().first.map({ $0 & 0x06 }) {
        case 0x02?: self = .atDefaultOffset
        case 0x04?: self = .atCardOffset
        default: self = .nowhere
        }
    }

    /// Writes the IAD-MAC into issuer application data.
    ///
    /// - Parameters:
    ///   - mac: 8 bytes.
    ///   - data: tag 9F10 of the answer to GENERATE AC, 0...32 bytes.
    ///   - defaultOffset: tag 9F821E.
    ///   - cardOffset: tag 9F8107; nil if the card has not given it.
    /// - Returns: the issuer application data, as long as before.
    /// - Throws: ``IADMACError`` (L2 06, the application ends).
    public func write(
        _ mac: [UInt8], into data: [UInt8], defaultOffset: UInt8, cardOffset: UInt8?
    ) throws(IADMACError) -> [UInt8] {
        let offset: Int
        switch self {
        case .nowhere: return data
        case .atDefaultOffset: offset = Int(defaultOffset)
        case .atCardOffset:
            guard let cardOffset else { throw .offsetMissing }
            offset = Int(cardOffset)
        }
        guard offset + mac.count <= data.count else { throw .noRoom(offset: offset, length: data.count) }
        return Array(data.prefix(offset)) + mac + data.dropFirst(offset + mac.count)
    }
}

/// Why the IAD-MAC has no place in the issuer application data.
public enum IADMACError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card announces an offset and gives none.
    case offsetMissing
    /// The IAD-MAC does not fit behind the offset.
    case noRoom(offset: Int, length: Int)

    public var description: String {
        switch self {
        case .offsetMissing: "the card has not given the offset of the IAD-MAC (9F8107)"
        case .noRoom(let offset, let length):
            "the IAD-MAC does not fit at offset \(offset) into issuer application data (9F10) of \(length) bytes"
        }
    }
}
