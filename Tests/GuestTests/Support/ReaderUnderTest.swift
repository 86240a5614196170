import CCID
import Determinism
import Testing
import USB

/// QEMU's reader, opened by the driver.
struct ReaderUnderTest {
    let bus: LibUSBBus
    let device: USBDevice
    let reader: CCIDReader

    /// Prepares the reader and lends it, open, to a test. It is closed afterwards, or the next test would find it busy.
    static func opened(
        card: String = Guest.card, _ test: (ReaderUnderTest) async throws -> Void
    ) async throws {
        try await prepare(card: card)
        try await opened(on: LibUSBBus(), test)
    }

    /// Lends the reader, open, to a test.
    static func opened(on bus: LibUSBBus, _ test: (ReaderUnderTest) async throws -> Void) async throws {
        let under = try await ReaderUnderTest(on: bus)
        do {
            try await test(under)
        } catch {
            await under.reader.close()
            throw error
        }
        await under.reader.close()
    }

    /// Sees to it that the reader is plugged in, with a card or, for an empty name, without one. What an earlier test
    /// left behind does not matter.
    static func prepare(card: String = Guest.card) async throws {
        if try await find(on: LibUSBBus()) == nil {
            // The kernel may not have seen yet what the host has done.
            try? await GuestHost.unplugReader()
            try await GuestHost.plugReader()
            _ = try await device(on: LibUSBBus())
        }
        guard !Guest.isCardFixed else { return }
        if card.isEmpty { try await GuestHost.removeCard() } else { try await GuestHost.insertCard(card) }
    }

    private init(on bus: LibUSBBus) async throws {
        self.bus = bus
        device = try await Self.device(on: bus)
        reader = try await CCIDReader.open(device, on: bus, time: SystemTimeSource())
    }

    /// The reader's device, as soon as the kernel has it.
    static func device(on bus: LibUSBBus) async throws -> USBDevice {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            if let found = try await find(on: bus) { return found }
            try #require(ContinuousClock.now < deadline, "the kernel does not show the reader")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    static func find(on bus: LibUSBBus) async throws -> USBDevice? {
        try await bus.devices().first { isReader($0) && $0.configuration != nil }
    }

    static func isReader(_ device: USBDevice) -> Bool {
        device.descriptor.vendorID == 0x08E6 && device.descriptor.productID == 0x4433
    }

    /// Powers the card, as soon as it is in the reader.
    func channel() async throws -> CCIDCardChannel {
        try #require(try await reader.waitForCard(present: true, timeout: .seconds(20)), "no card in the reader")
        return try await reader.powerOn()
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}
