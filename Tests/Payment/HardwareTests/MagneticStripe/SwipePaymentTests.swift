import CardSecrets
import Determinism
import EMV
import MagneticStripe
import Money
import SimulatedTime
import Simulator
import Synchronization
import Testing
import USB

@testable import Hardware
@testable import Payments

/// Payments with swiped cards, from the reader to the host.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct SwipePaymentTests {
    /// A host that notes how cards were read before it passes requests on.
    private final class NotingHost: PaymentHost {
        private let host: any PaymentHost
        private let modes = Mutex<[String]>([])
        private let reversals = Mutex<[ReversalRequest.Reason]>([])
        private let answer: PaymentHostError?

        init(_ host: any PaymentHost, failing answer: PaymentHostError?) { (self.host, self.answer) = (host, answer) }

        var seen: [String] { modes.withLock { $0 } }
        var reversed: [ReversalRequest.Reason] { reversals.withLock { $0 } }
        var name: String { host.name }

        func authorize(
            _ request: borrowing AuthorizationRequest
        ) async throws(PaymentHostError) -> AuthorizationResponse {
            let text = "\(request.card.entryMode.code) \(request.card.lastFour)"
            modes.withLock { $0.append(text) }
            if let answer { throw answer }
            return try await host.authorize(request)
        }

        func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
            reversals.withLock { $0.append(request.reason) }
            try await host.reverse(request)
        }

        func advise(_ advice: AdviceRequest) async throws(PaymentHostError) { try await host.advise(advice) }
        func inquire(
            _ key: IdempotencyKey, identity: MessageIdentity?
        ) async throws(PaymentHostError) -> InquiryResult {
            try await host.inquire(key, identity: identity)
        }
        func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
            try await host.lastNumbers(of: identities)
        }
        func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
            try await host.refund(request)
        }
    }

    private struct Outcome {
        var result: Result<PaymentIntent, CardReaderServiceError>
        var events: [CardReaderEvent]
        var host: NotingHost

        var intent: PaymentIntent? { try? result.get() }
        var error: CardReaderServiceError? { if case .failure(let error) = result { error } else { nil } }
        var details: CardDetails? {
            if case .paymentCaptureWithPaymentMethod(_, let details)? = error { details } else { intent?.details }
        }
        var prompts: [CardReaderInput] {
            events.compactMap { if case .waitingForInput(let inputs) = $0 { inputs } else { nil } }
        }
        var messages: [String] {
            events.compactMap { if case .displayMessage(let text) = $0 { text } else { nil } }
        }
    }

    /// Takes one payment.
    private func pay(
        _ card: String, model: SimulatedReaderModel = .combo, beside: SimulatedMSRModel? = nil,
        stripeOnly: Bool = false,
        policy: MagneticStripePolicy = MagneticStripePolicy(), terminal: TerminalConfiguration = .standard,
        failing: PaymentHostError? = nil, faults: [IssuerFaultRule] = [], history: (any CardHistory)? = nil,
        change: (inout CardProfile) -> Void = { _ in },
        onEvent: @escaping @Sendable (CardReaderEvent) -> Void = { _ in }
    ) async throws -> Outcome {
        let noting = Mutex<NotingHost?>(nil)
        let bench = try ServiceBench(
            card, model: stripeOnly ? .shortAPDU : model, isPlugged: !stripeOnly, stripeReader: beside,
            magneticStripe: policy, history: history, faults: faults, terminal: terminal, change: change,
            wrap: { host in
                let made = NotingHost(host, failing: failing)
                noting.withLock { $0 = made }
                return made
            })
        let log = EventLog()
        let result: Result<PaymentIntent, CardReaderServiceError>
        do {
            try await bench.connect()
            result = .success(
                try await bench.pay { event in
                    log.append(event)
                    onEvent(event)
                })
        } catch let error as CardReaderServiceError {
            result = .failure(error)
        }
        await bench.service.clear()
        return Outcome(result: result, events: log.events, host: try #require(noting.withLock { $0 }))
    }

    // MARK: Swiping

    @Test(arguments: [SimulatedMSRModel.pointOfSale, .fixedReport, .keyboard])
    func `a card without a chip is swiped and approved, at every kind of reader`(model: SimulatedMSRModel) async throws
    {
        let outcome = try await pay("stripe-only", beside: model, stripeOnly: true)
        #expect(outcome.host.seen == ["90 7014"])
        #expect(outcome.details?.entryMode == .swipe)
        #expect(outcome.details?.brand == "visa")
        #expect(outcome.details?.lastFour == "7014")
        #expect(outcome.details?.cardholderVerification == .signature)
        #expect(outcome.details?.authorizationResponseCode == "00")
        #expect(outcome.details?.hostReference?.count == 12)
        #expect(outcome.intent?.advice == nil)
        #expect(outcome.prompts == [.swipe])
        #expect(outcome.events.contains(.cardSwiped))
        #expect(!outcome.events.contains(.removeCardRequested))
    }

    @Test func `a stripe reader and a chip reader take cards together`() async throws {
        let swiped = try await pay("stripe-only", model: .shortAPDU, beside: .keyboard)
        #expect(swiped.prompts == [[.insert, .swipe]])
        #expect(swiped.details?.entryMode == .swipe)
        let inserted = try await pay("visa-credit", model: .shortAPDU, beside: .keyboard)
        #expect(inserted.details?.entryMode == .chip)
        #expect(inserted.host.seen == ["05 0010"])
    }

    @Test func `a chip reader alone, and a till without stripes, prompt for the chip`() async throws {
        for outcome in [
            try await pay("visa-credit", model: .shortAPDU), try await pay("visa-credit", policy: .none),
            try await pay("visa-credit", model: .shortAPDU, beside: .pointOfSale, policy: .none),
        ] {
            #expect(outcome.prompts == [.insert])
            #expect(outcome.intent != nil)
        }
    }

    @Test func `a swiped chip card must be inserted`() async throws {
        let outcome = try await pay("swiped-chip")
        #expect(outcome.prompts == [[.insert, .swipe], .insert])
        #expect(outcome.messages == ["the card has a chip: insert it"])
        #expect(outcome.details?.entryMode == .chip)
        #expect(outcome.host.seen.count == 1)
    }

    @Test func `without a chip slot a swiped chip card is rejected, and nothing is sent`() async throws {
        let outcome = try await pay("visa-credit", beside: .pointOfSale, stripeOnly: true)
        #expect(outcome.error == .paymentMethodCollection(.chipCardSwiped))
        #expect(outcome.host.seen.isEmpty)
    }

    @Test func `an unreadable stripe is prompted for again, twice`() async throws {
        let outcome = try await pay("stripe-bad-lrc", beside: .fixedReport, stripeOnly: true)
        #expect(outcome.prompts.count == 3)
        #expect(outcome.messages.count == 2)
        guard case .paymentMethodCollection(.cardSwipeNotRead(let text))? = outcome.error else {
            Issue.record("\(outcome.result)")
            return
        }
        #expect(text.contains("swipe the card again"))
        #expect(outcome.host.seen.isEmpty)
    }

    @Test func `a reader that enciphers its tracks ends the payment at once`() async throws {
        let outcome = try await pay("stripe-only", beside: .encrypted, stripeOnly: true)
        guard case .paymentMethodCollection(.readerIncompatible)? = outcome.error else {
            Issue.record("\(outcome.result)")
            return
        }
        #expect(outcome.prompts == [.swipe])
    }

    @Test func `the reason why an additional stripe reader cannot be used is reported before each payment`()
        async throws
    {
        let words = Mutex<TalkativeBus?>(nil)
        let bench = try ServiceBench(
            "visa-credit", stripeReader: .pointOfSale,
            wrapBus: { bus in
                let bus = TalkativeBus(bus)
                bus.say { $0.closed = [SimulatedMSRModel.pointOfSale.productID] }
                words.withLock { $0 = bus }
                return bus
            })
        try await bench.connect()
        let log = EventLog()
        let intent = try await bench.pay { log.append($0) }
        #expect(intent.details.entryMode == .chip)
        #expect(log.events.first == .displayMessage("Magnetic stripes are not read: \(USBError.accessDenied)."))
        #expect(log.events.contains(.waitingForInput(.insert)))
        // With permission it is used, and there is no further report.
        words.withLock { $0 }?.say { $0.closed = [] }
        try await bench.service.waitForInsertedCardToBeRemoved()
        let next = EventLog()
        _ = try await bench.pay { next.append($0) }
        #expect(next.events.first == .waitingForInput([.insert, .swipe]))
    }

    @Test func `a stripe reader that a killed till detached from its driver takes the next payment`() async throws {
        let bench = try ServiceBench(
            "stripe-only", isPlugged: false, stripeReader: .pointOfSale,
            wrapBus: { bus in
                let bus = TalkativeBus(bus)
                bus.say { $0.hidesReports = true }
                return bus
            })
        try await bench.connect()
        #expect(try await bench.pay().details.entryMode == .swipe)
    }

    @Test func `without a swipe the payment ends at its deadline`() async throws {
        let outcome = try await pay("stripe-only", beside: .pointOfSale, stripeOnly: true) {
            $0.cardholder.insertsAfter = .seconds(90)
        }
        #expect(outcome.error == .paymentMethodCollection(.cardReadTimeOut))
    }

    // MARK: Fallback

    @Test(arguments: [1, 3])
    func `a card with a dead chip is swiped after the configured number of tries`(failures: Int) async throws {
        let outcome = try await pay("damaged-chip", policy: MagneticStripePolicy(chipFailures: failures))
        #expect(outcome.details?.entryMode == .fallback)
        #expect(outcome.host.seen == ["80 7105"])
        #expect(outcome.prompts == Array(repeating: [.insert, .swipe], count: failures) + [.swipe])
        #expect(outcome.events.filter { $0 == .cardInserted }.count == failures)
    }

    @Test(arguments: ["bad-atr", "mute"])
    func `a card without a stripe has no fallback`(card: String) async throws {
        let outcome = try await pay(card) {
            $0.stripe = nil
            $0.cardholder.insertsAfter = .seconds(1)
        }
        #expect(outcome.intent == nil)
        #expect(outcome.host.seen.isEmpty)
    }

    @Test func `without fallback a dead chip ends the payment`() async throws {
        let outcome = try await pay("damaged-chip", policy: MagneticStripePolicy(allowsFallback: false))
        guard case .paymentMethodCollection(.cardInsertNotRead)? = outcome.error else {
            Issue.record("\(outcome.result)")
            return
        }
        #expect(outcome.prompts.count == 1)
        #expect(outcome.host.seen.isEmpty)
    }

    @Test(arguments: ["declined", "declined-offline", "blocked-card", "expired", "missing-data", "goes-mute"])
    func `after a decline or a response of the chip there is no fallback`(card: String) async throws {
        let outcome = try await pay(card, policy: MagneticStripePolicy(chipFailures: 1))
        #expect(outcome.intent == nil)
        #expect(outcome.prompts.count == 1)
        #expect(!outcome.host.seen.contains { $0.hasPrefix("80") || $0.hasPrefix("90") })
    }

    @Test func `a chip that stops responding before application selection counts as unreadable`() async throws {
        let outcome = try await pay("visa-credit", policy: MagneticStripePolicy(chipFailures: 2)) {
            $0.faults = [CardFault(.select, .mute, at: .every)]
        }
        #expect(outcome.details?.entryMode == .fallback)
        #expect(outcome.prompts == [[.insert, .swipe], [.insert, .swipe], .swipe])
    }

    // MARK: What the terminal checks

    @Test(
        arguments: [
            (701, "the card is not for use here"), (901, "the card is for tests only"),
            (103, "the card is for cash only"),
            (104, "the card is for cash only"),
        ] as [(UInt16, String)])
    func `a service code without goods ends the payment`(code: UInt16, reason: String) async throws {
        let outcome = try await pay("stripe-only") { $0.stripe?.serviceCode = code }
        guard
            case .paymentCaptureWithPaymentMethod(.paymentDeclinedByCardReader(let declined), let details)? = outcome
                .error
        else {
            Issue.record("\(outcome.result)")
            return
        }
        #expect(declined.description == reason)
        #expect(details.lastFour == "7014")
        #expect(outcome.host.seen.isEmpty)
    }

    @Test func `an expired card is declined without the host`() async throws {
        let outcome = try await pay("stripe-expired")
        #expect(outcome.host.seen.isEmpty)
        #expect("\(try #require(outcome.error))".contains("expired"))
    }

    private struct Exceptions: CardHistory {
        func isOnExceptionFile(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) -> Bool {
            pan.lastFour == "7014"
        }
        func recentAmount(
            _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, currency: Currency
        ) -> Int64 { 0 }
    }

    @Test func `a card on the exception file is declined without the host`() async throws {
        let outcome = try await pay("stripe-only", history: Exceptions())
        #expect("\(try #require(outcome.error))".contains("exception file"))
        #expect(outcome.host.seen.isEmpty)
        let other = try await pay("stripe-track-one", history: Exceptions())
        #expect(other.intent != nil)
    }

    // MARK: The cardholder

    @Test func `a card that requires a PIN sends it to the issuer`() async throws {
        let right = try await pay("stripe-pin")
        #expect(right.details?.cardholderVerification == .onlinePIN)
        #expect(right.intent != nil)
        let wrong = try await pay("stripe-pin") { $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9]))] }
        #expect(wrong.details?.authorizationResponseCode == "55")
    }

    @Test func `a missing required PIN ends the payment, a missing optional PIN does not`()
        async throws
    {
        let needed = try await pay("stripe-pin") { $0.cardholder.pinEntries = [.bypassed] }
        #expect("\(try #require(needed.error))".contains("needs its PIN"))
        #expect(needed.host.seen.isEmpty)
        let wished = try await pay("stripe-pin") {
            $0.cardholder.pinEntries = [.bypassed]
            $0.stripe?.serviceCode = 106
        }
        #expect(wished.details?.cardholderVerification == .signature)
        #expect(wished.intent != nil)
        let canceled = try await pay("stripe-pin") { $0.cardholder.pinEntries = [.canceled] }
        #expect(canceled.error == .paymentMethodCollection(.commandCanceled(from: .reader)))
    }

    @Test func `without a PIN pad, a card that requires a PIN is declined`() async throws {
        let terminal = try TerminalConfiguration(capabilities: [.contactChip, .signature, .noCVMRequired])
        let needed = try await pay("stripe-pin", terminal: terminal)
        #expect("\(try #require(needed.error))".contains("needs its PIN"))
        let wished = try await pay("stripe-pin", terminal: terminal) { $0.stripe?.serviceCode = 106 }
        #expect(wished.details?.cardholderVerification == .signature)
    }

    // MARK: The host

    @Test func `a decline by the issuer is reported with its reason`() async throws {
        let outcome = try await pay("stripe-wrong-cvv")
        guard
            case .paymentCaptureWithPaymentMethod(.paymentDeclinedByPaymentProcessorAPI(let reason), let details)? =
                outcome.error
        else {
            Issue.record("\(outcome.result)")
            return
        }
        #expect(reason == .securityFailure)
        #expect(details.authorizationResponseCode == "82")
        #expect(outcome.host.reversed.isEmpty)
    }

    @Test func `an unreachable host is not a decline, and nothing is reversed`() async throws {
        let outcome = try await pay("stripe-only", failing: .notSent("down"))
        guard case .paymentCaptureWithPaymentMethod(.notConnectedToInternet, _)? = outcome.error else {
            Issue.record("\(outcome.result)")
            return
        }
        #expect(outcome.host.reversed.isEmpty)
    }

    @Test func `a missing response is reversed; without confirmation the outcome is unknown`() async throws {
        let taken = try await pay("stripe-only", failing: .outcomeUnknown("no answer"))
        guard case .paymentCaptureWithPaymentMethod(.requestTimedOut, _)? = taken.error else {
            Issue.record("\(taken.result)")
            return
        }
        #expect(taken.host.reversed == [.timeout])
        let unknown = try await pay(
            "stripe-only", failing: .outcomeUnknown("no answer"),
            faults: [IssuerFaultRule(.answerLost, messages: [.reverse], times: 1)])
        guard case .paymentOutcomeUnknown? = unknown.error else {
            Issue.record("\(unknown.result)")
            return
        }
    }

    @Test func `a payment that is canceled while it waits for a swipe ends, and the reader is idle`() async throws {
        let bench = try ServiceBench("stripe-only", isPlugged: false, stripeReader: .pointOfSale)
        try await bench.connect()
        let waits = AsyncStream<Void>.makeStream()
        let payment = Task {
            // There is no reaction.
            try await bench.service.capturePayment(bench.parameters()) { event in
                if case .waitingForInput = event { waits.continuation.yield() }
            }
        }
        for await _ in waits.stream { break }
        try await bench.service.cancelPaymentIntent()
        await #expect(throws: CardReaderServiceError.paymentMethodCollection(.commandCanceled(from: .app))) {
            try await payment.value
        }
        #expect(try await bench.pay().details.entryMode == .swipe)
    }

    @Test func `unplugging a stripe reader ends its own payment, but not one at a chip reader`()
        async throws
    {
        let alone = try ServiceBench("stripe-only", isPlugged: false, stripeReader: .pointOfSale)
        try await alone.connect()
        let pulled = try #require(alone.stripeReader)
        await #expect(throws: CardReaderServiceError.paymentMethodCollection(.readerDisconnected)) {
            try await alone.service.capturePayment(alone.parameters()) { event in
                if case .waitingForInput = event {
                    alone.clock.schedule(after: .seconds(1)) { alone.bus.unplug(pulled) }
                }
            }
        }
        let both = try ServiceBench("visa-credit", stripeReader: .pointOfSale) {
            $0.cardholder.insertsAfter = .seconds(5)
        }
        try await both.connect()
        let beside = try #require(both.stripeReader)
        let intent = try await both.pay { event in
            if case .waitingForInput = event { both.clock.schedule(after: .seconds(1)) { both.bus.unplug(beside) } }
        }
        #expect(intent.details.entryMode == .chip)
        // Plugged in again, it is found for the next payment.
        both.bus.plug(beside)
        let log = EventLog()
        _ = try await both.pay { log.append($0) }
        #expect(log.events.contains(.waitingForInput([.insert, .swipe])))
    }

    @Test func `entry modes have their DE 22 values`() {
        #expect(CardDetails.EntryMode.allCases.map(\.code) == ["05", "07", "90", "80"])
    }
}
