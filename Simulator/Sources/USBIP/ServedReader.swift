/// A reader that others use, its cards, and the person beside it.
final class ServedReader: Sendable {
    let busID: String
    /// Where it is plugged in.
    let port: Int
    let device: any SimulatedUSBDevice
    /// Its slots, counted through all interfaces.
    private let slots: [(reader: SimulatedCCIDReader, slot: Int)]
    /// For each slot.
    private let chips: [ObservedCard]
    private let stripeReader: SimulatedMagneticStripeReader?
    /// Of the first card.
    private let stripe: SimulatedStripe?
    /// At the PIN pad, if there is one.
    private let cardholder: SimulatedCardholder?

    /// Makes the reader; its slots are empty.
    ///
    /// - Parameters:
    ///   - model: what it is.
    ///   - port: where it is plugged in.
    ///   - cards: for its slots; a reader for stripes alone has one.
    ///   - pinPad: enciphers what is typed.
    ///   - clock: of the simulated world.
    ///   - observe: told of what the cards' chips do.
    init(
        _ model: SimulatedReader, port: Int, cards: [ServedReaders.Card], pinPad: SimulatedPINPad,
        clock: SimulationClock, observe: @escaping @Sendable (ReaderOrder.Place, ObservedCard.Event) -> Void
    ) {
        let busID = "\(SimulatedUSBBus.number)-\(port)"
        (self.port, self.busID, stripe) = (port, busID, cards.first?.stripe)
        switch model {
        case .chip(let model):
            let unit = SimulatedReaderUnit(model: model, clock: clock)
            (device, slots, stripeReader) = (unit.device, unit.slots, unit.stripe)
        case .stripe(let model):
            let reader = SimulatedMagneticStripeReader(model: model, clock: clock)
            (device, slots, stripeReader) = (reader, [], reader)
        }
        let cardholder = zip(slots, cards).first { $0.0.reader.model.pinSupport != 0 }.map { place, card in
            SimulatedCardholder(
                profile: card.profile, card: card.chip, reader: place.reader, clock: clock, pinPad: pinPad)
        }
        self.cardholder = cardholder
        chips = zip(slots.indices, cards).map { slot, card in
            ObservedCard(card.chip) { [weak cardholder] event in
                // A card that is powered anew begins another payment.
                if case .reset(_, isWarm: false) = event { cardholder?.beginAgain() }
                observe(ReaderOrder.Place(busID: busID, slot: slot), event)
            }
        }
    }

    /// Puts the cards in.
    func insertCards() {
        for (card, place) in zip(chips, slots) { place.reader.insert(card, slot: place.slot) }
    }

    /// Has somebody look on when cards come and go.
    func onSlotChange(_ action: @escaping @Sendable (ReaderOrder.Place, _ hasCard: Bool) -> Void) {
        for (index, place) in slots.enumerated() where place.slot == 0 {
            place.reader.onSlotChange { [busID] slot, hasCard in
                action(ReaderOrder.Place(busID: busID, slot: index + slot), hasCard)
            }
        }
    }

    /// - Throws: ``ReaderOrderError``
    func insertCard(_ place: ReaderOrder.Place) throws(ReaderOrderError) {
        guard chips.indices.contains(place.slot) else { throw .noSuchPlace(place) }
        let (reader, slot) = slots[place.slot]
        guard !reader.hasCard(slot: slot) else { throw .hasCard(place) }
        reader.insert(chips[place.slot], slot: slot)
    }

    /// - Throws: ``ReaderOrderError``
    func removeCard(_ place: ReaderOrder.Place) throws(ReaderOrderError) {
        guard slots.indices.contains(place.slot) else { throw .noSuchPlace(place) }
        let (reader, slot) = slots[place.slot]
        guard reader.hasCard(slot: slot) else { throw .hasNoCard(place) }
        reader.removeCard(slot: slot)
    }

    /// - Throws: ``ReaderOrderError``
    func swipeCard() throws(ReaderOrderError) {
        guard let stripeReader else { throw .readsNoStripes(busID: busID) }
        guard let stripe else { throw .hasNoStripe(busID: busID) }
        stripeReader.swipe(stripe)
    }

    /// What the person types from now on.
    ///
    /// - Throws: ``ReaderOrderError/hasNoPINPad(busID:)``
    func use(pin: SealedBytes) throws(ReaderOrderError) {
        guard let cardholder else { throw .hasNoPINPad(busID: busID) }
        cardholder.beginAgain(pin: pin)
    }
}
