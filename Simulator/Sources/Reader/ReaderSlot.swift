internal import SmartCard

/// A slot of the simulated reader: the card in it, and what the reader knows of the card.
struct ReaderSlot: Sendable {
    var contacts: SimulatedCardContacts?
    /// A card came or went since the last notice.
    var hasChanged = false
    /// The card was used since it was inserted.
    var wasUsed = false
    /// The card was powered, or switched off, since it was inserted.
    var wasPowered = false
    var isClockStopped = false
    var parameters = ReaderParameters()
    /// What the card has sent and the host has not asked for, at character level.
    var line = CardLine()
    /// The reader's half of T=1, at the levels where the reader speaks it.
    var interfaceDevice: T1InterfaceDevice?
    /// A protocol has been started or negotiated: it stays until the next reset.
    var isProtocolFixed = false
    /// The command that comes in several messages.
    var incoming: [UInt8]?
    /// The answer that leaves in several messages.
    var outgoing: ArraySlice<UInt8> = []
    /// Somebody is typing a PIN.
    var pinEntry: ReaderPINEntry?
    /// Sequence numbers of the two halves of an abort that arrived.
    var abortRequest: UInt8?
    var abortCommand: UInt8?

    var status: ReaderAnswer.CardStatus {
        guard let contacts else { return .absent }
        return contacts.isPowered ? .active : .inactive
    }

    /// What the reader says of the slot.
    func reportedStatus(_ model: SimulatedReaderModel) -> ReaderAnswer.CardStatus {
        model.misbehaviour.callsNewCardsActive && status == .inactive && !wasPowered ? .active : status
    }

    /// Nothing in this slot waits for the host: it is empty, or the host used its card and took the power away.
    var isAtRest: Bool { contacts.map { wasUsed && !$0.isPowered } ?? true }

    /// Cuts the power and forgets what belonged to the session.
    mutating func deactivate() {
        contacts?.deactivate()
        (parameters, interfaceDevice, isProtocolFixed) = (ReaderParameters(), nil, false)
        (incoming, outgoing, isClockStopped) = (nil, [], false)
        (pinEntry, line) = (nil, CardLine())
    }
}

/// The protocol data structures of Get/SetParameters (CCID 1.1 §6.1.7).
struct ReaderParameters: Hashable, Sendable {
    static let lengths = [5, 7]

    /// bProtocolNum, 0 or 1.
    private(set) var number: UInt8 = 0
    private(set) var bytes: [UInt8] = [0x11, 0x00, 0x00, 0x0A, 0x00]

    init() {}

    /// As an ATR says, for one of its protocols.
    init(_ transmission: CardTransmission, protocol number: UInt8) {
        self.number = number
        bytes =
            number == 0
            ? [transmission.rates, 0x00, transmission.extraGuardTime, transmission.waitingInteger, 0x00]
            : [
                transmission.rates, transmission.errorDetection == .crc ? 0x11 : 0x10, transmission.extraGuardTime,
                transmission.waitingIntegers, 0x00, transmission.informationFieldSize, 0x00,
            ]
    }

    /// As the host says.
    ///
    /// - Throws: the offset of the byte that is wrong.
    init(number: UInt8, bytes: [UInt8]) throws(CardExchange.Failure) {
        guard let length = Self.lengths.indices.contains(Int(number)) ? Self.lengths[Int(number)] : nil else {
            throw CardExchange.Failure(code: ReaderError.badFirstParameter)
        }
        guard bytes.count == length else { throw CardExchange.Failure(code: ReaderError.badLength) }
        // IFSC 00 and FF are kept for future use.
        if number == 1, bytes[5] == 0 || bytes[5] == 0xFF { throw CardExchange.Failure(code: 15) }
        (self.number, self.bytes) = (number, bytes)
    }

    var errorDetection: T1Block.ErrorDetection { number == 1 && bytes[1] & 1 != 0 ? .crc : .lrc }
    /// IFSC of T=1.
    var informationFieldSize: UInt8 { number == 1 ? bytes[5] : 32 }
}
