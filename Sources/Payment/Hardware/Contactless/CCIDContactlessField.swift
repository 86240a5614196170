import CCID
import SmartCard
import Synchronization

/// The field of a contactless slot of a CCID reader on a USB bus.
final class CCIDContactlessField: ContactlessField {
    private let driver: CCIDReader
    private let slot: UInt8
    /// The card that has power.
    private let channel = Mutex<(any CardChannel)?>(nil)

    /// Takes the open reader, and the number of its contactless slot.
    init(_ driver: CCIDReader, slot: UInt8) { (self.driver, self.slot) = (driver, slot) }

    var tellsCollisions: Bool { driver.tellsCollisions }

    func switchField(on isOn: Bool) async throws(UnderlyingError) {
        channel.withLock { $0 = nil }
        do throws(CCIDError) { try await driver.switchField(on: isOn, slot: slot) } catch {
            throw UnderlyingError(error)
        }
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        do throws(CCIDError) {
            return try await driver.waitForCard(present: present, slot: slot, timeout: timeout)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func activate() async throws(UnderlyingError) -> ActivatedCard {
        do throws(CCIDError) {
            let channel = try await driver.powerOn(slot: slot)
            self.channel.withLock { $0 = channel }
            return ActivatedCard(channel, answer: channel.contactless)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func seesSeveralCards() async throws(UnderlyingError) -> Bool {
        do throws(CCIDError) { return try await driver.seesSeveralCards(slot: slot) } catch {
            throw UnderlyingError(error)
        }
    }

    func indicate(_ indication: ContactlessIndication) async {
        await driver.indicate(indication, through: channel.withLock { $0 }, slot: slot)
    }
}
