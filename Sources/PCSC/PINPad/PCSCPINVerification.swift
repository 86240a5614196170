internal import SmartCard

/// PIN_VERIFY_STRUCTURE (PC/SC part 10 §2.5.2), for the format 2 PIN block that EMV cards verify (EMV Book 3 §6.5.12).
struct PCSCPINVerification: Hashable, Sendable {
    /// VERIFY for a plaintext PIN. The reader puts the number of digits and the digits into the block.
    private static let command: [UInt8] = [
        0x00, 0x20, 0x00, 0x80, 0x08, 0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]

    /// For the whole entry and from the first key on.
    var seconds: UInt8
    /// The digits that may be typed.
    var digits: ClosedRange<UInt8>
    /// Whether the reader has a display to ask on.
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
