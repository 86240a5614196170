import CCID
import Determinism
import SmartCard
import Testing
import USB

/// QEMU's reader, opened by the driver.
struct ReaderUnderTest {
    static let vendorID: UInt16 = 0x08E6
    static let productID: UInt16 = 0x4433

    let bus: LibUSBBus
    let device: USBDevice
    let reader: CCIDReader

    /// The reader with the card that is under test, whatever an earlier test left behind.
    ///
    /// - Parameter card: a profile in place of the card under test; empty for no card.
    static func open(card: String = Guest.card) async throws -> ReaderUnderTest {
        try await replug()
        if !Guest.isCardFixed, !card.isEmpty { try await GuestHost.insertCard(card) }
        return try await ReaderUnderTest(on: LibUSBBus())
    }

    /// Leaves the reader plugged in, newly and without a card that can be taken out.
    static func replug() async throws {
        // Refused when there is none.
        try? await GuestHost.unplugReader()
        if !Guest.isCardFixed { try await GuestHost.removeCard() }
        try await GuestHost.plugReader()
    }

    /// Opens the reader, which is plugged in.
    init(on bus: LibUSBBus) async throws {
        self.bus = bus
        device = try await Self.device(on: bus)
        reader = try await CCIDReader.open(device, on: bus, time: SystemTimeSource())
    }

    /// The reader's device, as soon as the kernel has it.
    static func device(on bus: LibUSBBus, within limit: Duration = .seconds(5)) async throws -> USBDevice {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while true {
            let found = try await bus.devices().first {
                $0.descriptor.vendorID == vendorID && $0.descriptor.productID == productID && $0.configuration != nil
            }
            if let found { return found }
            try #require(clock.now < deadline, "the kernel does not show the reader")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Powers the card and selects its payment application.
    func channel() async throws -> CCIDCardChannel {
        try #require(try await reader.waitForCard(present: true, timeout: .seconds(5)), "no card in the reader")
        return try await reader.powerOn()
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}
