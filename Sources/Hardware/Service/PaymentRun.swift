internal import Amounts
internal import CardSecrets
internal import Determinism
internal import EMV
internal import SmartCard

/// One payment at a connected reader, from the wait for a card to the settled outcome.
struct PaymentRun: Sendable {
    let reader: any CardReaderSession
    let host: any PaymentHost
    let terminal: TerminalConfiguration
    let cardholder: any CardholderInterface
    let history: (any CardHistory)?
    let time: any TimeSource
    let random: any RandomSource
    let trace: (@Sendable (TraceEntry) -> Void)?
    let events: EventRelay
    let parameters: PaymentIntentParameters
    /// Told when a card is in the reader: from then on it is this payment's, and no other's.
    let onCardTaken: @Sendable () async -> Void

    func perform() async throws(CardReaderServiceError) -> PaymentIntent {
        let created = time.now()
        let date = time.localDate()
        let channel = try await waitForCard()
        let authorizer = HostAuthorizer(host: host, parameters: parameters, date: date, events: events)
        let kernel = ContactKernel(
            terminal: terminal, cardholder: cardholder, authorizer: authorizer, history: history, random: random)
        let request = TransactionRequest(
            amount: parameters.amount, date: date, sequenceCounter: parameters.stan,
            forcedOnline: parameters.forcedOnline)
        let outcome = await kernel.run(request, on: traced(channel)) { [events] state in events.send(.kernel(state)) }
        // The card has said all that it will: it may be taken out whatever comes next.
        await reader.powerOff()
        events.send(outcome.decision == .terminated(.channel(.cardRemoved)) ? .cardRemoved : .removeCardRequested)
        let settlement = PaymentSettlement(
            outcome: outcome, exchange: await authorizer.exchange, parameters: parameters, host: host,
            created: created)
        return try await settlement.settle()
    }

    /// The last look into the slot comes at the deadline itself, and takes a moment.
    private static let lastLook = Duration.seconds(1)

    private func waitForCard() async throws(CardReaderServiceError) -> any CardChannel {
        events.send(.waitingForInput(.insert))
        let asked = time.now()
        let isPresent: Bool
        do throws(UnderlyingError) {
            isPresent = try await reader.waitForCard(present: true, timeout: parameters.cardTimeout)
        } catch {
            throw .paymentMethodCollection(error)
        }
        let waited = Duration.milliseconds(time.now().milliseconds - asked.milliseconds)
        guard isPresent, waited < parameters.cardTimeout + Self.lastLook else {
            throw .paymentMethodCollection(.cardReadTimeOut)
        }
        events.send(.cardInserted)
        await onCardTaken()
        do throws(UnderlyingError) {
            return try await reader.powerOn()
        } catch {
            await reader.powerOff()
            events.send(error == .cardRemoved ? .cardRemoved : .removeCardRequested)
            throw .paymentMethodCollection(error)
        }
    }

    private func traced(_ channel: any CardChannel) -> any CardChannel {
        guard let trace else { return channel }
        return TracingCardChannel(channel, record: trace)
    }
}
