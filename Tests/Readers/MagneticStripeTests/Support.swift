import CardSecrets
import Determinism
import MagneticStripe
import Simulator
import Synchronization
import Testing
import USB

/// An independent encoder of stripes, with parity and redundancy check.
enum Stripe {
    static let pan = "4761739001010010"
    static let one = "%B\(pan)^CARDHOLDER/VISA^35122010000012345678?"
    static let two = ";\(pan)=351220100000123?"
    static let three = ";01\(pan)==1000000000000000000?"

    static func ascii(_ text: String) -> TrackDelivery { TrackDelivery(SensitiveBytes(Array(text.utf8)), .ascii) }

    /// Characters with parity, and the redundancy character behind them.
    static func characters(_ text: String, dataBits: Int, base: UInt8) -> [UInt8] {
        var data = text.utf8.map { $0 - base }
        data.append(data.reduce(0, ^))
        return data.map { $0.nonzeroBitCount % 2 == 0 ? $0 | 1 << UInt8(dataBits) : $0 }
    }

    static func numeric(_ text: String) -> [UInt8] { characters(text, dataBits: 4, base: 0x30) }

    static func alphanumeric(_ text: String) -> [UInt8] { characters(text, dataBits: 6, base: 0x20) }

    /// Bits of characters, the lowest first, with clocking zeros around them.
    static func bits(_ characters: [UInt8], dataBits: Int, lead: Int = 20, isReversed: Bool = false) -> [UInt8] {
        var bits = [Bool](repeating: false, count: lead)
        for character in characters {
            for bit in 0...dataBits { bits.append(character >> UInt8(bit) & 1 == 1) }
        }
        bits += [Bool](repeating: false, count: lead)
        if isReversed { bits.reverse() }
        while bits.count % 8 != 0 { isReversed ? bits.insert(false, at: 0) : bits.append(false) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }
}

/// What a track's reading failed with; nil when it did not fail.
func fault(_ track: MagneticTrack, _ delivery: borrowing TrackDelivery) -> TrackError.Fault? {
    do throws(TrackError) {
        if track == .three { _ = try FinancialTrack(delivery) } else { _ = try AccountTrack(track, delivery) }
        return nil
    } catch {
        return error.fault
    }
}

func fault(_ track: MagneticTrack, _ text: String) -> TrackError.Fault? { fault(track, Stripe.ascii(text)) }

extension SensitiveBytes {
    var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    var hex: String {
        withUnsafeBytes { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        }
    }
}

/// A node of the kernel's that gives the reports of a test.
final class ScriptedNode: HIDDevice {
    let reportDescriptor: HIDReportDescriptor
    private let reports: AsyncStream<[UInt8]>
    private let inbox: AsyncStream<[UInt8]>.Continuation

    init(_ reportDescriptor: HIDReportDescriptor) {
        self.reportDescriptor = reportDescriptor
        (reports, inbox) = AsyncStream.makeStream()
    }

    func send(_ report: [UInt8]) { inbox.yield(report) }

    func nextReport(timeout: Duration) async throws(HIDError) -> [UInt8] {
        for await report in reports { return report }
        throw .closed
    }

    func close() async { inbox.finish() }
}

/// A simulated magnetic stripe reader on a simulated bus, and the driver on it.
struct SwipeBench {
    let clock = SimulationClock(VirtualTimeSource())
    let bus: SimulatedUSBBus
    let reader: SimulatedMagneticStripeReader
    let device: USBDevice
    let driver: MagneticStripeReader

    init(_ model: SimulatedMSRModel) async throws {
        bus = SimulatedUSBBus(clock: clock)
        reader = SimulatedMagneticStripeReader(model: model, clock: clock)
        device = bus.plug(reader)
        let interface = try #require(MagneticStripeInterface.find(in: device))
        driver = try await MagneticStripeReader.open(device, interface, on: bus)
    }

    static func stripe(_ name: String = "visa-credit") throws -> SimulatedMagneticStripe {
        let profile = try #require(try CardProfileLibrary.profile(name).stripe)
        return try SimulatedMagneticStripe(profile, keys: TestKeys.embedded())
    }

    /// Waits for a swipe that happens after the wait has started.
    func swiping(_ stripe: SimulatedMagneticStripe) async throws -> Swipe {
        clock.schedule(after: .seconds(1)) { [reader] in reader.swipe(stripe) }
        return try await driver.swipe()
    }

    /// What waiting for a swipe failed with; nil when one came.
    static func failure(_ driver: MagneticStripeReader) async -> MagneticStripeReaderError? {
        do throws(MagneticStripeReaderError) {
            _ = try await driver.swipe()
            return nil
        } catch {
            return error
        }
    }
}

/// A simulated bus with readers detached from the kernel, or without permission to open devices.
final class ReluctantBus: USBBus {
    struct Habits: Sendable {
        var openError: USBError?
        /// The kernel's HID driver has none of the interfaces.
        var hidesReports = false
        var owners: [USBDeviceOwner] = []
    }

    private let bus: SimulatedUSBBus
    private let habits: Habits
    private let opened = Mutex(0)

    init(_ bus: SimulatedUSBBus, _ habits: Habits) { (self.bus, self.habits) = (bus, habits) }

    /// How often a device was opened.
    var openCount: Int { opened.withLock { $0 } }

    func devices() async throws(USBError) -> [USBDevice] {
        var devices = try await bus.devices()
        guard habits.hidesReports else { return devices }
        for index in devices.indices {
            for interface in devices[index].configuration?.interfaces.indices ?? 0..<0 {
                devices[index].configuration?.interfaces[interface].kernelHID = nil
            }
        }
        return devices
    }

    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        opened.withLock { $0 += 1 }
        if let error = habits.openError { throw error }
        return try await bus.open(device)
    }

    func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] { habits.owners }
}
