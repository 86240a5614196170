internal import Determinism
internal import SmartCard

/// GET CHALLENGE (EMV Book 3 §6.5.6).
extension CardOperatingSystem {
    mutating func getChallenge(_ command: CommandAPDU) -> ResponseAPDU {
        guard command.p1 == 0, command.p2 == 0 else { return .failed(.incorrectParameters) }
        guard selectedIndex != nil else { return .failed(.conditionsNotSatisfied) }
        let challenge = random.bytes(8)
        session.challenge = challenge
        return .succeeded(challenge)
    }
}
