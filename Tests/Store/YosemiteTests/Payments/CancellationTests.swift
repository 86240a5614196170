import EMV
import Hardware
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// A payment that is canceled, at every moment at which it can be.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct CancellationTests {
    /// Expects that the payment was canceled before authorization, and that the reader takes the next one.
    private func expectCanceled(
        _ payment: Payment, on till: TestTill, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(payment.outcome == .canceled, sourceLocation: sourceLocation)
        #expect(payment.state == .canceled, sourceLocation: sourceLocation)
        #expect(payment.errorCode == "cancelled", sourceLocation: sourceLocation)
        #expect(try await till.issuer.ledger().entries.isEmpty, sourceLocation: sourceLocation)
        try await expectIdle(till, sourceLocation)
    }

    private func expectIdle(_ till: TestTill, _ sourceLocation: SourceLocation) async throws {
        await till.endCancel()
        #expect(till.completions == (1, 1), sourceLocation: sourceLocation)
        #expect(try await till.collect("3.00").outcome == .approved, sourceLocation: sourceLocation)
        #expect(try await till.booksAgree(), sourceLocation: sourceLocation)
    }

    @Test func `before a card is presented`() async throws {
        let till = try TestTill { $0.change = { $0.cardholder.insertsAfter = .seconds(20) } }
        let payment = try await till.pay { event in
            if event == .waitingForInput(.insert), till.completions == (0, 0) { till.beginCancel() }
        }
        try await expectCanceled(payment, on: till)
    }

    @Test func `during the wait for a card`() async throws {
        let till = try TestTill { $0.change = { $0.cardholder.insertsAfter = .seconds(20) } }
        let payment = try await till.pay { event in
            guard event == .waitingForInput(.insert), till.completions == (0, 0) else { return }
            till.clock.schedule(after: .seconds(5)) { till.beginCancel() }
        }
        try await expectCanceled(payment, on: till)
    }

    @Test(arguments: [
        KernelState.selectingApplication, .readingApplicationData, .cardholderVerification, .terminalRiskManagement,
        .cardActionAnalysis,
    ])
    func `while the kernel runs`(state: KernelState) async throws {
        let till = try TestTill()
        let payment = try await till.pay { event in
            if event == .kernel(state), till.completions == (0, 0) { till.beginCancel() }
        }
        try await expectCanceled(payment, on: till)
    }

    @Test func `after the card's data was read and before anything is sent`() async throws {
        let till = try TestTill()
        let payment = try await till.pay { if $0 == .cardDetailsCollected { till.beginCancel() } }
        // Nothing was sent, but the card computed its first cryptogram: it gets the decline.
        #expect(payment.outcome == .canceled)
        #expect(try await till.charged() == 0)
        #expect(try await till.booksAgree())
    }

    @Test func `during authorization: an approval is reversed`() async throws {
        let later = Later<TestTill>()
        let till = try TestTill {
            $0.wrap = { host in
                MeddlingHost(host: host, before: { later.take()?.beginCancel() })
            }
        }
        later.value = till
        let payment = try await till.pay()
        #expect(payment.outcome == .canceled)
        #expect(payment.state == .reversed)
        #expect(payment.errorCode == "cancelled")
        #expect(try await till.story(payment) == [["created", "authorizing", "reversing", "reversed"]])
        #expect(try await till.charged() == 0)
        try await expectIdle(till, #_sourceLocation)
    }

    @Test func `during authorization: an unconfirmed reversal leaves the payment unknown`() async throws {
        let later = Later<TestTill>()
        let till = try TestTill {
            $0.wrap = { MeddlingHost(host: $0, before: { later.take()?.beginCancel() }) }
            $0.faults = [IssuerFaultRule(.requestLost, messages: [.reverse], times: 1)]
        }
        later.value = till
        let payment = try await till.pay()
        #expect(payment.outcome == .unknown)
        #expect(try await till.charged() == 1250)
        #expect(try await till.recover().finished.map(\.state) == [.reversed])
        #expect(try await till.booksAgree())
    }

    @Test func `during authorization at an unreachable host`() async throws {
        let later = Later<TestTill>()
        let till = try TestTill {
            $0.wrap = { MeddlingHost(host: $0, before: { later.take()?.beginCancel() }) }
            $0.faults = [IssuerFaultRule(.notReachable, messages: [.authorize], times: 1)]
        }
        later.value = till
        let payment = try await till.pay()
        #expect(payment.errorCode == "cancelled")
        #expect(payment.outcome == .canceled)
        #expect(try await till.issuer.ledger().entries.isEmpty)
        #expect(try await till.recover() == RecoveryReport())
        try await expectIdle(till, #_sourceLocation)
    }

    @Test func `after the approval it is too late`() async throws {
        let till = try TestTill()
        let payment = try await till.pay {
            if $0 == .cardRemovedAfterClientSidePaymentCapture, till.completions == (0, 0) { till.beginCancel() }
        }
        #expect(payment.outcome == .approved)
        #expect(try await till.charged() == 1250)
        try await expectIdle(till, #_sourceLocation)
    }

    @Test func `without a running payment`() async throws {
        let till = try TestTill()
        try await till.cancel()
        try await till.connect()
        try await till.cancel()
        try await till.perform { .cancelRefund(onCompletion: $0) } as Void
        #expect(try await till.collect().outcome == .approved)
        try await till.cancel()
    }

    @Test func `right after it was dispatched`() async throws {
        let till = try TestTill()
        try await till.connect()
        let request = PaymentRequest(amount: try usd("12.50"))
        let (results, continuation) = AsyncStream.makeStream(of: Payment?.self)
        for _ in 0..<50 {
            try till.dispatcher.dispatch(
                CardPresentPaymentsAction.collectPayment(
                    request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in },
                    onCompletion: { continuation.yield(try? $0.get()) }))
            // Completes after the payment has.
            try await till.cancel()
            var iterator = results.makeAsyncIterator()
            let payment = try #require(await iterator.next() ?? nil)
            #expect(payment.outcome == .canceled)
        }
        #expect(try await till.collect().outcome == .approved)
        #expect(try await till.booksAgree())
    }

    @Test func `canceling a refund does not stop a payment, and vice versa`() async throws {
        let till = try TestTill()
        let payment = try await till.pay { event in
            guard event == .kernel(.readingApplicationData) else { return }
            try? till.dispatcher.dispatch(CardPresentPaymentsAction.cancelRefund(onCompletion: { _ in }))
        }
        #expect(payment.outcome == .approved)
    }

    @Test func `a second payment is rejected, and the first continues`() async throws {
        let till = try TestTill()
        let refused = Later<CardPresentPaymentsError>()
        let request = PaymentRequest(amount: try usd("1.00"))
        let payment = try await till.pay { event in
            guard event == .kernel(.readingApplicationData) else { return }
            try? till.dispatcher.dispatch(
                CardPresentPaymentsAction.collectPayment(
                    request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in },
                    onCompletion: { result in
                        if case .failure(let error) = result { refused.value = error }
                    }))
        }
        #expect(payment.outcome == .approved)
        #expect(refused.value == .busy)
        #expect(try till.journal.payments().count == 1)
    }

    @Test func `a reset during a payment cancels it and disconnects the reader`() async throws {
        let till = try TestTill { $0.change = { $0.cardholder.insertsAfter = .seconds(20) } }
        try await till.connect()
        let payment = try await till.collect { event in
            guard event == .waitingForInput(.insert) else { return }
            try? till.dispatcher.dispatch(CardPresentPaymentsAction.reset(onCompletion: { _ in }))
        }
        #expect(payment.outcome == .canceled)
        for await readers in await till.service.connectedReaders where readers.isEmpty { break }
    }
}
