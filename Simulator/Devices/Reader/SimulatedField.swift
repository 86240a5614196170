import Determinism

/// A fault in the field of a simulated contactless reader, for tests and scenarios.
public enum SimulatedFieldFault: Hashable, Sendable {
    /// The card is moved out of the field at the nth XfrBlock from now, counted from 1: it gets the command, and its
    /// answer does not arrive. The reader reports the card as present until `noticedAfter`. With `backAfter`, counted
    /// from the move, the card comes back.
    case movedAway(atExchange: Int, noticedAfter: Duration, backAfter: Duration?)
    /// A second card comes near now. The reader shows no card, and tells of the collision only when it is asked with
    /// E4, and only if it can tell.
    case severalCards(isTold: Bool)
    /// The second card is taken away.
    case oneCardLeft
}

/// The field of a contactless slot: on or off, and the cards that the reader does not see.
struct SimulatedField: Sendable {
    /// A card that left the field during an exchange.
    struct Move: Sendable {
        let slot: Int
        let card: any SimulatedCard
        let noticedAfter: Duration
        let backAfter: Duration?
    }

    private struct ArmedMove: Sendable {
        var exchanges: Int
        let noticedAfter: Duration
        let backAfter: Duration?
    }

    var isOn = true
    var hasSeveralCards = false
    var tellsCollision = false
    /// The card at the antenna that the reader does not see.
    var unseen: SimulatedCardContacts?
    /// Whether the card has left, and the reader has not noticed.
    var isOutOfReach = false
    private var armed: [ArmedMove] = []

    /// Whether the reader sees a card at the antenna.
    var seesCards: Bool { isOn && !hasSeveralCards }

    mutating func arm(atExchange number: Int, noticedAfter: Duration, backAfter: Duration?) {
        armed.append(ArmedMove(exchanges: number, noticedAfter: noticedAfter, backAfter: backAfter))
    }

    /// Counts an XfrBlock.
    ///
    /// - Returns: how the card leaves at this exchange; nil if it stays.
    mutating func exchangePasses() -> (noticedAfter: Duration, backAfter: Duration?)? {
        for index in armed.indices { armed[index].exchanges -= 1 }
        guard let index = armed.firstIndex(where: { $0.exchanges <= 0 }) else { return nil }
        let move = armed.remove(at: index)
        return (move.noticedAfter, move.backAfter)
    }
}

/// The effect of the field on the slots of a contactless reader.
extension SimulatedReaderFirmware {
    /// How long the reader tries to reach a card that does not answer.
    private static let retryTime = Duration.milliseconds(40)

    /// Arms a fault, or lets it happen now.
    mutating func arm(_ fault: SimulatedFieldFault, slot index: Int, at now: Timestamp) {
        guard fields.indices.contains(index) else { return }
        switch fault {
        case .movedAway(let number, let noticedAfter, let backAfter):
            fields[index].arm(atExchange: number, noticedAfter: noticedAfter, backAfter: backAfter)
        case .severalCards(let isTold):
            (fields[index].hasSeveralCards, fields[index].tellsCollision) = (true, isTold)
            hideCard(slot: index, at: now)
        case .oneCardLeft:
            fields[index].hasSeveralCards = false
            showCard(slot: index)
        }
    }

    /// Answers a command for the field, as Identiv's readers know it: 96 00 off, 96 01 on, 96 FF whether it is off; E4
    /// whether several cards are in it.
    ///
    /// - Returns: nil for another command.
    mutating func answerFieldCommand(_ command: ReaderCommand, _ index: Int, at now: Timestamp) -> [UInt8]? {
        guard model.isContactless, command.type == 0x6B else { return nil }
        switch command.data {
        case [0x96, 0x00]:
            fields[index].isOn = false
            hideCard(slot: index, at: now)
            return []
        case [0x96, 0x01]:
            fields[index].isOn = true
            showCard(slot: index)
            return []
        case [0x96, 0xFF]: return [fields[index].isOn ? 0 : 1]
        case [0xE4]:
            return [fields[index].hasSeveralCards && fields[index].tellsCollision ? 1 : 0]
        default: return nil
        }
    }

    /// Lets the card leave during a command that it got: its answer is replaced by the reader's error.
    mutating func moveAway(
        _ command: ReaderCommand, _ index: Int, _ times: (noticedAfter: Duration, backAfter: Duration?),
        at now: Timestamp
    ) {
        guard let card = slots[index].contacts?.card else { return }
        removeAnswers(slot: index, after: Timestamp(milliseconds: now.milliseconds &- 1))
        slots[index].deactivate()
        fields[index].isOutOfReach = true
        moves.append(
            SimulatedField.Move(
                slot: index, card: card, noticedAfter: times.noticedAfter, backAfter: times.backAfter))
        answer(command, .inactive, at: now.advanced(by: Self.retryTime), failure: ReaderError.cardMute)
    }

    /// Answers a command to a card that has left, if it needs the card.
    ///
    /// - Returns: whether it did.
    mutating func refusesWithoutCard(_ command: ReaderCommand, _ index: Int, at now: Timestamp) -> Bool {
        guard fields[index].isOutOfReach, command.type == 0x62 || command.type == 0x6F else { return false }
        answer(command, .inactive, at: now.advanced(by: Self.retryTime), failure: ReaderError.cardMute)
        return true
    }

    private mutating func hideCard(slot index: Int, at now: Timestamp) {
        guard var contacts = slots[index].contacts else { return }
        contacts.deactivate()
        remove(slot: index, at: now)
        fields[index].unseen = contacts
    }

    /// Lets the reader see the card at its antenna again.
    mutating func showCard(slot index: Int) {
        guard fields[index].seesCards, let contacts = fields[index].unseen else { return }
        fields[index].unseen = nil
        insert(contacts, slot: index)
    }
}
