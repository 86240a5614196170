/// Tracks the card in a slot from answers and notifications, and counts removals: a status alone may call a new card
/// active, so the powered card is known by the count of removals before it.
struct SlotPresence {
    /// Whether the reader powers a card on insertion. "Active" from such a reader says nothing about the card that the
    /// host powered (dwFeatures, CCID 1.1 §5.1).
    private let activatesByItself: Bool
    /// The status in the last answer or notification; nil before the first.
    private(set) var card: CCIDCardStatus?
    /// How many notifications named the slot.
    private(set) var notices: UInt64 = 0
    /// How often a card left the slot.
    private(set) var removals: UInt64 = 0
    /// A notification said that the slot was empty for a moment, which may have been before the card got its power. The
    /// next answer settles it.
    private(set) var isDoubtful = false
    /// The presence in the last notification; nil before the first.
    private var notifiedPresence: Bool?
    /// ``removals`` at the last notification.
    private var noticedRemovals: UInt64 = 0
    /// ``removals`` when a card was last powered; nil when the removal of that card was reported.
    private var poweredRemovals: UInt64?

    init(activatesByItself: Bool) { self.activatesByItself = activatesByItself }

    /// Whether the card that was powered last has left, and that was not reported yet.
    var hasPoweredCardLeft: Bool { poweredRemovals.map { $0 != removals } ?? false }

    /// Notes the status in an answer.
    mutating func observe(_ status: CCIDCardStatus) {
        let hasLeft = status == .absent && card != .absent
        // A card that was out has lost its power.
        let wasOut = isDoubtful && status != .active
        if hasLeft || wasOut { removals += 1 }
        isDoubtful = false
        card = status
    }

    /// Notes a notification.
    mutating func observe(_ change: CCIDNotification.SlotChange) {
        // Present in the last notification, and changed: it was out in between.
        if !change.isPresent || (change.hasChanged && notifiedPresence == true) {
            noteAbsence(isBack: change.isPresent)
        } else if card == .absent {
            observe(CCIDCardStatus.inactive)
        }
        notifiedPresence = change.isPresent
        noticedRemovals = removals
        notices += 1
    }

    /// Notes that the slot was empty at some time since the previous notification. The notification may be late: the
    /// card that has power now can be a newer one.
    private mutating func noteAbsence(isBack: Bool) {
        if card == .active {
            guard activatesByItself else {
                isDoubtful = true
                return
            }
            // An answer reported this absence before, and the card was powered after it. Two cards cannot be swapped
            // between two polls of the endpoint.
            guard removals == noticedRemovals else { return }
        }
        observe(CCIDCardStatus.absent)
        if isBack { observe(CCIDCardStatus.inactive) }
    }

    /// Notes that a card was powered.
    ///
    /// - Parameter removals: the count when it was activated.
    mutating func noteActivation(_ removals: UInt64) { poweredRemovals = removals }

    /// Notes that the removal of the powered card was reported.
    mutating func noteReportedRemoval() { poweredRemovals = nil }

    /// Counts the card as removed if it is still in doubt whether it was: the reader did not answer.
    mutating func resolveDoubtAsRemoval() {
        if isDoubtful { removals += 1 }
        isDoubtful = false
    }

    /// Forgets the doubt: the card loses its power anyway.
    mutating func forgetDoubt() { isDoubtful = false }

    /// Prepares for a device reset. The reader notifies each card again after it, which does not mean that it is
    /// another card.
    mutating func prepareForReset() {
        isDoubtful = false
        notifiedPresence = nil
    }

    /// Forgets the card after the machine slept.
    mutating func forgetCard() {
        isDoubtful = false
        card = nil
    }
}
