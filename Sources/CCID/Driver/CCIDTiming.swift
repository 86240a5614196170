/// How long the driver waits for a reader and a card.
public struct CCIDTiming: Hashable, Sendable {
    /// For a message to go out, and for the answer to a command that does not reach the card.
    public var command: Duration = .seconds(5)
    /// For the first answer after the device was reset: some readers start slowly.
    public var restart: Duration = .seconds(10)
    /// For a card to be activated and to answer the reset.
    public var powerOn: Duration = .seconds(10)
    /// For the card's answer to one block; a time extension multiplies it.
    public var exchange: Duration = .seconds(10)
    /// For a whole command APDU, time extensions included.
    public var total: Duration = .seconds(60)
    /// For a reader to confirm that it dropped a command.
    public var abort: Duration = .seconds(2)
    /// Between two looks into the slot of a reader that does not notify.
    public var pollInterval: Duration = .milliseconds(250)
    /// Between two looks into the slot of a reader that does: notifications are lost now and then.
    public var notifiedPollInterval: Duration = .seconds(2)
    /// Without power between two voltages (ISO/IEC 7816-3 §6.2.4 asks for 10 ms).
    public var powerOffPause: Duration = .milliseconds(20)
    /// Before a card that did not answer is powered once more: a card that is still moving in its slot bounces on the
    /// contacts.
    public var contactPause: Duration = .milliseconds(100)

    public init() {}
}
