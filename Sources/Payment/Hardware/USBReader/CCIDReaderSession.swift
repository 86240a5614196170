import CCID
import SmartCard
import Synchronization
import USB

/// A CCID reader on a USB bus, opened by this program's own driver. Payments use its first slot for cards with
/// contacts, and its contactless slot, or that of the interface beside it.
final class CCIDReaderSession: CardReaderSession {
    private let driver: CCIDReader
    /// The driver of another interface of the device, which has the contactless slot or the one with contacts.
    private let companion: CCIDReader?
    /// The slot for cards with contacts; nil when there is none.
    private let chip: (driver: CCIDReader, slot: UInt8)?
    let contactlessField: (any ContactlessField)?
    private let bus: any USBBus
    private let battery: BatteryQuery?
    /// The kernel's status of the device when it was opened.
    private let statusAtOpening: USBDeviceStatus?
    private let recovery: RecoveryObserver

    /// - Parameters:
    ///   - driver: The open reader.
    ///   - companion: Another open interface of the same device, for the inputs that the first does not have.
    ///   - bus: The bus of the reader.
    ///   - battery: The command that queries its battery; nil when it has none.
    ///   - status: The kernel's status of the device when it was opened; nil when unknown.
    ///   - recovery: Receives the driver's recovery steps.
    init(
        _ driver: CCIDReader, beside companion: CCIDReader? = nil, on bus: any USBBus, battery: BatteryQuery?,
        status: USBDeviceStatus?, recovery: RecoveryObserver
    ) {
        (self.driver, self.companion, self.bus, self.battery) = (driver, companion, bus, battery)
        (statusAtOpening, self.recovery) = (status, recovery)
        var chip: (driver: CCIDReader, slot: UInt8)?
        var field: CCIDContactlessField?
        for part in [driver, companion].compactMap(\.self) {
            for slot in 0..<UInt8(clamping: part.slotCount) {
                if part.isContactless(slot: slot) {
                    field = field ?? CCIDContactlessField(part, slot: slot)
                } else if chip == nil {
                    chip = (part, slot)
                }
            }
        }
        (self.chip, contactlessField) = (chip, field)
    }

    func inputs() async -> CardReaderInput {
        var inputs: CardReaderInput = contactlessField == nil ? [] : [.tap]
        if chip != nil { inputs.formUnion(.insert) }
        return inputs
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        do throws(CCIDError) {
            let (driver, slot) = chip ?? (driver, 0)
            return try await driver.waitForCard(present: present, slot: slot, timeout: timeout)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel {
        do throws(CCIDError) {
            let (driver, slot) = chip ?? (driver, 0)
            return try await driver.powerOn(slot: slot)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func powerOff() async {
        let (driver, slot) = chip ?? (driver, 0)
        try? await driver.powerOff(slot: slot)
    }

    func batteryLevel() async -> Double? {
        guard let battery else { return nil }
        let driver = driver
        // A reader that does not report its battery level can take payments.
        return await Task { try? await driver.escape(battery.command) }.value.flatMap(battery.level(in:))
    }

    func loss() async -> DisconnectReason? {
        let (driver, bus) = (driver, bus)
        // Works in a canceled task as well.
        return await Task { [statusAtOpening] () -> DisconnectReason? in
            let failure: CCIDError
            do throws(CCIDError) {
                _ = try await driver.cardStatus()
                return nil
            } catch {
                // Whatever the error of this command: the reader is lost when no other command is possible.
                guard let ending = await driver.ending else { return nil }
                failure = ending
            }
            let now = try? await bus.status(of: driver.device)
            // A device that is gone has no owner, and the search takes longer than opening the next one.
            let owners =
                now?.isPresent == true
                ? await bus.owners(of: driver.device, interface: driver.interface.number) : []
            return DisconnectReason(
                failure, before: statusAtOpening, now: now, hasSlept: await driver.hasEndedBySleep, owners: owners)
        }.value
    }

    func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) { recovery.set(observe) }

    func close() async {
        // The next program expects a reader that looks for cards.
        let field = contactlessField
        await Task { try? await field?.switchField(on: true) }.value
        await companion?.close()
        await driver.close()
    }
}

/// Forwards the driver's recovery steps to the observer of the session, which is created after the driver.
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
            case .indicatorsFailed: .indicatorsFailed
            case .dead: .dead
            }
        observe.withLock { $0 }?(told)
    }
}
