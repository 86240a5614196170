import DFU
import Payments
import SimulatedTime
import Simulator
import Synchronization
import Testing

@testable import Hardware

/// What else is asked of a service while the firmware of its reader is being updated.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct CanceledUpdateTests {
    private let bench: ServiceBench
    private let meddler = MeddlingSource()
    private let shelf: FirmwareShelf

    init() throws {
        let (shelf, meddler) = (try FirmwareShelf(), meddler)
        self.shelf = shelf
        bench = try ServiceBench(
            model: .updatable, firmware: [shelf.firmware()], wrapBus: { meddler.wrap($0) },
            wrapSource: { meddler.wrap($0) })
    }

    /// A bench whose firmware is required.
    private func strictBench() throws -> ServiceBench {
        try ServiceBench(
            model: .updatable, firmware: [shelf.firmware(need: .required)], wrapBus: { meddler.wrap($0) },
            wrapSource: { meddler.wrap($0) })
    }

    private static let moments: [MeddlingSource.Moment] = [.before, .opening(1), .opening(2)]

    @Test(arguments: moments)
    func `an update can be canceled until the first byte is sent, and the reader works as before`(
        moment: MeddlingSource.Moment
    ) async throws {
        let before = try await bench.connect()
        var states = await UpdateStates(bench)
        let offered = await states.next()
        let cancel = Begun()
        meddler.at(moment) { [bench] commitment in
            cancel.begin { try await bench.service.cancelUpdate() }
            while !commitment.isCancelled { try? await bench.clock.sleep(for: .milliseconds(1)) }
        }
        await #expect(throws: CardReaderServiceError.softwareUpdate(.commandCanceled(from: .app))) {
            try await bench.service.installUpdate()
        }
        try await cancel.end()
        #expect(await states.next() == .started(isCancellable: true))
        #expect(await states.next() == .failed(.commandCanceled(from: .app)))
        #expect(await states.next() == offered)
        var lists = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await lists.next() == [before])
        #expect(bench.updates?.release == 0x0100)
        #expect(bench.updates?.isInUpdateMode == false)
        #expect(try await bench.pay().status == .requiresCapture)
        try await bench.service.waitForInsertedCardToBeRemoved()
        try await bench.service.installUpdate()
        #expect(bench.updates?.release == 0x0234)
    }

    @Test(arguments: moments) func `canceling the caller cancels the update`(
        moment: MeddlingSource.Moment
    ) async throws {
        try await bench.connect()
        let install = Begun()
        meddler.at(moment) { commitment in
            install.cancel()
            #expect(commitment.isCancelled || moment == .before)
        }
        install.begin { [bench] in try await bench.service.installUpdate() }
        await #expect(throws: CardReaderServiceError.softwareUpdate(.commandCanceled(from: .app))) {
            try await install.end()
        }
        #expect(bench.updates?.release == 0x0100)
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `after the first byte the update runs to its end`() async throws {
        try await bench.connect()
        meddler.at(.after) { [bench] _ in
            await #expect(throws: CardReaderServiceError.softwareUpdate(.softwareUpdateNotCancellable)) {
                try await bench.service.cancelUpdate()
            }
        }
        try await bench.service.installUpdate()
        #expect(bench.updates?.release == 0x0234)
    }

    @Test func `canceling without an update fails`() async throws {
        for _ in 0..<2 {
            await #expect(throws: CardReaderServiceError.softwareUpdate(.softwareUpdateNotCancellable)) {
                try await bench.service.cancelUpdate()
            }
            if bench.updates?.release == 0x0100 {
                try await bench.connect()
                try await bench.service.installUpdate()
            }
        }
    }

    @Test func `payments, other updates and other readers wait for the end of an update`() async throws {
        let reader = try await bench.connect()
        meddler.at(.opening(2)) { [bench] _ in
            await #expect(
                throws: CardReaderServiceError.intentCreation(.readerBusy("its firmware is being updated"))
            ) { try await bench.service.capturePayment(bench.parameters()) { _ in } }
            await #expect(throws: CardReaderServiceError.softwareUpdate(.readerBusy("its firmware is being updated"))) {
                try await bench.service.installUpdate()
            }
            await #expect(throws: CardReaderServiceError.connection(.alreadyConnectedToReader)) {
                try await bench.service.connect(reader)
            }
            // Nor is the reader taken for a lost one.
            var lists = await bench.service.connectedReaders.makeAsyncIterator()
            #expect(await lists.next() == [reader])
        }
        try await bench.service.installUpdate()
        #expect(bench.updates?.release == 0x0234)
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `an update does not start during a payment`() async throws {
        try await bench.connect()
        let (moments, continuation) = AsyncStream.makeStream(of: Void.self)
        let payment = Begun()
        let parameters = try bench.parameters()
        payment.begin { [bench] in
            _ = try await bench.service.capturePayment(parameters) {
                if $0 == .waitingForInput(.insert) { continuation.yield() }
            }
        }
        var iterator = moments.makeAsyncIterator()
        await iterator.next()
        await #expect(throws: CardReaderServiceError.softwareUpdate(.readerBusy("a payment is running"))) {
            try await bench.service.installUpdate()
        }
        try await bench.service.cancelPaymentIntent()
        await #expect(throws: CardReaderServiceError.paymentMethodCollection(.commandCanceled(from: .app))) {
            try await payment.end()
        }
        try await bench.service.installUpdate()
    }

    @Test func `a disconnect ends the update first`() async throws {
        try await bench.connect()
        let disconnect = Begun()
        meddler.at(.opening(1)) { [bench] commitment in
            disconnect.begin { try await bench.service.disconnect() }
            while !commitment.isCancelled { try? await bench.clock.sleep(for: .milliseconds(1)) }
        }
        await #expect(throws: CardReaderServiceError.softwareUpdate(.commandCanceled(from: .app))) {
            try await bench.service.installUpdate()
        }
        try await disconnect.end()
        var lists = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await lists.next() == [])
        #expect(bench.updates?.isInUpdateMode == false)
    }

    @Test(arguments: [MeddlingSource.Moment.before, .opening(2)])
    func `a connection that is canceled during a required update is not made`(moment: MeddlingSource.Moment)
        async throws
    {
        let bench = try strictBench()
        let clear = Begun()
        meddler.at(moment) { [bench] commitment in
            clear.begin { await bench.service.clear() }
            while !commitment.isCancelled { try? await bench.clock.sleep(for: .milliseconds(1)) }
        }
        await #expect(throws: CardReaderServiceError.softwareUpdate(.commandCanceled(from: .app))) {
            try await bench.connect()
        }
        try await clear.end()
        #expect(bench.updates?.release == 0x0100)
        #expect(try await bench.connect().softwareVersion == "2.34")
    }
}

/// Something that runs beside a test.
private final class Begun: Sendable {
    private let task = Mutex<Task<Void, any Error>?>(nil)

    func begin(_ action: @escaping @Sendable () async throws -> Void) {
        // Under the lock, so that the action finds its own task.
        task.withLock { $0 = Task { try await action() } }
    }

    func cancel() { task.withLock { $0 }?.cancel() }

    func end() async throws { try await task.withLock { $0 }?.value }
}
