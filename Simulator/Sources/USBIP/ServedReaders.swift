public import SmartCard

/// Readers on a bus with cards in them, for somebody else to use, and the person beside them: cards go in and out
/// and readers are plugged in by ``ReaderOrder``; at a PIN pad they type what the card's profile says.
public final class ServedReaders: Sendable {
    /// A card and its profile.
    public struct Card: Sendable {
        public var chip: any SimulatedCard
        /// nil for a card without a magnetic stripe.
        public var stripe: SimulatedStripe?
        public var profile: CardProfile

        public init(chip: any SimulatedCard, stripe: SimulatedStripe? = nil, profile: CardProfile) {
            (self.chip, self.stripe, self.profile) = (chip, stripe, profile)
        }
    }

    /// Where the readers are plugged in.
    public let bus: SimulatedUSBBus
    private let readers: [ServedReader]
    private let onEvent: @Sendable (ServedReaderEvent) -> Void

    /// Plugs the readers in, the first one into port 1.
    ///
    /// - Parameters:
    ///   - models: the readers.
    ///   - cards: as many as ``SimulatedReader/cardCount`` says, for one reader after the other. Slots beyond have
    ///     none.
    ///   - areInserted: whether the cards are in at first.
    ///   - clock: the time that readers and cards take.
    ///   - pinPad: what a cardholder has beside the reader. No reader asks for it.
    ///   - trace: gets every command with its whole answer, masked.
    ///   - onEvent: told of what happens from now on.
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

    /// Does what somebody wants.
    ///
    /// - Throws: ``ReaderOrderError``; nothing has changed then.
    public func perform(_ order: ReaderOrder) throws(ReaderOrderError) {
        switch order {
        case .insert(let place): try reader(place).insertCard(place)
        case .remove(let place): try reader(place).removeCard(place)
        case .swipe(let busID):
            let reader = try reader(ReaderOrder.Place(busID: busID))
            guard isPluggedIn(reader) else { throw .unplugged(busID: busID) }
            try reader.swipeCard()
            onEvent(.swiped(busID: busID))
        case .pin(let digits, let busID): try reader(ReaderOrder.Place(busID: busID)).use(pin: digits)
        case .plug(let busID):
            let reader = try reader(ReaderOrder.Place(busID: busID))
            guard !isPluggedIn(reader) else { throw .pluggedIn(busID: busID) }
            bus.plug(reader.device, port: reader.port)
            onEvent(.plugged(busID: busID))
        case .unplug(let busID):
            let reader = try reader(ReaderOrder.Place(busID: busID))
            guard isPluggedIn(reader) else { throw .unplugged(busID: busID) }
            bus.unplug(reader.device)
            onEvent(.unplugged(busID: busID))
        }
    }

    private func reader(_ place: ReaderOrder.Place) throws(ReaderOrderError) -> ServedReader {
        guard let reader = readers.first(where: { $0.busID == place.busID }) else { throw .noSuchPlace(place) }
        return reader
    }

    private func isPluggedIn(_ reader: ServedReader) -> Bool {
        bus.ports.contains { $0.simulated === reader.device }
    }
}
