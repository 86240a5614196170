/// A notification on the interrupt endpoint (CCID 1.1 §6.3).
public enum CCIDNotification: Hashable, Sendable {
    /// The change of one slot.
    public struct SlotChange: Hashable, Sendable {
        /// Whether a card is in the slot now.
        public var isPresent: Bool
        /// Whether the slot changed since the last notification.
        public var hasChanged: Bool

        /// Takes the two bits of a slot in RDR_to_PC_NotifySlotChange (CCID 1.1 §6.3.1).
        public init(isPresent: Bool, hasChanged: Bool) { (self.isPresent, self.hasChanged) = (isPresent, hasChanged) }
    }

    /// RDR_to_PC_NotifySlotChange: one entry for each slot from 0 on, in whole bytes of four slots; entries
    /// beyond the reader's last slot are padding.
    case slotChange([SlotChange])
    /// RDR_to_PC_HardwareError during the command with this sequence number; code 01 is overcurrent.
    case hardwareError(slot: UInt8, sequence: UInt8, code: UInt8)

    /// Decodes a notification.
    ///
    /// - Throws: ``CCIDMessageError``
    public init(bytes: [UInt8]) throws(CCIDMessageError) {
        guard bytes.count >= 2 else { throw .tooShort(bytes.count) }
        switch bytes[0] {
        case 0x50:
            guard bytes.count <= 65 else { throw .wrongDataLength(expected: 64, actual: bytes.count - 1) }
            var slots: [SlotChange] = []
            slots.reserveCapacity(4 * (bytes.count - 1))
            for byte in bytes.dropFirst() {
                for shift in [0, 2, 4, 6] as [UInt8] {
                    let bits = byte >> shift
                    slots.append(SlotChange(isPresent: bits & 1 != 0, hasChanged: bits & 2 != 0))
                }
            }
            self = .slotChange(slots)
        case 0x51:
            guard bytes.count == 4 else { throw .wrongDataLength(expected: 3, actual: bytes.count - 1) }
            self = .hardwareError(slot: bytes[1], sequence: bytes[2], code: bytes[3])
        default: throw .unknownType(bytes[0])
        }
    }

    /// The encoded notification.
    public var bytes: [UInt8] {
        switch self {
        case .slotChange(let slots):
            var bytes = [UInt8](repeating: 0, count: 1 + (slots.count + 3) / 4)
            bytes[0] = 0x50
            for (index, slot) in slots.enumerated() {
                let bits: UInt8 = (slot.isPresent ? 1 : 0) | (slot.hasChanged ? 2 : 0)
                bytes[1 + index / 4] |= bits << UInt8(index % 4 * 2)
            }
            return bytes
        case .hardwareError(let slot, let sequence, let code): return [0x51, slot, sequence, code]
        }
    }
}

/// The reason why bytes are not a CCID message. Holds lengths and field values, never content.
public enum CCIDMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer bytes than a header has (10; 2 for a notification).
    case tooShort(Int)
    /// dwLength (bytes 1-4) is not the number of bytes after the header.
    case wrongLength(claimed: UInt32, actual: Int)
    /// bMessageType (byte 0) is not defined for this direction.
    case unknownType(UInt8)
    /// A field has a value that the specification does not define.
    case invalidField(name: String, offset: Int, value: UInt8)
    /// The data after the header does not have the length of this kind of message.
    case wrongDataLength(expected: Int, actual: Int)

    public var description: String {
        switch self {
        case .tooShort(let count): "a CCID message of \(count) bytes has no header"
        case .wrongLength(let claimed, let actual):
            "a CCID message claims \(claimed) bytes of data (dwLength, byte 1) and has \(actual)"
        case .unknownType(let type): "unknown CCID message type 0x\(String(type, radix: 16)) (byte 0)"
        case .invalidField(let name, let offset, let value):
            "\(name) (byte \(offset)) of a CCID message is 0x\(String(value, radix: 16))"
        case .wrongDataLength(let expected, let actual):
            "a CCID message has \(actual) bytes of data (from byte 10): \(expected) expected"
        }
    }
}

extension Array<UInt8> {
    /// Two bytes at `offset`, low byte first. The caller has checked that they are there.
    func littleEndian16(at offset: Int) -> UInt16 {
        UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    /// Four bytes at `offset`, low byte first. The caller has checked that they are there.
    func littleEndian32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2]) << 16
            | UInt32(self[offset + 3]) << 24
    }

    mutating func appendLittleEndian(_ number: UInt16) {
        append(UInt8(truncatingIfNeeded: number))
        append(UInt8(truncatingIfNeeded: number >> 8))
    }

    mutating func appendLittleEndian(_ number: UInt32) {
        appendLittleEndian(UInt16(truncatingIfNeeded: number))
        appendLittleEndian(UInt16(truncatingIfNeeded: number >> 16))
    }
}
