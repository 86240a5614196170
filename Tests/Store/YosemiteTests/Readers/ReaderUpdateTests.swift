import CCID
import DFU
import Foundation
import Hardware
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Yosemite

/// Firmware updates as the layers above ask for them.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ReaderUpdateTests {
    /// A till whose reader could have newer firmware.
    private func till(
        file name: String, need: ReaderFirmwareUpdate.Need = .optional
    ) throws -> TestTill {
        let path = NSTemporaryDirectory() + "\(name)-\(UUID().uuidString).dfu"
        let image = SimulatedFirmwareImage(release: 0x0234)
        let file = DFUFile(firmware: image.bytes, vendorID: 0x1209, productID: 0x000D, release: 0x0234)
        try Data(file.encoded).write(to: URL(fileURLWithPath: path))
        return try TestTill {
            $0.model = .updatable
            $0.firmware = ReaderFirmwareCatalog([
                ReaderFirmware(
                    vendorID: 0x1209, productID: 0x000D, updateVendorID: 0x1209, updateProductID: 0x000E,
                    release: ReaderRelease(rawValue: 0x0234), file: path, need: need)
            ])
        }
    }

    private func states(_ till: TestTill) async throws -> AsyncStream<CardReaderSoftwareUpdateState> {
        let (streams, continuation) = AsyncStream.makeStream(of: AsyncStream<CardReaderSoftwareUpdateState>.self)
        try till.dispatcher.dispatch(
            CardPresentPaymentsAction.observeCardReaderUpdateState { continuation.yield($0) })
        var iterator = streams.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    private func update(_ till: TestTill) async throws {
        try await till.perform { .startCardReaderUpdate(onCompletion: $0) } as Void
    }

    @Test func `an update is offered, started, watched, and the reader takes payments before and after`() async throws {
        let till = try till(file: "offered")
        let reader = try await till.connect()
        #expect(reader.softwareVersion == "1.00")
        #expect(try await till.collect().state == .captured)
        var watching = try await states(till).makeAsyncIterator()
        guard case .available(let offered) = await watching.next() else {
            Issue.record("nothing is offered")
            return
        }
        #expect(offered.version == "2.34")
        try await till.service.waitForInsertedCardToBeRemoved()
        try await update(till)
        var seen: [CardReaderSoftwareUpdateState] = []
        while let state = await watching.next(), state != .none { seen.append(state) }
        #expect(seen.first == .started(isCancellable: true))
        #expect(seen.dropFirst().first == .installing(progress: 0))
        #expect(seen.dropLast().last == .installing(progress: 1))
        #expect(seen.last == .completed)
        #expect(till.updates?.release == 0x0234)
        #expect(try await till.collect().state == .captured)
        #expect(try await till.booksAgree())
    }

    @Test func `a required update is finished when the reader is connected`() async throws {
        let till = try till(file: "required", need: .required)
        #expect(try await till.connect().softwareVersion == "2.34")
        #expect(try await till.collect().state == .captured)
    }

    @Test func `a failure is reported with its reason`() async throws {
        let till = try till(file: "failing")
        await #expect(
            throws: ActionFailure<CardPresentPaymentsError>.failed(.reader(.softwareUpdate(.notConnectedToReader)))
        ) {
            try await update(till)
        }
        try await till.connect()
        till.reader.setBatteryLevel(percent: 10)
        await #expect(
            throws: ActionFailure<CardPresentPaymentsError>.failed(
                .reader(.softwareUpdate(.readerSoftwareUpdateFailedBatteryLow(0.1))))
        ) { try await update(till) }
        till.reader.setBatteryLevel(percent: 90)
        till.updates?.arm(.refused)
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.self) { try await update(till) }
        #expect(till.updates?.release == 0x0100)
        try await update(till)
        await #expect(
            throws: ActionFailure<CardPresentPaymentsError>.failed(.reader(.softwareUpdate(.noSoftwareUpdateAvailable)))
        ) {
            try await update(till)
        }
    }

    @Test func `without a running update there is nothing to cancel`() async throws {
        let till = try till(file: "cancelled")
        try await till.connect()
        await #expect(
            throws: ActionFailure<CardPresentPaymentsError>.failed(
                .reader(.softwareUpdate(.softwareUpdateNotCancellable)))
        ) {
            try await till.perform { .cancelCardReaderUpdate(onCompletion: $0) } as Void
        }
    }

    @Test func `an update does not start during a payment`() async throws {
        let till = try till(file: "busy")
        try await till.connect()
        let (moments, continuation) = AsyncStream.makeStream(of: Void.self)
        // No card is inserted.
        let request = PaymentRequest(
            siteID: 7, orderID: 42, amount: try usd("12.50"), cardTimeout: .seconds(60), forcedOnline: false)
        async let payment: Payment = till.perform {
            .collectPayment(
                request: request,
                onCardReaderMessage: { if $0 == .waitingForInput(.insert) { continuation.yield() } },
                onProcessingCompletion: { _ in }, onCompletion: $0)
        }
        var iterator = moments.makeAsyncIterator()
        await iterator.next()
        await #expect(
            throws: ActionFailure<CardPresentPaymentsError>.failed(
                .reader(.softwareUpdate(.readerBusy("a payment is running"))))
        ) {
            try await update(till)
        }
        try await till.cancel()
        let canceled = try await payment
        #expect(canceled.state == .canceled, "\(canceled)")
        #expect(till.updates?.release == 0x0100)
        try await update(till)
    }

    @Test func `after a reset the reader works`() async throws {
        let till = try till(file: "reset")
        try await till.connect()
        var watching = try await states(till).makeAsyncIterator()
        #expect(await watching.next() != CardReaderSoftwareUpdateState.none)
        try await till.perform { .reset(onCompletion: $0) } as Void
        #expect(await watching.next() == CardReaderSoftwareUpdateState.none)
        #expect(till.updates?.isInUpdateMode == false)
    }
}
