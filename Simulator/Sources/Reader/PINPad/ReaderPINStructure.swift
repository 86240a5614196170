/// The PIN verification data structure as the reader's firmware reads it (CCID 1.1 §6.1.11.2), and the command that
/// it makes of the template in it and the digits that were typed.
struct ReaderPINStructure {
    /// Bytes before the command.
    private static let headLength = 15

    /// How a digit is written: bits 1 and 0 of bmFormatString.
    private enum Coding: UInt8 {
        case binary, bcd, ascii

        var bits: Int { self == .bcd ? 4 : 8 }

        func value(_ digit: UInt8) -> UInt8 { self == .ascii ? 0x30 + digit : digit }
    }

    /// bTimeOut; a time of its own when the host leaves it to the reader.
    let seconds: Int
    /// Fewest and most digits.
    let digits: ClosedRange<Int>
    /// Confirms an entry as soon as it has the most digits (bEntryValidationCondition bit 0).
    let confirmsWhenFull: Bool
    /// The confirmation key ends an entry (bit 1).
    let hasConfirmationKey: Bool
    /// bTeoPrologue
    let prologue: [UInt8]
    /// The command with an empty PIN block.
    let template: [UInt8]
    private let coding: Coding
    private let isRightJustified: Bool
    /// Bits from behind Lc to the PIN, and to its length.
    private let pinPosition: Int
    private let lengthPosition: Int
    /// Bits that the PIN may fill, and that its length is written in.
    private let pinWidth: Int
    private let lengthWidth: Int

    /// - Throws: the offset in the message of the field that the reader does not do.
    init(
        _ data: [UInt8], _ misbehaviour: ReaderMisbehaviour = ReaderMisbehaviour()
    ) throws(CardExchange.Failure) {
        func failure(_ offset: Int) -> CardExchange.Failure {
            CardExchange.Failure(code: UInt8(ReaderCommand.headerLength + offset))
        }
        guard data.first == 0 else { throw failure(0) }
        guard data.count >= Self.headLength + 5 else { throw CardExchange.Failure(code: ReaderError.badLength) }
        seconds = data[1] == 0 ? 30 : Int(data[1])
        guard let coding = Coding(rawValue: data[2] & 0x03) else { throw failure(2) }
        self.coding = coding
        isRightJustified = data[2] & 0x04 != 0
        pinPosition = Int(data[2] >> 3 & 0x0F) * (data[2] & 0x80 != 0 ? 8 : 1)
        pinWidth = Int(data[3] & 0x0F) * 8
        lengthWidth = Int(data[3] >> 4)
        lengthPosition = Int(data[4] & 0x0F) * (data[4] & 0x10 != 0 ? 8 : 1)
        let (first, second) = (Int(data[5]), Int(data[6]))
        let (most, fewest) = misbehaviour.swapsPINDigits ? (second, first) : (first, second)
        guard fewest <= most, most > 0 else { throw failure(5) }
        digits = fewest...most
        // An entry that the clock confirms is not among what this reader does.
        guard data[7] & 0x03 != 0, data[7] & ~0x03 == 0 else { throw failure(7) }
        (confirmsWhenFull, hasConfirmationKey) = (data[7] & 1 != 0, data[7] & 2 != 0)
        let messages: [UInt8] = misbehaviour.pinMessages.map { [$0] } ?? [0x00, 0x01, 0xFF]
        guard messages.contains(data[8]) else { throw failure(8) }
        prologue = Array(data[12..<15])
        template = Array(data[Self.headLength...])
        let room = (template.count - 5) * 8
        guard template.count == 5 + Int(template[4]) else { throw CardExchange.Failure(code: ReaderError.badLength) }
        guard pinPosition + pinWidth <= room else { throw failure(2) }
        guard most * coding.bits <= pinWidth, lengthWidth == 0 || most < 1 << lengthWidth else { throw failure(3) }
        guard lengthPosition + lengthWidth <= room else { throw failure(4) }
    }

    /// The command with the PIN in it: as many digits as ``digits`` allows, one a byte.
    func command(_ typed: [UInt8]) -> [UInt8] {
        var command = template
        let width = typed.count * coding.bits
        let start = pinPosition + (isRightJustified ? pinWidth - width : 0)
        for (index, digit) in typed.enumerated() {
            Self.write(coding.value(digit), coding.bits, at: 40 + start + index * coding.bits, in: &command)
        }
        Self.write(UInt8(truncatingIfNeeded: typed.count), lengthWidth, at: 40 + lengthPosition, in: &command)
        return command
    }

    /// Writes the low `width` bits of a value, the highest first, at a distance in bits from the first byte. A value
    /// has eight bits; those that a wider field has beyond them are zero.
    private static func write(_ value: UInt8, _ width: Int, at offset: Int, in bytes: inout [UInt8]) {
        for bit in 0..<width {
            let (place, shift) = (offset + bit, width - 1 - bit)
            guard bytes.indices.contains(place / 8) else { return }
            let mask: UInt8 = 0x80 >> UInt8(place % 8)
            let isSet = shift < 8 && value >> UInt8(shift) & 1 != 0
            bytes[place / 8] = isSet ? bytes[place / 8] | mask : bytes[place / 8] & ~mask
        }
    }
}
