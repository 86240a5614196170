internal import CCID
internal import SmartCard
internal import Synchronization
internal import USB

/// A CCID reader on a USB bus, opened by this program's own driver. Its first slot takes the cards.
final class CCIDReaderSession: CardReaderSession {
    private let driver: CCIDReader
    private let bus: any USBBus
    private let battery: BatteryQuery?
    /// What the kernel told of the device when it was opened.
    private let statusAtOpening: USBDeviceStatus?
    private let recovery: RecoveryObserver

    /// - Parameters:
    ///   - driver: the open reader.
    ///   - bus: where it is.
    ///   - battery: how it is asked for its charge; nil when it has no battery.
    ///   - status: what the kernel told of the device when it was opened; nil when it told nothing.
    ///   - recovery: what the driver tells of its recovery steps.
    init(
        _ driver: CCIDReader, on bus: any USBBus, battery: BatteryQuery?, status: USBDeviceStatus?,
        recovery: RecoveryObserver
    ) {
        (self.driver, self.bus, self.battery) = (driver, bus, battery)
        (statusAtOpening, self.recovery) = (status, recovery)
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
        let (driver, bus) = (driver, bus)
        // Works in a cancelled task too.
        return await Task { [statusAtOpening] () -> DisconnectReason? in
            let failure: CCIDError
            do throws(CCIDError) {
                _ = try await driver.cardStatus()
                return nil
            } catch {
                // Whatever this command ended with: the reader is lost when no other one is possible.
                guard let ending = await driver.ending else { return nil }
                failure = ending
            }
            let now = try? await bus.status(of: driver.device)
            // Nobody has a device that is gone, and to look for somebody takes longer than to open the next one.
            let owners =
                now?.isPresent == true
                ? await bus.owners(of: driver.device, interface: driver.interface.number) : []
            return DisconnectReason(
                failure, before: statusAtOpening, now: now, hasSlept: await driver.hasEndedBySleep, owners: owners)
        }.value
    }

    func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) { recovery.set(observe) }

    func close() async { await driver.close() }
}

/// Brings the driver's recovery steps to whoever observes the session, which is made after the driver.
final class RecoveryObserver: Sendable {
    private let observe = Mutex<(@Sendable (ReaderRecoveryStep) -> Void)?>(nil)

    func set(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) { self.observe.withLock { $0 = observe } }

    func tell(_ step: CCIDRecoveryStep) {
        let told: ReaderRecoveryStep =
            switch step {
            case .abort: .abort
            case .slotPowerOff: .slotPowerOff
            case .deviceReset: .deviceReset
            case .recovered: .recovered
            case .staleAnswer: .staleAnswer
            case .dead: .dead
            }
        observe.withLock { $0 }?(told)
    }
}
