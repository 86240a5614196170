public import EMV

/// What happens at the reader while it is connected.
public enum CardReaderEvent: Hashable, Sendable {
    /// The reader waits for a card, in one of these ways.
    case waitingForInput(CardReaderInput)
    /// Something to show to the cardholder or the attendant.
    case displayMessage(String)
    case cardInserted
    /// A card was swiped.
    case cardSwiped
    case cardRemoved
    /// The kernel went on to another phase of the transaction.
    case kernel(KernelState)
    /// The card's part is done; what follows is between terminal and host.
    case cardDetailsCollected
    /// The host is being asked.
    case authorizing
    /// The card may be taken out; a payment ends only when it has been.
    case removeCardRequested
    /// The payment was approved and the card has been taken out.
    case cardRemovedAfterClientSidePaymentCapture
    /// The battery fell to a fifth or below, 0...1.
    case lowBattery(Double)
    /// The battery is above a fifth again.
    case lowBatteryResolved(Double)
    /// The reader did not answer, and this is done about it.
    case recovering(ReaderRecoveryStep)
    /// The reader is not connected any more.
    case disconnected(DisconnectReason)
}
