public import SmartCard

/// Readers with cards on a bus for USB/IP clients, and their cardholders. ``ReaderAction`` moves cards and readers;
/// the cardholders enter PINs as the card's profile says.
public final class ServedReaders: Sendable {
    /// A card and its profile.
    public struct Card: Sendable {
        public var chip: any SimulatedCard
        /// The contactless side, for contactless slots; nil if the card has none.
        public var contactless: (any SimulatedCard)?
        /// The magnetic stripe; nil if the card has none.
        public var stripe: SimulatedMagneticStripe?
        public var profile: CardProfile

        /// Puts a card together. `contactless` and `stripe` are nil for a card without such a side.
        public init(
            chip: any SimulatedCard, contactless: (any SimulatedCard)? = nil, stripe: SimulatedMagneticStripe? = nil,
            profile: CardProfile
        ) {
            (self.chip, self.contactless, self.stripe, self.profile) = (chip, contactless, stripe, profile)
        }
    }

    /// The bus of the readers.
    public let bus: SimulatedUSBBus
    private let readers: [ServedReader]
    private let onEvent: @Sendable (ServedReaderEvent) -> Void

    /// Plugs the readers in, starting at port 1.
    ///
    /// - Parameters:
    ///   - models: the readers.
    ///   - cards: the cards, ``SimulatedReader/cardCount`` for each reader in order. Slots beyond them stay empty.
    ///   - areInserted: whether the cards start inserted.
    ///   - clock: the clock of readers and cards.
    ///   - pinPad: the cardholders' PIN pad. No reader uses it.
    ///   - trace: receives every command with its complete answer, masked.
    ///   - onEvent: receives the events from now on.
    public init(
        _ models: [SimulatedReader], cards: [Card], areInserted: Bool = true, clock: SimulationClock,
        pinPad: SimulatedPINPad, trace: (@Sendable (TraceEntry) -> Void)? = nil,
        onEvent: @escaping @Sendable (ServedReaderEvent) -> Void = { _ in }
    ) {
        self.onEvent = onEvent
        let commands = CommandCount()
        var readers: [ServedReader] = []
        var cards = cards[...]
        for (index, model) in models.enumerated() {
            let own = cards.prefix(model.cardCount)
            cards = cards.dropFirst(own.count)
            let recorder = trace.map { TraceRecorder($0) }
            let reader = ServedReader(model, port: index + 1, cards: Array(own), pinPad: pinPad, clock: clock) {
                place, event in
                switch event {
                case .reset(let answer, let isWarm):
                    onEvent(.reset(place, answerToReset: answer, isWarm: isWarm))
                case .poweredOff: onEvent(.poweredOff(place))
                case .command(let command, let response):
                    recorder?.add(command, answer: response)
                    onEvent(
                        .command(
                            place, number: commands.next(), instruction: command.ins,
                            status: response?.status.rawValue))
                }
            }
            if areInserted { reader.insertCards() }
            readers.append(reader)
        }
        (self.readers, bus) = (readers, SimulatedUSBBus(clock: clock))
        for reader in readers {
            bus.plug(reader.device, port: reader.port)
            reader.onSlotChange { place, hasCard in onEvent(hasCard ? .cardInserted(place) : .cardRemoved(place)) }
        }
    }

    /// Performs an action.
    ///
    /// - Throws: ``ReaderActionError``; then nothing has changed.
    public func perform(_ order: ReaderAction) throws(ReaderActionError) {
        switch order {
        case .insert(let place): try reader(place).insertCard(place)
        case .remove(let place): try reader(place).removeCard(place)
        case .swipe(let busID):
            let reader = try reader(ReaderAction.Place(busID: busID))
            guard isPluggedIn(reader) else { throw .unplugged(busID: busID) }
            try reader.swipeCard()
            onEvent(.swiped(busID: busID))
        case .fieldFault(let fault, let place): try reader(place).arm(fault, place)
        case .unlock(let place): try reader(place).unlock(place)
        case .pin(let digits, let busID): try reader(ReaderAction.Place(busID: busID)).use(pin: digits)
        case .plug(let busID):
            let reader = try reader(ReaderAction.Place(busID: busID))
            guard !isPluggedIn(reader) else { throw .pluggedIn(busID: busID) }
            bus.plug(reader.device, port: reader.port)
            onEvent(.plugged(busID: busID))
        case .unplug(let busID):
            let reader = try reader(ReaderAction.Place(busID: busID))
            guard isPluggedIn(reader) else { throw .unplugged(busID: busID) }
            bus.unplug(reader.device)
            onEvent(.unplugged(busID: busID))
        }
    }

    private func reader(_ place: ReaderAction.Place) throws(ReaderActionError) -> ServedReader {
        guard let reader = readers.first(where: { $0.busID == place.busID }) else { throw .noSuchPlace(place) }
        return reader
    }

    private func isPluggedIn(_ reader: ServedReader) -> Bool {
        bus.ports.contains { $0.simulated === reader.device }
    }
}

/// A reader for USB/IP clients with its cards and its cardholder.
final class ServedReader: Sendable {
    let busID: String
    /// The port number.
    let port: Int
    let device: any SimulatedUSBDevice
    /// The slots of all interfaces, in order.
    private let slots: [(reader: SimulatedCCIDReader, slot: Int)]
    /// The chip of each slot's card.
    private let chips: [ObservedCard]
    /// The contactless side of each slot's card; nil without one.
    private let contactlessSides: [SimulatedContactlessCard?]
    private let stripeReader: SimulatedMagneticStripeReader?
    /// The stripe of the first card.
    private let stripe: SimulatedMagneticStripe?
    /// The cardholder at the PIN pad, if there is one.
    private let cardholder: SimulatedCardholder?

