import CCID
import EMV
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Hardware

/// Whole payments at readers that misbehave, each with the row that it needs.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct QuirkPaymentTests {
    private static func table(_ model: SimulatedReaderModel, _ quirks: [ReaderQuirk]) -> ReaderQuirkTable {
        ReaderQuirkTable(rules: [
            ReaderQuirkRule(
                model.name, vendorID: model.vendorID, productID: model.productID, quirks, source: "test")
        ])
    }

    private static let needs: [(model: SimulatedReaderModel, quirks: [ReaderQuirk])] = [
        (.slowStart, [.startPause(.seconds(1)), .firstAnswer(.seconds(60))]),
        (.falsePINPad, [.noPINPad]),
        (.pinMessages, [.pinMessages(1)]),
        (.pinDigits, [.swappedPINDigits]),
        (.chaining, [.exchangeLevel(.extendedAPDU)]),
        (.shortOnly, [.exchangeLevel(.shortAPDU)]),
        (.tpduOnly, [.exchangeLevel(.tpdu)]),
        (.highRates, [.maximumDataRate(200_000)]),
        (.noPPS, [.noProtocolSelection]),
        (.noIFSD, [.noIFSDNegotiation]),
        (.messageLength, [.messageLength(271)]),
        (.slotCount, [.slotCount(1)]),
        (.lostNotices, [.polled]),
        (.noAbort, [.noAbort]),
        (.vendorClass, [.vendorSpecificClass]),
        (.suspend, [.noAutosuspend]),
        // The faults of these need no row.
        (.demanding, []),
        (.shortMessages, []),
    ]

    @Test(arguments: needs.indices)
    func `a payment is approved`(index: Int) async throws {
        let (model, quirks) = Self.needs[index]
        let bench = try ServiceBench(model: model, quirks: Self.table(model, quirks))
        try await bench.connect()
        #expect(try await bench.pay().status == .requiresCapture, "\(model.name)")
        try await bench.service.disconnect()
    }

    @Test func `every misbehaving reader takes payments or reports a reason`() {
        let tried = Set(Self.needs.map(\.model.name))
        let others = Set(SimulatedReaderModel.faulty.map(\.name)).subtracting(tried)
        // Refused, or a matter of two slots.
        #expect(others == [SimulatedReaderModel.stuckPackets.name, SimulatedReaderModel.sharedFirmware.name])
    }

    @Test func `without the quirk row the reader cannot be connected`() async throws {
        let slow = try ServiceBench(model: .slowStart, quirks: .none)
        await #expect(throws: CardReaderServiceError.self) { try await slow.connect() }
        let unknown = try ServiceBench(model: .vendorClass, quirks: .none)
        #expect(try await unknown.discover().isEmpty)
    }

    @Test(arguments: [SimulatedReaderModel.pinMessages, .pinDigits])
    func `with the quirk row the PIN is entered on the reader, and without it at the terminal`(
        model: SimulatedReaderModel
    ) async throws {
        let quirks = try #require(Self.needs.first { $0.model == model }).quirks
        for (table, places) in [
            (Self.table(model, quirks), [PINPrompt.Place.reader]), (ReaderQuirkTable.none, [.reader, .terminal]),
        ] {
            let bench = try ServiceBench("pin-required", model: model, quirks: table)
            try await bench.connect()
            let log = EventLog()
            #expect(try await bench.pay(onEvent: log.append).details.cardholderVerification == .offlinePIN)
            let asked = log.events.compactMap { event in
                if case .kernel(.enteringPIN(let prompt)) = event { prompt.place } else { nil }
            }
            #expect(asked == places)
            try await bench.service.disconnect()
        }
    }

    @Test func `a reader with rejected firmware is reported with the fix and the way to use it anyway`() async throws {
        let model = SimulatedReaderModel.stuckPackets.disguised(asVendor: 0x04E6, product: 0xE001, release: 0x0515)
        let bench = try ServiceBench(model: model)
        let error = await #expect(throws: CardReaderServiceError.self) { try await bench.connect() }
        #expect(
            error
                == .connection(
                    .readerIncompatible(
                        "card reader firmware 5.15 is known to fail with cards: update it to 5.16 or later, or use "
                            + "another reader; set readers.allowRefusedFirmware in the configuration to use it anyway"))
        )
        var insisting = ReaderQuirkTable.embedded
        insisting.allowsRefusedFirmware = true
        let allowed = try ServiceBench(model: model, quirks: insisting)
        try await allowed.connect()
        try await allowed.service.disconnect()
    }
}
