internal import SmartCard

/// The PIN verification data structure of PC_to_RDR_Secure (CCID 1.1 §6.1.11.2), for the format 2 PIN block that
/// EMV cards verify (EMV Book 3 §6.5.12). The layout of the fields is that of PC/SC part 10.
struct CCIDPINVerification: Hashable, Sendable {
    /// VERIFY for a plaintext PIN. The reader puts the number of digits and the digits into the block.
    static let command: [UInt8] = [
        0x00, 0x20, 0x00, 0x80, 0x08, 0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]

    /// bTimeOut, in seconds.
    var seconds: UInt8
    /// The digits that may be typed.
    var digits: ClosedRange<UInt8>
    /// Whether the reader has a display to ask on.
    var hasDisplay: Bool
    /// bTeoPrologue: node address, control byte and length of the T=1 block that the reader is to send; zero
    /// where the reader runs the protocol, and with T=0.
    var prologue: [UInt8] = [0, 0, 0]

    /// abData, 28 bytes.
    var bytes: [UInt8] {
        [
            // bPINOperation: verification.
            0x00, seconds,
            // bmFormatString: the PIN is BCD, left-justified, one byte behind Lc.
            0x89,
            // bmPINBlockString: its length is written in 4 bits; the PIN has room for 7 bytes.
            0x47,
            // bmPINLengthFormat: the length is written 4 bits behind Lc.
            0x04,
            // wPINMaxExtraDigit: the most digits, then the fewest.
            digits.upperBound, digits.lowerBound,
            // bEntryValidationCondition: the confirmation key.
            0x02,
            // bNumberMessage: the reader's own prompt where it can show one.
            hasDisplay ? 0x01 : 0x00,
            // wLangId: US English.
            0x09, 0x04,
            // bMsgIndex: "enter PIN".
            0x00,
        ] + prologue + Self.command
    }
}
