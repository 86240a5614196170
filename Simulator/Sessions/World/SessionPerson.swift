internal import CardSecrets
internal import EMV
internal import Hardware
internal import Simulator
internal import Synchronization

/// The person at the till: whoever holds the card of the payment that runs.
final class SessionPerson: CardholderInterface {
    private struct State {
        var card: SessionCard?
        var cardholder: SimulatedCardholder?
        var presentsCard = true
    }

    private let state = Mutex(State())

    /// The card in their hand, or in the reader; nil before the first payment.
    var card: SessionCard? { state.withLock { $0.card } }

    /// Another payment begins, with this person.
    func change(to cardholder: SimulatedCardholder, with card: SessionCard, presentsCard: Bool) {
        state.withLock { ($0.cardholder, $0.card, $0.presentsCard) = (cardholder, card, presentsCard) }
    }

    /// Something happened at the reader.
    func observe(_ event: CardReaderEvent) {
        let (cardholder, presentsCard) = state.withLock { ($0.cardholder, $0.presentsCard) }
        switch event {
        case .waitingForInput, .removeCardRequested: if presentsCard { cardholder?.observe(event) }
        default: cardholder?.observe(event)
        }
    }

    private var cardholder: SimulatedCardholder? { state.withLock { $0.cardholder } }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        await cardholder?.chooseApplication(applications)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        guard let cardholder else { return .cancelled }
        return await cardholder.enterPIN(prompt)
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        guard let cardholder else { return nil }
        return await cardholder.encipherPIN(pin, pan: pan)
    }
}
