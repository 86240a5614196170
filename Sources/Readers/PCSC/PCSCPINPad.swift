import SmartCard

/// PIN_VERIFY_STRUCTURE (PC/SC part 10 §2.5.2), for the format 2 PIN block that EMV cards verify (EMV Book 3 §6.5.12).
struct PCSCPINVerification: Hashable, Sendable {
    /// VERIFY for a plaintext PIN. The reader puts the number of digits and the digits into the block.
    private static let command: [UInt8] = [
        0x00, 0x20, 0x00, 0x80, 0x08, 0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]

    /// The timeout of the whole entry, and of the entry after the first key.
    var seconds: UInt8
    /// The digits that may be typed.
    var digits: ClosedRange<UInt8>
    /// Whether the reader has a display.
    var hasDisplay: Bool

    /// The packed structure. Numbers of more than a byte are in the order of this machine.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [
            // bTimeOut, bTimeOut2
            seconds, seconds,
            // bmFormatString: the PIN is BCD, left-justified, one byte behind Lc.
            0x89,
            // bmPINBlockString: its length is written in 4 bits; the PIN has room for 7 bytes.
            0x47,
            // bmPINLengthFormat: the length is written 4 bits behind Lc.
            0x04,
        ]
        func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number) { bytes += $0 } }
        // wPINMaxExtraDigit: the fewest digits, then the most.
        append(UInt16(digits.lowerBound) << 8 | UInt16(digits.upperBound))
        bytes += [
            // bEntryValidationCondition: the confirmation key.
            0x02,
            // bNumberMessage: the reader's own prompt where it can show one.
            hasDisplay ? 0x01 : 0x00,
        ]
        // wLangId: US English.
        append(UInt16(0x0409))
        // bMsgIndex: "enter PIN". bTeoPrologue: the driver's business.
        bytes += [0x00, 0x00, 0x00, 0x00]
        // ulDataLength
        append(UInt32(Self.command.count))
        return bytes + Self.command
    }
}

/// The features of a reader's driver beyond commands to the card (PC/SC part 10 §2.2), by the number of the feature.
public enum PCSCFeature: UInt8, Hashable, Sendable {
    /// FEATURE_VERIFY_PIN_DIRECT: the reader takes a PIN and gives it to the card.
    case verifyPIN = 0x06
    /// FEATURE_IFD_PIN_PROPERTIES: the reader's display and other properties.
    case pinProperties = 0x0A
    /// FEATURE_GET_TLV_PROPERTIES: properties of the reader, each with a tag.
    case properties = 0x12

    /// CM_IOCTL_GET_FEATURE_REQUEST, as pcsclite has it (SCARD_CTL_CODE of reader.h).
    static let request: UInt32 = 0x4200_0000 + 3400

    /// Reads the answer to ``request``: for each feature its number, a length of 4, and the control code, the highest
    /// byte first. Features of no name here are passed over, and so is what does not have this shape, with all behind
    /// it.
    ///
    /// - Returns: the control codes.
    static func codes(in answer: [UInt8]) -> [PCSCFeature: UInt32] {
        var codes: [PCSCFeature: UInt32] = [:]
        var rest = answer[...]
        while rest.count >= 6 {
            let entry = Array(rest.prefix(6))
            rest = rest.dropFirst(6)
            guard entry[1] == 4 else { break }
            guard let feature = PCSCFeature(rawValue: entry[0]) else { continue }
            codes[feature] = entry[2...].reduce(0) { $0 << 8 | UInt32($1) }
        }
        return codes
    }
}

extension PCSCCard {
    /// The control codes of the features that the reader's driver names.
    ///
    /// - Throws: ``PCSCError``; a driver without any may not know the question.
    public func features() async throws(PCSCError) -> [PCSCFeature: UInt32] {
        PCSCFeature.codes(in: try await control(PCSCFeature.request))
    }
}
