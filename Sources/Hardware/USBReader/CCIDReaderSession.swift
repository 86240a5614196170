internal import CCID
internal import SmartCard
internal import USB

/// A CCID reader on a USB bus, opened by this program's own driver. Its first slot takes the cards.
final class CCIDReaderSession: CardReaderSession {
    private let driver: CCIDReader
    private let bus: any USBBus
    private let battery: BatteryQuery?

    /// - Parameters:
    ///   - driver: the open reader.
    ///   - bus: where it is.
    ///   - battery: how it is asked for its charge; nil when it has no battery.
    init(_ driver: CCIDReader, on bus: any USBBus, battery: BatteryQuery?) {
        (self.driver, self.bus, self.battery) = (driver, bus, battery)
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        do throws(CCIDError) {
            return try await driver.waitForCard(present: present, timeout: timeout)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel {
        do throws(CCIDError) {
            return try await driver.powerOn()
        } catch {
            throw UnderlyingError(error)
        }
    }

    func powerOff() async { try? await driver.powerOff() }

    func batteryLevel() async -> Double? {
        guard let battery else { return nil }
        let driver = driver
        // A reader that does not tell its charge takes payments all the same.
        return await Task { try? await driver.escape(battery.command) }.value.flatMap(battery.level(in:))
    }

    func loss() async -> DisconnectReason? {
        let driver = driver
        let failure = await Task { () -> CCIDError? in
            do throws(CCIDError) {
                _ = try await driver.cardStatus()
                return nil
            } catch {
                return error
            }
        }.value
        guard failure == .readerGone || failure == .closed, let failure else { return nil }
        let isPresent = (try? await bus.devices())?.contains {
            $0.bus == driver.device.bus && $0.address == driver.device.address
        }
        return isPresent == false ? .unplugged : .failed(failure.description)
    }

    func close() async { await driver.close() }
}
