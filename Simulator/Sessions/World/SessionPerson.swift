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
        var reader: SessionReader?
    }

    /// Who is there in place of the card's holder when everything is done by hand.
    let attendant: SessionAttendant

    private let state = Mutex(State())

    init(attendant: SessionAttendant) { self.attendant = attendant }

    /// The card in their hand, or in the reader; nil before the first payment.
    var card: SessionCard? { state.withLock { $0.card } }

    /// Another payment begins, with this person.
    func change(to cardholder: SimulatedCardholder, with card: SessionCard, presentsCard: Bool) {
        attendant.leave()
        state.withLock { ($0.cardholder, $0.card, $0.presentsCard, $0.reader) = (cardholder, card, presentsCard, nil) }
    }

    /// Another payment begins, at which everything is done by hand.
    func standBack(from reader: SessionReader, with card: SessionCard) {
        attendant.leave()
        reader.parts.chip?.onPINRequest(nil)
        state.withLock { ($0.cardholder, $0.card, $0.reader) = (nil, card, reader) }
    }

    /// Something happened at the reader.
    func observe(_ event: CardReaderEvent) {
        let (cardholder, presentsCard, reader) = state.withLock { ($0.cardholder, $0.presentsCard, $0.reader) }
        if let reader { return attendant.observe(event, hasCard: reader.parts.chip?.hasCard() ?? false) }
        switch event {
        case .waitingForInput, .removeCardRequested: if presentsCard { cardholder?.observe(event) }
        default: cardholder?.observe(event)
        }
    }

    private var cardholder: (any CardholderInterface)? {
        state.withLock { state -> (any CardholderInterface)? in
            if state.reader == nil { state.cardholder } else { attendant }
        }
    }

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
