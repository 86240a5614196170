import Simulator
import SmartCard

/// A card without a reader. A command is a function call.
struct CardContacts: CardChannel {
    let card: SimulatedEMVCard
    let meter: WorkMeter?

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        guard let meter else { return try answer(command) }
        let before = Machine.threadProcessorSeconds
        let response = try answer(command)
        meter.note(command, seconds: Machine.threadProcessorSeconds - before)
        return response
    }

    private func answer(_ command: CommandAPDU) throws(CardChannelError) -> ResponseAPDU {
        guard let response = card.process(command).response else { throw .cardMute }
        return response
    }
}
