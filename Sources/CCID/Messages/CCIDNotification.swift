/// What a reader tells unasked on its interrupt endpoint (CCID 1.1 §6.3).
public enum CCIDNotification: Hashable, Sendable {
    /// What became of one slot.
    public struct SlotChange: Hashable, Sendable {
        /// A card is in the slot now.
        public var isPresent: Bool
        /// The slot changed since the last notification.
        public var hasChanged: Bool

        public init(isPresent: Bool, hasChanged: Bool) { (self.isPresent, self.hasChanged) = (isPresent, hasChanged) }
    }

    /// RDR_to_PC_NotifySlotChange: one entry for each slot from 0 on, in whole bytes of four slots; those
    /// beyond the reader's last slot mean nothing.
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
