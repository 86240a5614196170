import Determinism
import EMV
import SimulatedTime
import Simulator
import Testing

@testable import Hardware
@testable import Payments

/// The contract of a card reader service.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct CardReaderServiceTests {
    // MARK: Discovery and connection

    @Test func `it supports CCID readers on USB`() async throws {
        let bench = try ServiceBench()
        #expect(await bench.service.checkSupport(for: .ccid, discoveryMethod: .usb))
    }

    @Test func `every subscriber gets the current value first`() async throws {
        let bench = try ServiceBench()
        let reader = try await bench.connect()
        for _ in 0..<3 {
            var found = await bench.service.discoveredReaders.makeAsyncIterator()
            #expect(await found.next() == [reader])
            var connected = await bench.service.connectedReaders.makeAsyncIterator()
            #expect(await connected.next() == [reader])
            var updates = await bench.service.softwareUpdateEvents.makeAsyncIterator()
            #expect(await updates.next() == CardReaderSoftwareUpdateState.none)
        }
    }

    @Test func `arriving and leaving readers are reported to all subscribers`() async throws {
        let bench = try ServiceBench(isPlugged: false)
        try await bench.service.start(.usb)
        var first = await bench.service.discoveredReaders.makeAsyncIterator()
        var second = await bench.service.discoveredReaders.makeAsyncIterator()
        #expect(await first.next() == [])
        #expect(await second.next() == [])
        bench.bus.plug(bench.reader)
        let found = await first.next()
        #expect(found?.map(\.usbID) == ["1209:0002"])
        #expect(await second.next() == found)
        bench.bus.unplug(bench.reader)
        #expect(await first.next() == [])
        #expect(await second.next() == [])
    }

    @Test func `discovery may be started and canceled twice`() async throws {
        let bench = try ServiceBench()
        await bench.service.cancelDiscovery()
        try await bench.service.start(.usb)
        try await bench.service.start(.usb)
        var lists = await bench.service.discoveredReaders.makeAsyncIterator()
        let reader = try #require(await lists.next()?.first)
        await bench.service.cancelDiscovery()
        await bench.service.cancelDiscovery()
        #expect(await lists.next() == [])
        // What was discovered can still be connected.
        #expect(try await bench.service.connect(reader) == reader)
    }

    @Test func `a reader that was not discovered, or has gone, is not connected`() async throws {
        let bench = try ServiceBench()
        var reader = try #require(try await bench.discover().first)
        bench.bus.unplug(bench.reader)
        await #expect(throws: CardReaderServiceError.self) { try await bench.service.connect(reader) }
        reader = CardReader(
            id: "1209:9999@1-1", name: "none", manufacturer: nil, serialNumber: nil, usbID: "1209:9999",
            softwareVersion: "1.00", batteryLevel: nil, readerType: .ccid, exchangeLevel: "tpdu", slotCount: 1)
        await #expect(
            throws: CardReaderServiceError.connection(
                .readerNotFound("'1209:9999@1-1' is not among the readers that were found"))
        ) { try await bench.service.connect(reader) }
    }

    @Test func `one reader is connected at a time`() async throws {
        let bench = try ServiceBench()
        let reader = try await bench.connect()
        await #expect(throws: CardReaderServiceError.connection(.alreadyConnectedToReader)) {
            try await bench.service.connect(reader)
        }
        try await bench.service.disconnect()
        await #expect(throws: CardReaderServiceError.disconnection(.notConnectedToReader)) {
            try await bench.service.disconnect()
        }
        #expect(try await bench.service.connect(reader) == reader)
    }

    @Test func `of two simultaneous connections one succeeds and the other is rejected`() async throws {
        let bench = try ServiceBench()
        let reader = try #require(try await bench.discover().first)
        async let one = Self.result { () async throws(CardReaderServiceError) in try await bench.service.connect(reader)
        }
        async let two = Self.result { () async throws(CardReaderServiceError) in try await bench.service.connect(reader)
        }
        let results = await [one, two]
        #expect(results.contains(.success(reader)))
        #expect(results.contains(.failure(.connection(.alreadyConnectedToReader))))
    }

    private static func result<Value>(
        _ body: () async throws(CardReaderServiceError) -> Value
    ) async -> Result<Value, CardReaderServiceError> {
        do throws(CardReaderServiceError) { return .success(try await body()) } catch { return .failure(error) }
    }

    @Test func `clear ends everything, and can be called again`() async throws {
        let bench = try ServiceBench()
        let reader = try await bench.connect()
        var connected = await bench.service.connectedReaders.makeAsyncIterator()
        var events = await bench.service.readerEvents.makeAsyncIterator()
        #expect(await connected.next() == [reader])
        await bench.service.clear()
        await bench.service.clear()
        #expect(await connected.next() == [])
        #expect(await events.next() == .disconnected(.requested))
        await #expect(throws: CardReaderServiceError.intentCreation(.notConnectedToReader)) { try await bench.pay() }
        await #expect(throws: CardReaderServiceError.self) { try await bench.service.connect(reader) }
        try await bench.connect()
        _ = try await bench.pay()
    }

    @Test func `unplugging the reader ends the connection with a reason`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        var connected = await bench.service.connectedReaders.makeAsyncIterator()
        var events = await bench.service.readerEvents.makeAsyncIterator()
        #expect(await connected.next()?.count == 1)
        bench.bus.unplug(bench.reader)
        #expect(await connected.next() == [])
        #expect(await events.next() == .disconnected(.unplugged))
    }

    @Test func `without newer firmware there is nothing to install, and nothing to cancel`() async throws {
        let bench = try ServiceBench()
        await #expect(throws: CardReaderServiceError.softwareUpdate(.notConnectedToReader)) {
            try await bench.service.installUpdate()
        }
        try await bench.connect()
        await #expect(throws: CardReaderServiceError.softwareUpdate(.noSoftwareUpdateAvailable)) {
            try await bench.service.installUpdate()
        }
        await #expect(throws: CardReaderServiceError.softwareUpdate(.softwareUpdateNotCancellable)) {
            try await bench.service.cancelUpdate()
        }
    }

    // MARK: Payments

    // EMV Book 3 §8.2: a payment that the issuer approved ends in the card's TC
    @Test func `a payment's events go to its caller and to every subscriber, in one order`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        let stream = await bench.service.readerEvents
        let own = EventLog()
        let intent = try await bench.pay { own.append($0) }
        #expect(intent.status == .requiresCapture)
        #expect(intent.details.cryptogramType == "TC")
        var others: [CardReaderEvent] = []
        for await event in stream {
            others.append(event)
            if event == .removeCardRequested { break }
        }
        #expect(others == own.events)
        #expect(own.events.starts(with: [.waitingForInput(.insert), .cardInserted, .kernel(.selectingApplication)]))
        #expect(own.events.suffix(2) == [.kernel(.ended(.approvedOnline)), .removeCardRequested])
    }

    @Test func `without a reader, or without an amount, there is no payment`() async throws {
        let bench = try ServiceBench()
        await #expect(throws: CardReaderServiceError.intentCreation(.notConnectedToReader)) { try await bench.pay() }
        try await bench.connect()
        await #expect(throws: CardReaderServiceError.intentCreation(.invalidAmount("a payment is more than zero"))) {
            try await bench.pay(bench.parameters(0))
        }
    }

    @Test func `of two simultaneous payments the second is rejected`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        let (moments, continuation) = AsyncStream.makeStream(of: Void.self)
        let parameters = try bench.parameters()
        async let first = bench.service.capturePayment(parameters) {
            if $0 == .waitingForInput(.insert) { continuation.yield() }
        }
        var iterator = moments.makeAsyncIterator()
        await iterator.next()
        await #expect(throws: CardReaderServiceError.intentCreation(.readerBusy("a payment is running"))) {
            try await bench.service.capturePayment(bench.parameters(), onEvent: { _ in })
        }
        // Only now the first one gets its card.
        bench.clock.schedule(after: .zero) { bench.reader.insert(bench.card) }
        #expect(try await first.status == .requiresCapture)
    }

    @Test func `a cancel returns with the reader idle, a hundred times`() async throws {
        let bench = try ServiceBench { $0.cardholder.insertsAfter = .seconds(3000) }
        try await bench.connect()
        for _ in 0..<100 {
            let (moments, continuation) = AsyncStream.makeStream(of: Void.self)
            let parameters = try bench.parameters()
            async let result = Self.result { () async throws(CardReaderServiceError) in
                try await bench.service.capturePayment(parameters) {
                    if $0 == .waitingForInput(.insert) { continuation.yield() }
                }
            }
            var iterator = moments.makeAsyncIterator()
            await iterator.next()
            try await bench.service.cancelPaymentIntent()
            // Not busy any more.
            await #expect(throws: CardReaderServiceError.retryNotPossibleActivePaymentCanceled) {
                try await bench.service.retryActivePaymentIntent(key: IdempotencyKey(rawValue: "retry"), stan: 999)
            }
            #expect(await result == .failure(.paymentMethodCollection(.commandCanceled(from: .app))))
        }
    }

    @Test func `canceling nothing succeeds`() async throws {
        let bench = try ServiceBench()
        try await bench.service.cancelPaymentIntent()
        try await bench.service.cancelRefund()
        try await bench.connect()
        try await bench.service.cancelPaymentIntent()
        _ = try await bench.pay()
        try await bench.service.cancelPaymentIntent()
    }

    @Test func `a disconnect cancels the payment first`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        let (moments, continuation) = AsyncStream.makeStream(of: Void.self)
        let parameters = try bench.parameters()
        async let result = Self.result { () async throws(CardReaderServiceError) in
            try await bench.service.capturePayment(parameters) {
                if $0 == .waitingForInput(.insert) { continuation.yield() }
            }
        }
        var iterator = moments.makeAsyncIterator()
        await iterator.next()
        try await bench.service.disconnect()
        #expect(await result == .failure(.paymentMethodCollection(.commandCanceled(from: .app))))
    }

    // MARK: Trying again

    @Test func `only a payment that failed before anything was sent can be retried`() async throws {
        let bench = try ServiceBench()
        await #expect(throws: CardReaderServiceError.retryNotPossibleNoActivePayment) {
            try await bench.service.retryActivePaymentIntent(key: IdempotencyKey(rawValue: "retry"), stan: 999)
        }
        try await bench.connect()
        _ = try await bench.pay()
        await #expect(throws: CardReaderServiceError.retryNotPossibleActivePaymentSucceeded) {
            try await bench.service.retryActivePaymentIntent(key: IdempotencyKey(rawValue: "retry"), stan: 999)
        }
        await bench.service.clear()
        await #expect(throws: CardReaderServiceError.retryNotPossibleNoActivePayment) {
            try await bench.service.retryActivePaymentIntent(key: IdempotencyKey(rawValue: "retry"), stan: 999)
        }
    }

    @Test func `a payment that the host answered needs a new key`() async throws {
        let bench = try ServiceBench("insufficient-funds")
        try await bench.connect()
        await #expect(throws: CardReaderServiceError.self) { try await bench.pay() }
        await #expect(throws: CardReaderServiceError.retryNotPossibleActivePaymentAnswered) {
            try await bench.service.retryActivePaymentIntent(key: IdempotencyKey(rawValue: "retry"), stan: 999)
        }
    }

    @Test func `a payment whose card was removed continues with a new key, and reports it`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        bench.reader.arm(.xfrBlock(2, .cardRemoved))
        let parameters = try bench.parameters()
        let log = EventLog()
        await #expect(throws: CardReaderServiceError.paymentMethodCollection(.cardRemoved)) {
            try await bench.pay(parameters) { log.append($0) }
        }
        #expect(log.events.last == .cardRemoved)
        let before = log.events.count
        // The old attempt is over in the caller's journal.
        await #expect(throws: CardReaderServiceError.retryNotPossibleActivePaymentAnswered) {
            try await bench.service.retryActivePaymentIntent(key: parameters.key, stan: 999)
        }
        let intent = try await bench.service.retryActivePaymentIntent(key: IdempotencyKey(rawValue: "retry"), stan: 999)
        #expect(intent.key == IdempotencyKey(rawValue: "retry"))
        #expect(intent.amount == parameters.amount)
        #expect(log.events.count > before)
    }

    // MARK: The card after a payment

    @Test func `a used card must be removed before the next payment`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        bench.reader.insert(bench.card)
        _ = try await bench.service.capturePayment(bench.parameters(), onEvent: { _ in })
        let log = EventLog()
        _ = try await bench.pay { log.append($0) }
        #expect(
            log.events.starts(with: [
                .removeCardRequested, .cardRemoved, .waitingForInput(.insert), .cardInserted,
            ]))
    }

    @Test func `a removed card is not prompted for`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        _ = try await bench.pay()
        try await bench.service.waitForInsertedCardToBeRemoved()
        #expect(!bench.reader.hasCard())
        try await bench.service.waitForInsertedCardToBeRemoved()
        let log = EventLog()
        _ = try await bench.pay { log.append($0) }
        #expect(log.events.first == .waitingForInput(.insert))
    }

    @Test func `a card that is not removed is an error in the end`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        bench.reader.insert(bench.card)
        _ = try await bench.service.capturePayment(bench.parameters(), onEvent: { _ in })
        let start = bench.clock.now()
        await #expect(throws: CardReaderServiceError.paymentMethodCollection(.cardLeftInReader)) {
            try await bench.service.waitForInsertedCardToBeRemoved()
        }
        #expect(bench.clock.now() >= start.advanced(by: .seconds(30)))
    }

    @Test func `without a payment there is nothing to wait for`() async throws {
        let bench = try ServiceBench()
        try await bench.service.waitForInsertedCardToBeRemoved()
        try await bench.connect()
        try await bench.service.waitForInsertedCardToBeRemoved()
    }

    // MARK: Refunds

    @Test func `a refund is one message`() async throws {
        let bench = try ServiceBench()
        try await bench.connect()
        let intent = try await bench.pay()
        let refund = HostRefundRequest(
            key: IdempotencyKey(rawValue: "refund"), original: intent.key, stan: 7, amount: intent.amount)
        #expect(try await bench.service.refundPayment(refund).responseCode == "00")
        #expect(try await bench.issuer.ledger().charged(intent.key) == 0)
        var tooMuch = refund
        tooMuch.key = IdempotencyKey(rawValue: "another")
        await #expect(
            throws: CardReaderServiceError.refundPayment(
                .paymentDeclinedByPaymentProcessorAPI(.invalidAmount), shouldRetry: false)
        ) { try await bench.service.refundPayment(tooMuch) }
    }
}
