/// What the driver knows of one slot.
struct CCIDSlotState {
    /// One operation at a time: a status query does not come between the blocks of a command APDU.
    let gate = CommandGate()
    /// What the last answer or notification said; nil before the first.
    var card: CCIDCardStatus?
    /// What the last notification said; nil before the first.
    var notifiedPresence: Bool?
    /// How many notifications spoke of the slot.
    var notices: UInt64 = 0
    /// ``removals`` when the last notification came.
    var noticedRemovals: UInt64 = 0
    /// A notification said that the slot was empty meanwhile, which may have been before the card got its power. The
    /// next answer settles it.
    var isDoubtful = false
    /// How often a card left. A status alone may call a new card active, so the card that was powered
    /// is known by this count.
    var removals: UInt64 = 0
    /// The count when a card was powered last; nil when it was seen to leave since.
    var poweredRemovals: UInt64?
    /// Code of a hardware error notice during the command under way.
    var hardwareFault: UInt8?
    /// How often the slot was powered.
    var activations: UInt64 = 0
    /// The powered card.
    var session: CCIDCardSession?
    /// Tasks that wait for a change, by ticket.
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextTicket: UInt64 = 0

    var hasPoweredCardLeft: Bool { poweredRemovals.map { $0 != removals } ?? false }
}