    /// Creates the reader with empty slots.
    ///
    /// - Parameters:
    ///   - model: the reader model.
    ///   - port: the port number.
    ///   - cards: the cards of its slots; a stripe reader has one.
    ///   - pinPad: the PIN pad that enciphers PINs.
    ///   - clock: the clock of the simulation.
    ///   - observe: receives the events of the cards' chips.
    init(
        _ model: SimulatedReader, port: Int, cards: [ServedReaders.Card], pinPad: SimulatedPINPad,
        clock: SimulationClock, observe: @escaping @Sendable (ReaderAction.Place, ObservedCard.Event) -> Void
    ) {
        let busID = "\(SimulatedUSBBus.number)-\(port)"
        (self.port, self.busID, stripe) = (port, busID, cards.first?.stripe)
        contactlessSides = cards.map { $0.contactless as? SimulatedContactlessCard }
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
        chips = zip(slots.indices, cards).map { [slots] slot, card in
            let side = slots[slot].reader.model.isContactless ? card.contactless : nil
            return ObservedCard(side ?? card.chip) { [weak cardholder] event in
                // Powering up a card starts another payment.
                if case .reset(_, isWarm: false) = event { cardholder?.prepareForNextPayment() }
                observe(ReaderAction.Place(busID: busID, slot: slot), event)
            }
        }
    }

    /// Inserts the cards.
    func insertCards() {
        for (card, place) in zip(chips, slots) { place.reader.insert(card, slot: place.slot) }
    }

    /// Sets the handler for card insertions and removals.
    func onSlotChange(_ action: @escaping @Sendable (ReaderAction.Place, _ hasCard: Bool) -> Void) {
        for (index, place) in slots.enumerated() where place.slot == 0 {
            place.reader.onSlotChange { [busID] slot, hasCard in
                action(ReaderAction.Place(busID: busID, slot: index + slot), hasCard)
            }
        }
    }

    /// - Throws: ``ReaderActionError``
    func insertCard(_ place: ReaderAction.Place) throws(ReaderActionError) {
        guard chips.indices.contains(place.slot) else { throw .noSuchPlace(place) }
        let (reader, slot) = slots[place.slot]
        guard !reader.hasCard(slot: slot) else { throw .hasCard(place) }
        reader.insert(chips[place.slot], slot: slot)
    }

    /// - Throws: ``ReaderActionError``
    func removeCard(_ place: ReaderAction.Place) throws(ReaderActionError) {
        guard slots.indices.contains(place.slot) else { throw .noSuchPlace(place) }
        let (reader, slot) = slots[place.slot]
        guard reader.hasCard(slot: slot) else { throw .hasNoCard(place) }
        reader.removeCard(slot: slot)
    }

    /// Lets something happen in the field of a slot.
    ///
    /// - Throws: ``ReaderActionError``
    func arm(_ fault: SimulatedFieldFault, _ place: ReaderAction.Place) throws(ReaderActionError) {
        guard slots.indices.contains(place.slot) else { throw .noSuchPlace(place) }
        let (reader, slot) = slots[place.slot]
        guard reader.model.isContactless else { throw .isNoField(place) }
        reader.arm(fault, slot: slot)
    }

    /// Lets the owner of the device in a field unlock it.
    ///
    /// - Throws: ``ReaderActionError``
    func unlock(_ place: ReaderAction.Place) throws(ReaderActionError) {
        guard slots.indices.contains(place.slot) else { throw .noSuchPlace(place) }
        guard slots[place.slot].reader.model.isContactless, contactlessSides.indices.contains(place.slot),
            let card = contactlessSides[place.slot]
        else {
            throw .isNoField(place)
        }
        card.unlock()
    }

    /// - Throws: ``ReaderActionError``
    func swipeCard() throws(ReaderActionError) {
        guard let stripeReader else { throw .readsNoStripes(busID: busID) }
        guard let stripe else { throw .hasNoStripe(busID: busID) }
        stripeReader.swipe(stripe)
    }

    /// Sets the PIN that the cardholder enters from now on.
    ///
    /// - Throws: ``ReaderActionError/hasNoPINPad(busID:)``
    func use(pin: SealedBytes) throws(ReaderActionError) {
        guard let cardholder else { throw .hasNoPINPad(busID: busID) }
        cardholder.prepareForNextPayment(pin: pin)
    }
}

/// An event of the readers for USB/IP clients.
public enum ServedReaderEvent: Hashable, Sendable {
    case plugged(busID: String)
    case unplugged(busID: String)
    case cardInserted(ReaderAction.Place)
    /// The card was removed, by an action or because its profile says so.
    case cardRemoved(ReaderAction.Place)
    /// A card was swiped.
    case swiped(busID: String)
    /// A card was powered up, or reset while powered. The answer to reset is empty from a mute card.
    case reset(ReaderAction.Place, answerToReset: [UInt8], isWarm: Bool)
    /// A command, with its number since the readers were created, instruction byte, and status word; the status is
    /// nil if the card stayed mute. Command and answer are left out because they can contain card data.
    case command(ReaderAction.Place, number: Int, instruction: UInt8, status: UInt16?)
    case poweredOff(ReaderAction.Place)
}
