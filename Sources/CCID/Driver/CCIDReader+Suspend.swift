internal import Determinism
internal import USB

/// What a sleep of the whole machine does to a reader. The bus had no power or was not polled, so the cards may have
/// been off or exchanged, a transfer may have been lost with its data toggle (USB 2.0 §8.6), and no notice came.
extension CCIDReader {
    /// Shorter than any sleep, and longer than two clocks can be apart that are read one after the other.
    static let shortestSleep = Duration.milliseconds(250)

    /// Looks whether the machine slept since the last look. If so every session with a card is void, and the reader is
    /// brought to rest. With the pipe held.
    ///
    /// - Throws: ``CCIDError/readerGone``, ``CCIDError/readerDead``, ``CCIDError/cancelled``
    func hasSlept() async throws(CCIDError) -> Bool {
        let now = time.timeAsleep()
        guard now - timeAsleep >= Self.shortestSleep else { return false }
        timeAsleep = now
        for slot in slots.indices {
            slots[slot].session = nil
            slots[slot].isDoubtful = false
            slots[slot].card = nil
        }
        // Sets the toggles of both sides back to the beginning, whatever was lost.
        for endpoint in [interface.bulkOut.address, interface.bulkIn.address] {
            try? await transport.clearHalt(endpoint: endpoint)
        }
        try await rest()
        timeAsleepSurvived = now
        return true
    }
}
