internal import SmartCard

/// A reader that others use, its cards, and the person at its PIN pad.
final class ServedReader: Sendable {
    let busID: String
    /// Where it is plugged in.
    let port: Int
    let unit: SimulatedReaderUnit
    /// For its slots, counted through all interfaces.
    private let cards: [ObservedCard]
    /// Of the first card.
    private let stripe: SimulatedStripe?
    /// At the PIN pad, if there is one.
    private let cardholder: SimulatedCardholder?

    /// Makes the reader; its slots are empty.
    init(
        _ unit: SimulatedReaderUnit, port: Int, cards: [ServedReaders.Card], pinPad: SimulatedPINPad,
        clock: SimulationClock, observe: @escaping @Sendable (ReaderOrder.Place, ObservedCard.Event) -> Void
    ) {
        let busID = "\(SimulatedUSBBus.number)-\(port)"
        (self.unit, self.port, self.busID) = (unit, port, busID)
        let cardholder = cards.first.flatMap { card in
            unit.first.model.pinSupport == 0
                ? nil
                : SimulatedCardholder(
                    profile: card.profile, card: card.card, reader: unit.first, clock: clock, pinPad: pinPad)
        }
        self.cardholder = cardholder
        stripe = cards.first?.stripe
        self.cards = cards.enumerated().map { slot, card in
            ObservedCard(card.card) { [weak cardholder] event in
                // A card that is powered anew begins another payment.
                if case .reset(_, isWarm: false) = event { cardholder?.beginAgain() }
                observe(ReaderOrder.Place(busID: busID, slot: slot), event)
            }
        }
    }

    /// Puts the cards in.
    func insertCards() {
        for (card, place) in zip(cards, unit.slots) { place.reader.insert(card, slot: place.slot) }
    }

    /// Has somebody look on when cards come and go.
    func onSlotChange(_ action: @escaping @Sendable (ReaderOrder.Place, _ hasCard: Bool) -> Void) {
        for (index, place) in unit.slots.enumerated() where place.slot == 0 {
            place.reader.onSlotChange { [busID] slot, hasCard in
                action(ReaderOrder.Place(busID: busID, slot: index + slot), hasCard)
            }
        }
    }

    /// - Throws: ``ReaderOrderError``
    func insertCard(_ place: ReaderOrder.Place) throws(ReaderOrderError) {
        guard unit.slots.indices.contains(place.slot), cards.indices.contains(place.slot) else {
            throw .noSuchPlace(place)
        }
        let (reader, slot) = unit.slots[place.slot]
        guard !reader.hasCard(slot: slot) else { throw .hasCard(place) }
        reader.insert(cards[place.slot], slot: slot)
    }

    /// - Throws: ``ReaderOrderError``
    func removeCard(_ place: ReaderOrder.Place) throws(ReaderOrderError) {
        guard unit.slots.indices.contains(place.slot) else { throw .noSuchPlace(place) }
        let (reader, slot) = unit.slots[place.slot]
        guard reader.hasCard(slot: slot) else { throw .hasNoCard(place) }
        reader.removeCard(slot: slot)
    }

    /// - Throws: ``ReaderOrderError``
    func swipe() throws(ReaderOrderError) {
        guard let reader = unit.stripe else { throw .hasNoStripeReader(busID: busID) }
        guard let stripe else { throw .cardHasNoStripe(busID: busID) }
        reader.swipe(stripe)
    }

    /// What the person types from now on.
    ///
    /// - Throws: ``ReaderOrderError/hasNoPINPad(busID:)``
    func use(pin: SealedBytes) throws(ReaderOrderError) {
        guard let cardholder else { throw .hasNoPINPad(busID: busID) }
        cardholder.beginAgain(pin: pin)
    }
}
