/// The answer to reset that a reader makes for a card without contacts, which has none of its own (PC/SC part 3
/// §3.1.3.2.3): `3B 8n 80 01`, the historical bytes, and a check byte.
public enum ContactlessATR: Hashable, Sendable {
    /// A card that takes APDUs (ISO/IEC 14443-4). The historical bytes of type A are those of its ATS, none to fifteen;
    /// the eight of type B are parts of ATQB and of the answer to ATTRIB.
    case card(historicalBytes: [UInt8])
    /// A card that only stores data, such as a badge. It takes no APDUs.
    case storage(StorageCard)

    /// The registered application provider of PC/SC, with the bytes before it in the answer for a storage card.
    private static let storagePrefix: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]

    /// Reads an answer to reset; nil for one that a card with contacts made.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 5, bytes[0] == 0x3B, bytes[1] & 0xF0 == 0x80, bytes[2] == 0x80, bytes[3] == 0x01,
            bytes.count == 5 + Int(bytes[1] & 0x0F), bytes.dropFirst().reduce(0, ^) == 0
        else { return nil }
        let historical = Array(bytes[4..<bytes.count - 1])
        guard historical.count == 15, historical.starts(with: Self.storagePrefix) else {
            self = .card(historicalBytes: historical)
            return
        }
        self = .storage(
            StorageCard(standard: historical[8], number: UInt16(historical[9]) << 8 | UInt16(historical[10])))
    }
}

/// A card that only stores data, as PC/SC part 3 numbers it.
public struct StorageCard: Hashable, Sendable, CustomStringConvertible {
    /// Byte SS: 03 for ISO/IEC 14443 A part 3, 07 for B, 0B for ISO/IEC 15693, 11 for FeliCa.
    public let standard: UInt8
    /// Bytes NN: 0001 for MIFARE Classic 1K.
    public let number: UInt16

    /// Names a card by its two numbers.
    public init(standard: UInt8, number: UInt16) { (self.standard, self.number) = (standard, number) }

    /// The usual name of the card; `storage card` for one without a name here.
    public var description: String {
        switch number {
        case 0x0001: "MIFARE Classic 1K"
        case 0x0002: "MIFARE Classic 4K"
        case 0x0003: "MIFARE Ultralight"
        case 0x0026: "MIFARE Mini"
        case 0x003A: "MIFARE Ultralight C"
        case 0x003B: "FeliCa"
        case 0xF004: "Topaz"
        default: "storage card"
        }
    }
}
