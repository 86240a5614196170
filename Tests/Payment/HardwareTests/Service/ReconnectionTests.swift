import Determinism
import EMV
import SimulatedTime
import Simulator
import TestDoubles
import Testing
import USB

@testable import Hardware
@testable import Payments

/// A reader that is lost and comes back, on a simulated bus. The tests control the time.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ReconnectionTests {
    private typealias States = AsyncStream<CardReaderReconnectionState>.AsyncIterator
    private typealias Events = AsyncStream<CardReaderEvent>.AsyncIterator

    private let time = ManualTimeSource()

    private func bench(
        _ policy: ReconnectionPolicy = ReconnectionPolicy(giveUpAfter: .seconds(60), paymentWait: .seconds(5)),
        model: SimulatedReaderModel = .shortAPDU, wrap: (SimulatedUSBBus) -> any USBBus = { $0 }
    ) throws -> ServiceBench {
        try ServiceBench(model: model, reconnection: policy, time: time, wrapBus: wrap)
    }

    /// A connected reader, and the states and events that follow.
    private func connected(_ bench: ServiceBench) async throws -> (CardReader, States, Events) {
        let reader = try await bench.connect()
        var states = await bench.service.reconnectionStates.makeAsyncIterator()
        #expect(await states.next() == .idle)
        return (reader, states, await bench.service.readerEvents.makeAsyncIterator())
    }

    private func waiting(for reader: CardReader, attempt: Int = 0) -> CardReaderReconnectionState {
        .reconnecting(reader, attempt: attempt, since: VirtualTimeSource.standardStart)
    }

    /// The first value that is wanted; nil when the stream ended before, as it does when the test's time is over.
    private func first<Value>(
        _ values: inout AsyncStream<Value>.AsyncIterator, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (Value) -> Bool
    ) async -> Value? {
        while let value = await values.next(isolation: isolation) {
            if isWanted(value) { return value }
        }
        return nil
    }

    /// What a task brings, which is canceled with the test.
    private func value<Value: Sendable>(of task: Task<Value, any Error>) async throws -> Value {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    @Test func `a reader that is plugged in again is reconnected automatically`() async throws {
        let bench = try bench()
        var (reader, states, events) = try await connected(bench)
        var readers = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await readers.next() == [reader])
        bench.bus.unplug(bench.reader)
        #expect(await readers.next() == [])
        #expect(await events.next() == .disconnected(.unplugged))
        #expect(await states.next() == waiting(for: reader))
        bench.bus.plug(bench.reader)
        #expect(await states.next() == waiting(for: reader, attempt: 1))
        #expect(await readers.next() == [reader])
        #expect(await states.next() == .succeeded(reader))
        // It takes payments.
        #expect(try await bench.pay().status == .requiresCapture)
        // And again.
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        bench.bus.plug(bench.reader)
        #expect(await states.next() == waiting(for: reader, attempt: 1))
        #expect(await states.next() == .succeeded(reader))
    }

    @Test func `a reader with a serial number is recognized in another port`() async throws {
        var model = SimulatedReaderModel.shortAPDU
        model.serialNumber = "CP-7"
        let bench = try bench(model: model)
        var (reader, states, _) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        bench.bus.plug(bench.reader, port: 4)
        #expect(await states.next() == waiting(for: reader, attempt: 1))
        #expect(await states.next() == .succeeded(reader))
    }

    @Test func `a reader without a serial number is a new one in another port`() async throws {
        let bench = try bench()
        var (reader, states, _) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        bench.bus.plug(bench.reader, port: 4)
        var found = await bench.service.discoveredReaders.makeAsyncIterator()
        #expect(await first(&found) { $0.first?.id == "1209:0002@1-4" } != nil)
        await time.untilTaskSleeps(.seconds(60))
        time.advance(by: .seconds(60))
        #expect(await states.next() == .failed(reader, .gaveUp(after: .seconds(60), last: nil)))
    }

    @Test func `reconnection gives up a missing reader, which can be connected manually later`() async throws {
        let bench = try bench()
        var (reader, states, _) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        await time.untilTaskSleeps(.seconds(60))
        time.advance(by: .milliseconds(59_999))
        await time.untilTaskSleeps(.milliseconds(1))
        time.advance(by: .milliseconds(1))
        #expect(await states.next() == .failed(reader, .gaveUp(after: .seconds(60), last: nil)))
        await #expect(throws: CardReaderServiceError.intentCreation(.notConnectedToReader)) { try await bench.pay() }
        bench.bus.plug(bench.reader)
        var found = await bench.service.discoveredReaders.makeAsyncIterator()
        #expect(await first(&found) { $0 == [reader] } != nil)
        #expect(try await bench.service.connect(reader) == reader)
        #expect(await states.next() == .idle)
    }

    @Test func `an unknown reader does not replace the lost one`() async throws {
        let bench = try bench()
        var (reader, states, _) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        var found = await bench.service.discoveredReaders.makeAsyncIterator()
        #expect(await first(&found, where: \.isEmpty) != nil)
        await #expect(
            throws: CardReaderServiceError.connection(
                .readerNotFound("'1209:0002@1-1' is not among the readers that were found"))
        ) { try await bench.service.connect(reader) }
        bench.bus.plug(bench.reader)
        #expect(await states.next() == waiting(for: reader, attempt: 1))
        #expect(await states.next() == .succeeded(reader))
    }

    @Test func `without reconnection a lost reader stays lost`() async throws {
        let bench = try bench(.off)
        var (_, _, events) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await events.next() == .disconnected(.unplugged))
        bench.bus.plug(bench.reader)
        await #expect(throws: CardReaderServiceError.intentCreation(.notConnectedToReader)) { try await bench.pay() }
        var states = await bench.service.reconnectionStates.makeAsyncIterator()
        #expect(await states.next() == .idle)
    }

    @Test func `canceling reconnection succeeds, also when none is running`() async throws {
        let bench = try bench()
        await bench.service.cancelReconnection()
        var (reader, states, _) = try await connected(bench)
        await bench.service.cancelReconnection()
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        await bench.service.cancelReconnection()
        #expect(await states.next() == .failed(reader, .canceled))
        bench.bus.plug(bench.reader)
        await #expect(throws: CardReaderServiceError.intentCreation(.notConnectedToReader)) { try await bench.pay() }
    }

    @Test(arguments: ["disconnect", "clear", "connect"])
    func `connecting another reader, or disconnecting, gives up the lost one`(call: String) async throws {
        let bench = try bench()
        var (lost, states, _) = try await connected(bench)
        let other = SimulatedCCIDReader(model: .tpdu, clock: bench.clock)
        bench.bus.plug(other)
        var found = await bench.service.discoveredReaders.makeAsyncIterator()
        let readers = try #require(await first(&found) { $0.count == 2 })
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: lost))
        switch call {
        case "disconnect": try await bench.service.disconnect()
        case "clear": await bench.service.clear()
        default:
            let second = try #require(readers.first { $0.id != lost.id })
            #expect(try await bench.service.connect(second) == second)
        }
        #expect(await states.next() == .failed(lost, .canceled))
        if call != "disconnect" { #expect(await states.next() == .idle) }
        bench.bus.plug(bench.reader)
        var connected = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await connected.next()?.map(\.id).contains(lost.id) == false)
    }

    @Test func `a reader that cannot be opened yet is tried again`() async throws {
        var talkative: TalkativeBus?
        let bench = try bench { bus in
            let made = TalkativeBus(bus)
            talkative = made
            return made
        }
        let bus = try #require(talkative)
        var (reader, states, _) = try await connected(bench)
        bus.say { $0.openError = .accessDenied }
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        await time.untilTaskSleeps(.seconds(60))
        bench.bus.plug(bench.reader)
        for (attempt, pause) in [(1, 100), (2, 200), (3, 400), (4, 800)] {
            #expect(await states.next() == waiting(for: reader, attempt: attempt))
            await time.untilTaskSleeps(.milliseconds(pause))
            if attempt == 4 { bus.say { $0.openError = nil } }
            time.advance(by: .milliseconds(pause))
        }
        #expect(await states.next() == waiting(for: reader, attempt: 5))
        #expect(await states.next() == .succeeded(reader))
    }

    @Test func `of two readers with the same serial number one does not replace the other`() async throws {
        var model = SimulatedReaderModel.shortAPDU
        model.serialNumber = "0001"
        let bench = try bench(model: model)
        try await bench.connect()
        let twin = SimulatedCCIDReader(model: model, clock: bench.clock)
        bench.bus.plug(twin)
        bench.bus.unplug(twin)
        #expect(try await bench.pay().status == .requiresCapture)
        var states = await bench.service.reconnectionStates.makeAsyncIterator()
        #expect(await states.next() == .idle)
    }

    // MARK: Payments

    @Test func `a payment requested during reconnection waits for the reader`() async throws {
        let bench = try bench()
        var (reader, states, _) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        let payment = Task { try await bench.pay() }
        await time.untilTaskSleeps(.seconds(5))
        bench.bus.plug(bench.reader)
        #expect(try await value(of: payment).status == .requiresCapture)
    }

    @Test func `a payment that waits too long for the reader fails without an attempt`() async throws {
        let bench = try bench()
        var (reader, states, _) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        let parameters = try bench.parameters()
        await time.untilTaskSleeps(.seconds(60))
        let payment = Task { try await bench.service.capturePayment(parameters, onEvent: { _ in }) }
        await time.untilTaskSleeps(.seconds(5))
        time.advance(by: .seconds(5))
        let failure = await #expect(throws: CardReaderServiceError.self) { try await value(of: payment) }
        #expect(failure == .intentCreation(.readerReconnecting))
        await #expect(throws: CardReaderServiceError.retryNotPossibleNoActivePayment) {
            try await bench.service.retryActivePaymentIntent(key: IdempotencyKey(rawValue: "retry"), stan: 999)
        }
    }

    @Test func `a payment that waits for the reader can be canceled`() async throws {
        let bench = try bench()
        var (reader, states, _) = try await connected(bench)
        bench.bus.unplug(bench.reader)
        #expect(await states.next() == waiting(for: reader))
        let parameters = try bench.parameters()
        let payment = Task { try await bench.service.capturePayment(parameters, onEvent: { _ in }) }
        await time.untilTaskSleeps(.seconds(5))
        payment.cancel()
        try await bench.service.cancelPaymentIntent()
        await #expect(throws: CardReaderServiceError.intentCreation(.commandCanceled(from: .app))) {
            try await value(of: payment)
        }
    }

    @Test func `an interrupted payment is not resumed when the reader is back`() async throws {
        let bench = try bench()
        var (reader, states, _) = try await connected(bench)
        bench.reader.arm(.xfrBlock(2, .unplugged))
        await #expect(throws: CardReaderServiceError.paymentMethodCollection(.readerDisconnected)) {
            try await bench.pay()
        }
        #expect(await states.next() == waiting(for: reader))
        bench.bus.plug(bench.reader)
        #expect(await states.next() == waiting(for: reader, attempt: 1))
        #expect(await states.next() == .succeeded(reader))
        #expect(try await bench.issuer.ledger().entries.isEmpty)
        #expect(try await bench.pay().status == .requiresCapture)
        #expect(try await bench.issuer.ledger().entries.count == 1)
    }

    // MARK: Recovery

    @Test func `a hanging reader is reset before the payment starts`() async throws {
        let bench = try bench()
        var (_, _, events) = try await connected(bench)
        bench.reader.arm(.hang(untilReset: true))
        #expect(try await bench.pay().status == .requiresCapture)
        for step in [.abort, .slotPowerOff, .deviceReset, .recovered] as [ReaderRecoveryStep] {
            #expect(await events.next() == .recovering(step))
        }
        #expect(await events.next() == .waitingForInput(.insert))
    }

    @Test func `a reader that a reset does not recover is closed, and reopened when it is plugged in again`()
        async throws
    {
        let bench = try bench()
        var (reader, states, events) = try await connected(bench)
        bench.reader.arm(.hang(untilReset: false))
        let payment = Task { try await bench.pay() }
        for step in [.abort, .slotPowerOff, .deviceReset, .dead] as [ReaderRecoveryStep] {
            #expect(await events.next() == .recovering(step))
        }
        #expect(await events.next() == .disconnected(.unresponsive))
        #expect(await states.next() == waiting(for: reader))
        // It is there, so it is tried, and is as dead as before.
        #expect(await states.next() == waiting(for: reader, attempt: 1))
        await time.untilTaskSleeps(ReaderReconnection.firstPause)
        bench.bus.unplug(bench.reader)
        bench.bus.plug(bench.reader)
        #expect(try await value(of: payment).status == .requiresCapture)
    }

    // MARK: Sleep

    @Test func `a reader that loses power during a suspend comes back as a new device`() async throws {
        let bench = try bench()
        var (reader, states, events) = try await connected(bench)
        bench.bus.suspend(for: .seconds(3600), persistently: false)
        #expect(await events.next() == .disconnected(.suspended))
        #expect(await first(&states) { !$0.isReconnecting } == .succeeded(reader))
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `a reader that the kernel keeps during a suspend is used again after initialization`() async throws {
        let bench = try bench(.off)
        try await bench.connect()
        bench.bus.suspend(for: .seconds(3600), persistently: true)
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `a suspend during a payment ends it, and nothing is sent`() async throws {
        let bench = try bench()
        try await bench.connect()
        await #expect(throws: CardReaderServiceError.self) {
            try await bench.pay { event in
                if event == .kernel(.readingApplicationData) {
                    bench.bus.suspend(for: .seconds(60), persistently: true)
                }
            }
        }
        #expect(try await bench.issuer.ledger().entries.isEmpty)
        #expect(try await bench.pay().status == .requiresCapture)
    }
}
