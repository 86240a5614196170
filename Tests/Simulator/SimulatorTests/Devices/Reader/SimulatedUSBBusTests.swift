import Determinism
import SimulatedTime
import Simulator
import Testing
import USB

@Suite(.simulatedTime) struct SimulatedUSBBusTests {
    @Test func `devices leave and return with another address`() async throws {
        let bus = SimulatedUSBBus()
        let events = bus.hotplugEvents()
        let reader = SimulatedCCIDReader(model: .shortAPDU, clock: bus.clock)
        let first = bus.plug(reader)
        #expect(try await bus.devices() == [first])
        #expect(bus.plug(reader) == first)
        bus.unplug(reader)
        #expect(try await bus.devices().isEmpty)
        let second = bus.plug(reader)
        #expect(second.address != first.address)
        #expect(second.descriptor == first.descriptor)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .arrived(first))
        #expect(await iterator.next() == .left(first))
        #expect(await iterator.next() == .arrived(second))
        await #expect(throws: USBError.notFound) { try await bus.open(first) }
    }

    @Test func `a hotplug stream waits for a planned arrival without real time, and ends when canceled`() async throws {
        let bus = SimulatedUSBBus()
        let reader = SimulatedCCIDReader(model: .tpdu, clock: bus.clock)
        bus.clock.schedule(after: .seconds(40_000)) { bus.plug(reader) }
        let stream = bus.hotplugEvents()
        var iterator = stream.makeAsyncIterator()
        guard case .arrived(let device) = await iterator.next() else {
            Issue.record("no arrival")
            return
        }
        #expect(device.descriptor.vendorID == 0x1209)
        #expect(bus.clock.now() == VirtualTimeSource.standardStart.advanced(by: .seconds(40_000)))
        let consumer = Task {
            for await _ in stream {}
        }
        consumer.cancel()
        await consumer.value
    }

    @Test func `addresses wrap around and are never assigned twice`() {
        let bus = SimulatedUSBBus()
        let stays = SimulatedCCIDReader(model: .tpdu, clock: bus.clock)
        let moves = SimulatedCCIDReader(model: .tpdu, clock: bus.clock)
        let address = bus.plug(stays).address
        for _ in 0..<300 {
            let other = bus.plug(moves).address
            #expect(other != address)
            #expect((1...127).contains(other))
            bus.unplug(moves)
        }
    }

    @Test func `a device without a free address is not used`() async throws {
        let bus = SimulatedUSBBus()
        let readers = (0..<128).map { _ in SimulatedCCIDReader(model: .tpdu, clock: bus.clock) }
        let addresses = readers.map { bus.plug($0).address }
        #expect(Set(addresses.prefix(127)) == Set(1...127))
        #expect(addresses.last == 0)
        #expect(try await bus.devices().count == 127)
        bus.unplug(readers[4])
        #expect(bus.plug(readers[127]).address == 5)
    }

    @Test func `a second program can claim the interface only after the first releases it`() async throws {
        let host = try await RawHost()
        let other = try await host.bus.open(host.transport.device)
        await #expect(throws: USBError.busy) { try await other.claim(interface: 0) }
        await #expect(throws: USBError.notFound) { try await other.claim(interface: 1) }
        await #expect(throws: USBError.notFound) {
            try await other.bulkOut(RawHost.message(0x65), endpoint: 0x02, timeout: .seconds(1))
        }
        try await host.transport.release(interface: 0)
        try await other.claim(interface: 0)
        await #expect(throws: USBError.busy) { try await host.transport.claim(interface: 0) }
        await other.close()
        try await host.transport.claim(interface: 0)
    }

    @Test func `unplugging the reader ends its transfers, and it works again with its new address`() async throws {
        let host = try await RawHost(card: ScriptedCard(ScriptedCard.t0))
        _ = try await host.notice()
        try await host.powerOn()
        let listener = Task { try await host.notice() }
        host.bus.unplug(host.reader)
        await #expect(throws: USBError.disconnected) { try await listener.value }
        await #expect(throws: USBError.disconnected) { try await host.write(RawHost.message(0x65)) }
        await #expect(throws: USBError.disconnected) { try await host.read() }
        await host.transport.close()
        let again = try await host.bus.open(host.bus.plug(host.reader))
        try await again.claim(interface: 0)
        try await again.bulkOut(RawHost.message(0x65, sequence: 9), endpoint: 0x02, timeout: .seconds(1))
        let status = try await again.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(1))
        #expect(status == [0x81, 0, 0, 0, 0, 0, 9, 0x01, 0, 1])
    }

    @Test func `unplugging the reader while the card works ends the read at that moment`() async throws {
        let host = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t1))
        try await host.powerOn(0)
        let start = host.clock.now()
        host.clock.schedule(after: .milliseconds(400)) { host.bus.unplug(host.reader) }
        try await host.write(RawHost.message(0x6F, [0, 0, 0], [0x00, 0xE0, 1, 0]))
        await #expect(throws: USBError.disconnected) { try await host.read() }
        #expect(host.clock.now() == start.advanced(by: .milliseconds(400)))
    }

    @Test func `close ends running transfers, can be called again, and nothing works afterward`() async throws {
        let host = try await RawHost()
        let listener = Task { try await host.notice() }
        try await host.clock.sleep(for: .milliseconds(1))
        await host.transport.close()
        await #expect(throws: USBError.canceled) { try await listener.value }
        await host.transport.close()
        await #expect(throws: USBError.canceled) { try await host.write(RawHost.message(0x65)) }
        await #expect(throws: USBError.canceled) { try await host.read() }
    }

    @Test func `a canceled task gets no transfer`() async throws {
        let host = try await RawHost()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await host.write(RawHost.message(0x65))
        }
        await #expect(throws: USBError.canceled) { try await task.value }
        await #expect(throws: USBError.timedOut) { try await host.read(timeout: .milliseconds(5)) }
    }

    @Test func `descriptors on the control endpoint agree with the device`() async throws {
        let host = try await RawHost(.extendedAPDU)
        func descriptor(_ value: UInt16, _ length: UInt16 = 255) async throws -> [UInt8] {
            try await host.transport.control(
                .input(type: 0x80, request: 6, value: value, index: 0, length: length), timeout: .seconds(1))
        }
        let device = try await descriptor(0x0100)
        #expect(device.count == 18 && device[8...11] == [0x09, 0x12, 0x03, 0x00])
        let configuration = try await descriptor(0x0200)
        #expect(configuration.count == Int(configuration[2]) && configuration.count == 9 + 9 + 54 + 21)
        let classDescriptor = try #require(
            host.transport.device.configuration?.interfaces.first?.classDescriptors.first)
        #expect(Array(configuration[18..<72]) == classDescriptor)
        #expect(try await descriptor(0x0200, 9).count == 9)
        #expect(
            try await descriptor(0x0302) == [62, 3]
                + "Simulated extended APDU reader".utf16.flatMap { [UInt8($0 & 255), 0] })
        await #expect(throws: USBError.stalled) { try await descriptor(0x0600) }
    }

    @Test func `a stalled endpoint stays so until its halt is cleared`() async throws {
        let host = try await RawHost()
        await #expect(throws: USBError.stalled) { try await host.write([0x65]) }
        await #expect(throws: USBError.stalled) { try await host.write(RawHost.message(0x65)) }
        try await host.transport.clearHalt(endpoint: 0x02)
        #expect(try await host.command(0x65).status == 0x02)
        await #expect(throws: USBError.notFound) { try await host.transport.clearHalt(endpoint: 0x07) }
    }
}
