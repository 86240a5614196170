import CardSecrets
import EMV
import Synchronization

/// A cardholder who does what the test says, and remembers what was asked.
final class TestCardholder: CardholderInterface {
    enum PIN: Sendable { case digits([UInt8]), bypass, cancel, unavailable }

    private struct State {
        var pins: [PIN]
        var prompts: [PINPrompt] = []
        var choices: [[ApplicationChoice]] = []
    }

    private let state: Mutex<State>
    private let choice: @Sendable ([ApplicationChoice]) -> Int?
    private let canEncipher: Bool

    init(
        pins: [PIN] = [], canEncipher: Bool = true,
        choice: @escaping @Sendable ([ApplicationChoice]) -> Int? = { _ in 0 }
    ) {
        state = Mutex(State(pins: pins))
        (self.choice, self.canEncipher) = (choice, canEncipher)
    }

    var prompts: [PINPrompt] { state.withLock { $0.prompts } }
    var choices: [[ApplicationChoice]] { state.withLock { $0.choices } }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        state.withLock { $0.choices.append(applications) }
        return choice(applications)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        let next: PIN = state.withLock { state in
            state.prompts.append(prompt)
            return state.pins.isEmpty ? .unavailable : state.pins.removeFirst()
        }
        switch next {
        case .digits(let digits): return .entered(SensitiveBytes(digits))
        case .bypass: return .bypassed
        case .cancel: return .cancelled
        case .unavailable: return .unavailable
        }
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        canEncipher ? EncipheredPINBlock(block: [UInt8](repeating: 0x5A, count: 8), keySerialNumber: []) : nil
    }
}
