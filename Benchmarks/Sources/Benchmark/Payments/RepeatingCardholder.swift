import CardSecrets
import EMV
import Hardware
import Simulator

/// A cardholder who pays repeatedly with one card: inserts and removes it when the reader asks.
final class RepeatingCardholder: CardholderInterface {
    private let card: SimulatedEMVCard
    private let reader: SimulatedCCIDReader
    private let clock: SimulationClock

    init(card: SimulatedEMVCard, reader: SimulatedCCIDReader, clock: SimulationClock) {
        (self.card, self.reader, self.clock) = (card, reader, clock)
    }

    func observe(_ event: CardReaderEvent) {
        switch event {
        case .waitingForInput: clock.schedule(after: .seconds(2)) { [reader, card] in reader.insert(card) }
        case .removeCardRequested: clock.schedule(after: .seconds(1)) { [reader] in reader.removeCard() }
        default: break
        }
    }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { applications.indices.first }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? { nil }
}
