/// What a reader sees in a slot, the low two bits of bStatus (CCID 1.1 §6.2.6).
public enum CCIDCardStatus: UInt8, Hashable, Sendable {
    /// A card is there and powered.
    case active = 0
    /// A card is there without power.
    case inactive = 1
    /// No card.
    case absent = 2
}

/// What became of a command, the high two bits of bStatus with bError.
public enum CCIDOutcome: Hashable, Sendable {
    case done
    case failed(CCIDSlotError)
    /// The card wants `multiplier` times the waiting time; the answer is still to come.
    case timeExtension(multiplier: UInt8)

    /// Whether the slot still has another command, or the half of an abort (CCID 1.1 §6.2.6).
    var isUnfinished: Bool { self == .failed(.slotBusy) || self == .failed(.aborted) }
}

/// bStatus and bError of an answer.
public struct CCIDStatus: Hashable, Sendable {
    public var card: CCIDCardStatus
    public var outcome: CCIDOutcome

    /// Decodes bytes 7 and 8 of an answer.
    ///
    /// - Throws: ``CCIDMessageError/invalidField(name:offset:value:)`` for the reserved bit patterns.
    public init(status: UInt8, error: UInt8) throws(CCIDMessageError) {
        guard let card = CCIDCardStatus(rawValue: status & 3) else {
            throw .invalidField(name: "bmICCStatus", offset: 7, value: status)
        }
        self.card = card
        switch status >> 6 {
        case 0: outcome = .done
        case 1: outcome = .failed(CCIDSlotError(code: error))
        case 2: outcome = .timeExtension(multiplier: error)
        default: throw .invalidField(name: "bmCommandStatus", offset: 7, value: status)
        }
    }
}
