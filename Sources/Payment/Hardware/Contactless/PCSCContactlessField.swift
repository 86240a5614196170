import PCSC
import SmartCard

/// The field of a contactless reader behind pcscd, which passes no commands for the field on: switching it off takes
/// the card's power, and the reader's driver goes on looking for cards.
final class PCSCContactlessField: ContactlessField {
    private let reader: PCSCReader

    init(_ reader: PCSCReader) { self.reader = reader }

    var tellsCollisions: Bool { false }

    func switchField(on isOn: Bool) async throws(UnderlyingError) { if !isOn { await reader.powerOff() } }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        do throws(PCSCError) {
            return try await reader.waitForCard(present: present, timeout: timeout)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func activate() async throws(UnderlyingError) -> ActivatedCard {
        do throws(PCSCError) {
            let channel = try await reader.powerOn()
            return ActivatedCard(channel, answer: channel.contactless)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func seesSeveralCards() async throws(UnderlyingError) -> Bool { false }
}
