import CardSecrets
import Determinism
import EMV
import Hardware
import Payments
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// The records do not depend on the reader service's result of a payment: what the host approved and did not reverse
/// is not over.
@Suite struct CarelessServiceTests {
    /// Asks the host, and then fails as if nothing had been sent. It takes nothing back.
    private struct CarelessService: CardReaderService {
        let host: any PaymentHost
        var onAsked: @Sendable (PaymentIntentParameters) -> Void = { _ in }

        func capturePayment(
            _ parameters: PaymentIntentParameters, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
        ) async throws(CardReaderServiceError) -> PaymentIntent {
            onAsked(parameters)
            guard
                let pan = try? PrimaryAccountNumber(compressedNumeric: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10])
            else { throw .paymentMethodCollection(.cardInsertNotRead("no PAN")) }
            let request = AuthorizationRequest(
                key: parameters.key, stan: parameters.stan, amount: parameters.amount,
                date: CivilDate(year: 2026, month: 1, day: 2),
                card: .chip(
                    OnlineAuthorizationRequest(
                        pan: pan, trackTwo: nil, panSequenceNumber: 1, expiry: [0x35, 0x12], iccData: [],
                        pinBlock: nil)))
            _ = try? await host.authorize(request)
            throw .paymentMethodCollection(.cardRemoved)
        }

        func refundPayment(_ request: HostRefundRequest) async throws(CardReaderServiceError) -> RefundResult {
            throw .refundPayment(.noRefundInProgress, shouldRetry: true)
        }

        var discoveredReaders: AsyncStream<[CardReader]> { AsyncStream { nil } }
        var connectedReaders: AsyncStream<[CardReader]> { AsyncStream { nil } }
        var readerEvents: AsyncStream<CardReaderEvent> { AsyncStream { nil } }
        var reconnectionStates: AsyncStream<CardReaderReconnectionState> { AsyncStream { nil } }
        func cancelReconnection() {}
        var softwareUpdateEvents: AsyncStream<CardReaderSoftwareUpdateState> { AsyncStream { nil } }
        func checkSupport(for readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod) -> Bool { true }
        func start(_ discoveryMethod: CardReaderDiscoveryMethod) {}
        func cancelDiscovery() {}
        func connect(_ reader: CardReader) -> CardReader { reader }
        func disconnect() {}
        func clear() {}
        func waitForInsertedCardToBeRemoved() {}
        func retryActivePaymentIntent(
            key: IdempotencyKey, stan: UInt32
        ) throws(CardReaderServiceError) -> PaymentIntent { throw .retryNotPossibleNoActivePayment }
        func cancelPaymentIntent() {}
        func cancelRefund() {}
        func installUpdate() {}
        func cancelUpdate() {}
    }

    /// A scripted host.
    private struct FixedHost: PaymentHost {
        let answer: Result<String, PaymentHostError>
        var name: String { "fixed" }

        func authorize(_ request: borrowing AuthorizationRequest) throws(PaymentHostError) -> AuthorizationResponse {
            AuthorizationResponse(
                reference: "000000000001", answer: IssuerAnswer(authorizationResponseCode: Array(try answer.get().utf8))
            )
        }

        func reverse(_ request: ReversalRequest) {}
        func advise(_ advice: AdviceRequest) {}
        func inquire(_ key: IdempotencyKey, identity: MessageIdentity?) -> InquiryResult { .notFound }
        func lastNumbers(of identities: [String]) -> [String: Int64] { [:] }
        func refund(_ request: HostRefundRequest) throws(PaymentHostError) -> AuthorizationResponse {
            throw .notSent("no refunds")
        }
    }

    @Test(
        arguments: [
            (.success("00"), "unknown"), (.failure(.outcomeUnknown("no answer")), "unknown"),
            (.success("51"), "failed"),
            (.failure(.notSent("no line")), "failed"),
        ] as [(Result<String, PaymentHostError>, String)])
    func `a payment is failed only if no money can have moved`(
        answer: Result<String, PaymentHostError>, state: String
    ) async throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let time = VirtualTimeSource()
        let dispatcher = Dispatcher(time: time)
        _ = try dispatcher.register(
            CardPresentPaymentsStore(
                host: FixedHost(answer: answer), journal: journal,
                merchant: Merchant(name: "Shop", merchantID: "M1", terminalID: "00000001"), time: time,
                random: SeededRandomSource(seed: 2)
            ) { CarelessService(host: $0) })
        let request = PaymentRequest(amount: try usd("12.50"))
        let payment: Payment = try await dispatcher.perform { done in
            CardPresentPaymentsAction.collectPayment(
                request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in }, onCompletion: done)
        }
        #expect(payment.state.rawValue == state)
        let report: RecoveryReport = try await dispatcher.perform {
            CardPresentPaymentsAction.recoverPayments(onCompletion: $0)
        }
        #expect(report.finished.map(\.state) == (state == "unknown" ? [.reversed] : []))
    }

    @Test func `a retry uses its own timeout and online flag`() async throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let dispatcher = Dispatcher(time: VirtualTimeSource())
        let asked = Mutex<[PaymentIntentParameters]>([])
        _ = try dispatcher.register(
            CardPresentPaymentsStore(
                host: FixedHost(answer: .success("51")), journal: journal,
                merchant: Merchant(name: "Shop", merchantID: "M1", terminalID: "00000001"), time: VirtualTimeSource(),
                random: SeededRandomSource(seed: 2)
            ) { CarelessService(host: $0, onAsked: { parameters in asked.withLock { $0.append(parameters) } }) })
        let request = PaymentRequest(amount: try usd("12.50"), cardTimeout: .seconds(5), forcedOnline: true)
        let payment: Payment = try await dispatcher.perform { done in
            CardPresentPaymentsAction.collectPayment(
                request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in }, onCompletion: done)
        }
        for (timeout, forced) in [(7, true), (9, false)] {
            let _: Payment = try await dispatcher.perform { done in
                CardPresentPaymentsAction.retryPayment(
                    paymentID: payment.id, cardTimeout: .seconds(timeout), forcedOnline: forced,
                    onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in }, onCompletion: done)
            }
        }
        let parameters = asked.withLock { $0 }
        #expect(parameters.map(\.cardTimeout) == [.seconds(5), .seconds(7), .seconds(9)])
        #expect(parameters.map(\.forcedOnline) == [true, true, false])
        #expect(Set(parameters.map(\.key)).count == 3)
    }
}
