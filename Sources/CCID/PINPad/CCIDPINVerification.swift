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
    /// bNumberMessage: 0 without a display, 1 for the reader's own prompt.
    var messages: UInt8
    /// Whether the reader takes the fewest digits first.
    var swapsDigits = false
    /// bTeoPrologue: node address, control byte and length of the T=1 block that the reader is to send; zero
    /// where the reader runs the protocol, and with T=0.
    var prologue: [UInt8] = [0, 0, 0]

    /// abData, 28 bytes.
    var bytes: [UInt8] {
        let (fewest, most) = (digits.lowerBound, digits.upperBound)
        return [
            // bPINOperation: verification.
            0x00, seconds,
            // bmFormatString: the PIN is BCD, left-justified, one byte behind Lc.
            0x89,
            // bmPINBlockString: its length is written in 4 bits; the PIN has room for 7 bytes.
            0x47,
            // bmPINLengthFormat: the length is written 4 bits behind Lc.
            0x04,
            // wPINMaxExtraDigit: the most digits, then the fewest.
            swapsDigits ? fewest : most, swapsDigits ? most : fewest,
            // bEntryValidationCondition: the confirmation key.
            0x02,
            // bNumberMessage
            messages,
            // wLangId: US English.
            0x09, 0x04,
            // bMsgIndex: "enter PIN".
            0x00,
        ] + prologue + Self.command
    }
}
