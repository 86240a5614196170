import EntryPoint
import Money
import SimulatedTime
import Simulator
import SmartCard
import Synchronization
import Testing

@testable import Hardware
@testable import Payments

/// Contactless readers that look like readers with a slot until their first card.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct UnnamedFieldTests {
    @Test func `a card with the answer to reset of a contactless reader is read as a tapped one`() async throws {
        let bench = try TapBench(.contactless, habit: .tap, wrapping: { UnnamedSource($0) })
        #expect(try await bench.connect().inputs == .insert)
        // Somebody holds the card there, whatever the till asks for.
        bench.field.insert(TapCard())
        let intent = try await bench.pay()
        #expect(intent.details.entryMode == .contactless && intent.details.lastFour == "0010")
        #expect(bench.host.messages == ["authorize 07 0010"])
        #expect(bench.waits == [.insert, .tap])
        #expect(bench.events.contains(.cardTapped))
    }

    @Test func `an amount that cannot be tapped ends the payment with the request to insert the card`() async throws {
        let bench = try TapBench(
            .contactless, habit: .tap,
            limits: { currency in
                try ContactlessLimits(transaction: try Money(minorUnits: 1000, currency: currency))
            }, wrapping: { UnnamedSource($0) })
        try await bench.connect()
        bench.field.insert(TapCard())
        #expect(try await bench.fail() == .paymentMethodCollection(.tappedCardNeedsContacts))
        #expect(bench.host.messages.isEmpty)
    }
}

/// Offers contactless readers as readers with a slot, as pcscd does with a name that says nothing.
private struct UnnamedSource: CardReaderSource {
    let source: any CardReaderSource

    init(_ source: any CardReaderSource) { self.source = source }

    var discoveryMethod: CardReaderDiscoveryMethod { source.discoveryMethod }
    var readerTypes: Set<CardReaderType> { source.readerTypes }

    func readers() async throws(UnderlyingError) -> [CardReader] { try await source.readers().map(Self.unnamed) }

    func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable { source.changes() }

    func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession {
        UnnamedSession(try await source.open(reader))
    }

    private static func unnamed(_ reader: CardReader) -> CardReader {
        var reader = reader
        reader.inputs = .insert
        return reader
    }
}

private final class UnnamedSession: CardReaderSession {
    private let session: any CardReaderSession
    private let hasContactlessCard = Mutex(false)

    init(_ session: any CardReaderSession) { self.session = session }

    var contactlessField: (any ContactlessField)? { fieldOfInsertedCard }

    var fieldOfInsertedCard: (any ContactlessField)? {
        hasContactlessCard.withLock { $0 } ? session.contactlessField : nil
    }

    func inputs() async -> CardReaderInput {
        _ = await session.inputs()
        return .insert
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        guard let field = session.contactlessField else { return false }
        try await field.switchField(on: true)
        return try await field.waitForCard(present: present, timeout: timeout)
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel {
        guard let card = try await session.contactlessField?.activate() else { throw .cardRemoved }
        hasContactlessCard.withLock { $0 = true }
        return card.channel
    }

    func powerOff() async { await session.powerOff() }
    func batteryLevel() async -> Double? { nil }
    func loss() async -> DisconnectReason? { await session.loss() }
    func close() async { await session.close() }
}
