import CCID
import Hardware
import SmartCard
import Synchronization

/// The moments of one payment with a tapped card, and its exchanges with the card.
struct TapRecord: Sendable {
    /// An exchange, as the kernel waited for it.
    struct Exchange: Sendable {
        let command: CommandAPDU
        let response: ResponseAPDU
        let start: ContinuousClock.Instant
        let end: ContinuousClock.Instant
    }

    /// The reader told that a card is there.
    var noticed: ContinuousClock.Instant?
    /// The card had its power.
    var activated: ContinuousClock.Instant?
    /// The message that the card was read left the reader service.
    var read: ContinuousClock.Instant?
    var exchanges: [Exchange] = []
}

/// Records the payments at a reader.
final class TapObserver: Sendable {
    private let record = Mutex(TapRecord())
    private let observed = Mutex<(any ContactlessField)?>(nil)

    /// The field of the open reader, without an observer; nil before it is open.
    var field: (any ContactlessField)? { observed.withLock { $0 } }

    /// Returns what was recorded since the last call.
    func take() -> TapRecord {
        record.withLock { record in
            defer { record = TapRecord() }
            return record
        }
    }

    func noteRead() {
        let now = ContinuousClock.now
        record.withLock { $0.read = now }
    }

    fileprivate func observe(_ field: any ContactlessField) { observed.withLock { $0 = field } }

    fileprivate func change(_ body: (inout TapRecord) -> Void) { record.withLock { body(&$0) } }
}

/// A source of readers whose taps are recorded.
struct ObservedReaderSource: CardReaderSource {
    let source: any CardReaderSource
    let observer: TapObserver

    var discoveryMethod: CardReaderDiscoveryMethod { source.discoveryMethod }

    var readerTypes: Set<CardReaderType> { source.readerTypes }

    func readers() async throws(UnderlyingError) -> [CardReader] { try await source.readers() }

    func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable { source.changes() }

    func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession {
        let session = try await source.open(reader)
        // Sets the field.
        _ = await session.inputs()
        guard let field = session.contactlessField else { return session }
        observer.observe(field)
        return ObservedSession(session, ObservedField(field: field, observer: observer))
    }
}

/// A reader whose field is observed.
private final class ObservedSession: CardReaderSession {
    private let session: any CardReaderSession
    let contactlessField: (any ContactlessField)?

    init(_ session: any CardReaderSession, _ field: ObservedField) {
        (self.session, contactlessField) = (session, field)
    }

    func inputs() async -> CardReaderInput { await session.inputs() }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        try await session.waitForCard(present: present, timeout: timeout)
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel { try await session.powerOn() }

    func powerOff() async { await session.powerOff() }

    func batteryLevel() async -> Double? { await session.batteryLevel() }

    func loss() async -> DisconnectReason? { await session.loss() }

    func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) { session.onRecovery(observe) }

    func close() async { await session.close() }
}

/// A field whose taps are recorded.
private struct ObservedField: ContactlessField {
    let field: any ContactlessField
    let observer: TapObserver

    var tellsCollisions: Bool { field.tellsCollisions }

    func switchField(on isOn: Bool) async throws(UnderlyingError) { try await field.switchField(on: isOn) }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        let isSo = try await field.waitForCard(present: present, timeout: timeout)
        if present, isSo {
            let now = ContinuousClock.now
            observer.change { $0.noticed = now }
        }
        return isSo
    }

    func activate() async throws(UnderlyingError) -> ActivatedCard {
        let card = try await field.activate()
        let now = ContinuousClock.now
        observer.change { $0.activated = now }
        return ActivatedCard(ObservedChannel(channel: card.channel, observer: observer), answer: card.answer)
    }

    func seesSeveralCards() async throws(UnderlyingError) -> Bool { try await field.seesSeveralCards() }

    func indicate(_ indication: ContactlessIndication) async { await field.indicate(indication) }
}

/// A card whose exchanges are recorded.
private struct ObservedChannel: CardChannel {
    let channel: any CardChannel
    let observer: TapObserver

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let start = ContinuousClock.now
        let response = try await channel.transmit(command)
        let end = ContinuousClock.now
        observer.change {
            $0.exchanges.append(.init(command: command, response: response, start: start, end: end))
        }
        return response
    }
}
