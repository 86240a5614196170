import CLibUSB
import Determinism
import Testing

@testable import USB

@Suite(.timeLimit(.minutes(10))) struct LibUSBBusTests {
    private func bus(
        _ fixture: SysfsFixture, time: any TimeSource = SteppedTimeSource(), signals: [any DeviceChangeSignal] = []
    ) throws -> LibUSBBus {
        try LibUSBBus(time: time, kernel: KernelDeviceList(directory: fixture.directory), signals: signals)
    }

    @Test func `the devices of this machine are listed without an error, also when it has no USB`() async throws {
        let kernel = try KernelDeviceList().devices().map(\.device)
        #expect(try await LibUSBBus().devices() == kernel)
        let nowhere = KernelDeviceList(directory: "/nowhere/bus/usb/devices")
        #expect(try await LibUSBBus(time: SteppedTimeSource(), kernel: nowhere, signals: []).devices() == [])
    }

    @Test func `a device that is gone, was replaced or has no node is not opened`() async throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1", address: 1)
        let bus = try bus(fixture)
        let reader = try #require(try await bus.devices().first)
        await #expect(throws: USBError.notFound) { _ = try await bus.open(reader) }
        var other = reader
        other.descriptor.productID = 2
        await #expect(throws: USBError.disconnected) { _ = try await bus.open(other) }
        try fixture.unplug("1-1")
        await #expect(throws: USBError.disconnected) { _ = try await bus.open(reader) }
    }

    @Test func `a device with an invalid configuration is listed, and rejected with the reason`() async throws {
        let fixture = try SysfsFixture()
        try fixture.plug(
            "1-1", address: 1, descriptors: DescriptorSamples.device + DescriptorSamples.configuration(1, [0, 4]))
        let bus = try bus(fixture)
        let reader = try #require(try await bus.devices().first)
        #expect(reader.configuration == nil)
        await #expect(
            throws: USBError.malformedDescriptor("byte 9: length 0, a descriptor has 2 or more bytes")
        ) { _ = try await bus.open(reader) }
    }

    @Test func `a message causes a check, and a device that is not ready causes more`() async throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1", address: 1)
        let signal = try ManualSignal()
        let bus = try bus(fixture, time: VirtualTimeSource(), signals: [signal])
        var events = bus.hotplugEvents().makeAsyncIterator()
        // Answered after the first look, which the stream begins with.
        #expect(try await bus.devices().count == 1)
        // There is no node to open, so the device is reported when it took too long.
        try fixture.plug("1-2", address: 2)
        signal.fire()
        let arrived = try #require(await events.next())
        guard case .arrived(let reader) = arrived else {
            Issue.record("\(arrived)")
            return
        }
        #expect(reader.address == 2)
        #expect(reader.port == "1-2")
        try fixture.unplug("1-2")
        signal.fire()
        #expect(await events.next() == .left(reader))
    }

    @Test func `a departure after its message is found by a repeated check`() async throws {
        let fixture = try SysfsFixture()
        try fixture.plug("1-1", address: 1)
        let (signal, time) = (try ManualSignal(), SteppedTimeSource())
        let bus = try bus(fixture, time: time, signals: [signal])
        var events = bus.hotplugEvents().makeAsyncIterator()
        let reader = try #require(try await bus.devices().first)
        signal.fire()
        await time.untilSomebodySleeps()
        try fixture.unplug("1-1")
        time.step()
        #expect(await events.next() == .left(reader))
    }

    @Test func `nothing is waited for when every device has arrived`() async throws {
        let fixture = try SysfsFixture()
        let (signal, time) = (try ManualSignal(), SteppedTimeSource())
        let bus = try bus(fixture, time: time, signals: [signal])
        let events = bus.hotplugEvents()
        #expect(try await bus.devices().isEmpty)
        #expect(!time.hasSleepers)
        signal.fire()
        for _ in 0..<3 {
            await time.untilSomebodySleeps()
            time.step()
        }
        // Each look is made where this is answered from, and the next sleep begins after it.
        #expect(try await bus.devices().isEmpty)
        for _ in 0..<100 { await Task.yield() }
        #expect(!time.hasSleepers)
        withExtendedLifetime(events) {}
    }

    @Test func `without messages the list is polled`() async throws {
        let fixture = try SysfsFixture()
        let bus = try bus(fixture, time: VirtualTimeSource())
        var events = bus.hotplugEvents().makeAsyncIterator()
        #expect(try await bus.devices().isEmpty)
        try fixture.plug("1-2", address: 2)
        guard case .arrived(let reader) = await events.next() else {
            Issue.record("nothing arrived")
            return
        }
        #expect(reader.address == 2)
        try fixture.unplug("1-2")
        #expect(await events.next() == .left(reader))
    }

    @Test func `the stream ends with its task`() async throws {
        let fixture = try SysfsFixture()
        let bus = try bus(fixture)
        let reader = Task { for await _ in bus.hotplugEvents() {} }
        reader.cancel()
        await reader.value
    }

    @Test(arguments: [
        (LIBUSB_ERROR_NO_DEVICE, USBError.disconnected), (LIBUSB_ERROR_TIMEOUT, .timedOut),
        (LIBUSB_ERROR_PIPE, .stalled), (LIBUSB_ERROR_BUSY, .busy), (LIBUSB_ERROR_ACCESS, .accessDenied),
        (LIBUSB_ERROR_NOT_FOUND, .notFound), (LIBUSB_ERROR_OVERFLOW, .overflow),
        (LIBUSB_ERROR_IO, .other("libusb: Input/Output Error")),
    ])
    func `libusb errors become errors of the bus`(code: libusb_error, error: USBError) {
        #expect(USBError(libusb: code.rawValue) == error)
    }
}
