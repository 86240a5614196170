/// A command message as it arrives at the reader (CCID 1.1 §6.1). The simulated firmware has a codec of
/// its own, so that an error in the driver's cannot cancel itself out.
struct ReaderCommand {
    static let headerLength = 10

    let type: UInt8
    let slot: UInt8
    let sequence: UInt8
    /// Bytes 7 to 9.
    let specific: (UInt8, UInt8, UInt8)
    let claimedLength: UInt32
    let data: [UInt8]

    /// Nil for fewer bytes than a header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerLength else { return nil }
        (type, slot, sequence) = (bytes[0], bytes[5], bytes[6])
        specific = (bytes[7], bytes[8], bytes[9])
        claimedLength = bytes[1..<5].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        data = Array(bytes[Self.headerLength...])
    }

    /// wLevelParameter of XfrBlock.
    var level: UInt16 { UInt16(specific.1) | UInt16(specific.2) << 8 }
}

/// An answer message as it leaves the reader (CCID 1.1 §6.2).
struct ReaderAnswer {
    /// Low two bits of bStatus.
    enum CardStatus: UInt8 { case active, inactive, absent }

    var type: UInt8
    var slot: UInt8
    var sequence: UInt8
    var status: UInt8
    var error: UInt8 = 0
    var specific: UInt8 = 0
    var data: [UInt8] = []

    static let failed: UInt8 = 0x40
    static let timeExtension: UInt8 = 0x80

    var bytes: [UInt8] {
        var bytes = [type]
        bytes.append(word: UInt32(data.count))
        return bytes + [slot, sequence, status, error, specific] + data
    }

    /// The type of answer that each command gets (CCID 1.1 §6.1).
    static func type(for command: UInt8) -> UInt8 {
        switch command {
        case 0x62, 0x6F, 0x69: 0x80
        case 0x6C, 0x6D, 0x61: 0x82
        case 0x6B: 0x83
        case 0x73: 0x84
        default: 0x81
        }
    }
}

/// Slot error codes (CCID 1.1 table 6.2-2). 00 is "command not supported", 01...7F the offset of a bad parameter.
enum ReaderError {
    static let unsupported: UInt8 = 0x00
    static let badLength: UInt8 = 0x01
    static let badSlot: UInt8 = 0x05
    static let badFirstParameter: UInt8 = 0x07
    static let badLevelParameter: UInt8 = 0x08
    static let slotBusy: UInt8 = 0xE0
    static let pinCancelled: UInt8 = 0xEF
    static let pinTimeout: UInt8 = 0xF0
    static let procedureByteConflict: UInt8 = 0xF4
    static let protocolUnsupported: UInt8 = 0xF6
    static let badATRCheck: UInt8 = 0xF7
    static let badATRStart: UInt8 = 0xF8
    static let parity: UInt8 = 0xFD
    static let cardMute: UInt8 = 0xFE
    static let aborted: UInt8 = 0xFF
}

extension [UInt8] {
    /// Appends four bytes, the lowest first.
    mutating func append(word: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
}
