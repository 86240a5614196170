import Glibc
import Simulator
import Testing
import USB

extension OverLibUSB {
    /// The transport below the driver: raw transfers with a device that gives back what it gets.
    @Suite struct TransportTests {
        private static let longTimeout = Duration.seconds(60)

        /// A device that is plugged in and open.
        private struct Opened {
            let bench: BridgeBench
            let plugged: BridgeBench.Plugged<EchoDevice>
            let transport: any USBTransport

            func write(_ bytes: [UInt8]) async throws {
                try await transport.bulkOut(bytes, endpoint: EchoDevice.bulkOut, timeout: longTimeout)
            }

            func read(_ length: Int = 64, timeout: Duration = longTimeout) async throws -> [UInt8] {
                try await transport.bulkIn(endpoint: EchoDevice.bulkIn, maximumLength: length, timeout: timeout)
            }

            /// What is written is read.
            func expectEcho(_ bytes: [UInt8], _ location: SourceLocation = #_sourceLocation) async throws {
                try await write(bytes)
                let read = try await read(max(64, bytes.count))
                #expect(read == bytes, sourceLocation: location)
            }

            /// Starts a read that nothing will answer, and returns when the device has it.
            func startUnansweredRead() async throws -> Task<[UInt8], any Error> {
                let before = try await plugged.count(.transfers)
                let task = Task { try await read(timeout: .seconds(30)) }
                await bench.until { try await plugged.count(.transfers) > before }
                return task
            }
        }

        private func run(_ body: (Opened) async throws -> Void) async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(EchoDevice(clock: bench.clock))
                let transport = try await bench.bus.open(plugged.device)
                try await body(Opened(bench: bench, plugged: plugged, transport: transport))
                await transport.close()
            }
        }

        @Test func `the device is found with its descriptors`() async throws {
            try await run { opened in
                let device = opened.transport.device
                #expect(try await opened.bench.bus.devices() == [device])
                #expect(device.descriptor == USBDeviceDescriptor(vendorID: 0x1209, productID: 1, release: 0x0100))
                #expect(device.manufacturer == "CardPresent")
                #expect(device.product == "Echo")
                #expect(device.serialNumber == "0001")
                let interface = try #require(device.configuration?.interfaces.first)
                #expect(interface.classCode == 0x0B)
                #expect(interface.endpoints.map(\.address) == [0x81, 0x82, 0x03])
                #expect(interface.classDescriptors.map(\.count) == [54])
            }
        }

        @Test func `written data is read back, also in pieces of more than 16 KiB and of zero bytes`() async throws {
            try await run { opened in
                for length in [1, 64, 0, 271, 40_000] {
                    try await opened.expectEcho((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) })
                }
            }
        }

        @Test func `an interrupt transfer returns the device's notification`() async throws {
            try await run { opened in
                async let notice = opened.transport.interruptIn(
                    endpoint: EchoDevice.interruptIn, maximumLength: 8, timeout: Self.longTimeout)
                opened.plugged.simulated.notify([0x50, 0x03])
                let bytes = try await notice
                #expect(bytes == [0x50, 0x03])
            }
        }

        @Test func `an unknown control request is a stall, and the next one works`() async throws {
            try await run { opened in
                for request in [
                    USBControlRequest.output(type: 0x40, request: 0x77, value: 1, index: 2, data: [1, 2, 3]),
                    .input(type: 0xC0, request: 0x77, value: 0, index: 0, length: 8),
                ] {
                    await #expect(throws: USBError.stalled) {
                        try await opened.transport.control(request, timeout: Self.longTimeout)
                    }
                }
                // GET_DESCRIPTOR, of which fewer bytes come than are asked for.
                let descriptor = try await opened.transport.control(
                    .input(type: 0x80, request: 6, value: 0x0100, index: 0, length: 64), timeout: Self.longTimeout)
                #expect(descriptor == opened.plugged.simulated.descriptors.deviceBytes)
                #expect(try await opened.plugged.count(.claims) == 0)
            }
        }

        @Test func `the kernel driver is detached when the interface is claimed, and attached when it is released`()
            async throws
        {
            try await run { opened in
                let plugged = opened.plugged
                try await USBBridge.setDriver("other", of: plugged.device.address)
                try await opened.transport.claim(interface: 0)
                try await opened.transport.claim(interface: 0)
                #expect(try await plugged.count(.detaches) == 1)
                #expect(try await plugged.count(.claims) == 1)
                try await opened.transport.release(interface: 0)
                #expect(try await plugged.count(.releases) == 1)
                #expect(try await plugged.count(.attaches) == 1)
                await #expect(throws: USBError.notFound) { try await opened.transport.release(interface: 0) }
            }
        }

        @Test func `an interface claimed by another program is busy, and its driver is attached again`() async throws {
            try await run { opened in
                let plugged = opened.plugged
                try await USBBridge.setDriver("other", of: plugged.device.address)
                try await USBBridge.refuseClaim(plugged.device.address)
                await #expect(throws: USBError.busy) { try await opened.transport.claim(interface: 0) }
                #expect(try await plugged.count(.attaches) == 1)
                try await opened.transport.claim(interface: 0)
            }
        }

        @Test func `a read without data ends at its deadline, and later data is not lost`() async throws {
            try await run { opened in
                await #expect(throws: USBError.timedOut) { try await opened.read(timeout: .milliseconds(20)) }
                await #expect(throws: USBError.timedOut) { try await opened.read(timeout: .zero) }
                #expect(try await opened.plugged.count(.transfers) == 0)
                try await opened.expectEcho([1, 2, 3])
            }
        }

        @Test func `a command is not sent if its answer cannot be read`() async throws {
            try await run { opened in
                try await opened.transport.claim(interface: 0)
                try await USBBridge.deny(EchoDevice.bulkIn, of: opened.plugged.device.address, with: ENOMEM)
                await #expect {
                    try await opened.transport.exchange(
                        [1], to: EchoDevice.bulkOut, writeTimeout: Self.longTimeout, from: EchoDevice.bulkIn,
                        maximumLength: 64, readTimeout: Self.longTimeout)
                } throws: { error in
                    if case .read = error as? USBExchangeError { true } else { false }
                }
                await #expect(throws: USBError.timedOut) { try await opened.read(timeout: .milliseconds(20)) }
                try await opened.expectEcho([7])
            }
        }

        @Test func `a stalled endpoint works again after its halt is cleared`() async throws {
            try await run { opened in
                opened.plugged.simulated.stall(EchoDevice.bulkIn)
                opened.plugged.simulated.stall(EchoDevice.bulkOut)
                for _ in 0..<2 {
                    await #expect(throws: USBError.stalled) { try await opened.read() }
                    await #expect(throws: USBError.stalled) { try await opened.write([1]) }
                }
                try await opened.transport.clearHalt(endpoint: EchoDevice.bulkIn)
                try await opened.transport.clearHalt(endpoint: EchoDevice.bulkOut)
                #expect(try await opened.plugged.count(.clearedHalts) == 2)
                try await opened.expectEcho([9])
            }
        }

        @Test func `an incomplete write is an error`() async throws {
            try await run { opened in
                try await USBBridge.shorten(EchoDevice.bulkOut, of: opened.plugged.device.address, to: 4)
                await #expect(throws: USBError.other("the USB device took 4 of 10 bytes")) {
                    try await opened.write([UInt8](repeating: 1, count: 10))
                }
            }
        }

        @Test func `more bytes than requested are an overflow`() async throws {
            try await run { opened in
                opened.plugged.simulated.overflow()
                await #expect(throws: USBError.overflow) { try await opened.read() }
            }
        }

        @Test func `an endpoint is used in its own direction only`() async throws {
            try await run { opened in
                await #expect(throws: USBError.other("USB endpoint 3 is not an IN endpoint")) {
                    try await opened.transport.bulkIn(
                        endpoint: EchoDevice.bulkOut, maximumLength: 64, timeout: Self.longTimeout)
                }
                await #expect(throws: USBError.other("USB endpoint 82 is not an OUT endpoint")) {
                    try await opened.transport.bulkOut([1], endpoint: EchoDevice.bulkIn, timeout: Self.longTimeout)
                }
            }
        }

        @Test func `a reset keeps the claim`() async throws {
            try await run { opened in
                try await opened.transport.claim(interface: 0)
                try await opened.write([1])
                try await opened.transport.reset()
                #expect(try await opened.plugged.count(.resets) == 1)
                #expect(try await opened.plugged.count(.claims) - opened.plugged.count(.releases) == 1)
                // The device forgot what it had.
                try await opened.expectEcho([2])
            }
        }

        // MARK: Canceling

        @Test func `a canceled task sends nothing to the device`() async throws {
            try await run { opened in
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await opened.write([1])
                }
                await #expect(throws: USBError.canceled) { try await task.value }
                await #expect(throws: USBError.timedOut) { try await opened.read(timeout: .milliseconds(5)) }
            }
        }

        @Test func `canceling the task cancels the transfer`() async throws {
            try await run { opened in
                let read = try await opened.startUnansweredRead()
                read.cancel()
                await #expect(throws: USBError.canceled) { try await read.value }
                #expect(try await opened.plugged.count(.transfers) == 0)
                try await opened.expectEcho([7])
            }
        }

        @Test func `canceling at any moment ends a transfer exactly once`() async throws {
            try await run { opened in
                await withTaskGroup(of: Void.self) { group in
                    for round in 0..<200 {
                        group.addTask {
                            let read = Task { try await opened.read(timeout: .seconds(30)) }
                            for _ in 0..<round % 7 { await Task.yield() }
                            read.cancel()
                            await #expect(throws: USBError.canceled) { try await read.value }
                        }
                    }
                }
                #expect(try await opened.plugged.count(.transfers) == 0)
                try await opened.expectEcho([7])
            }
        }

        // MARK: Closing

        @Test func `closing ends the running transfers, and later ones are canceled`() async throws {
            try await run { opened in
                let (plugged, transport) = (opened.plugged, opened.transport)
                try await USBBridge.setDriver("other", of: plugged.device.address)
                try await transport.claim(interface: 0)
                let reads = [try await opened.startUnansweredRead(), try await opened.startUnansweredRead()]
                await transport.close()
                for read in reads { await #expect(throws: USBError.canceled) { try await read.value } }
                #expect(ProcessResources.now.deviceFiles == 0)
                #expect(try await plugged.count(.releases) == 1)
                #expect(try await plugged.count(.attaches) == 1)
                await #expect(throws: USBError.canceled) { try await opened.read() }
                await #expect(throws: USBError.canceled) { try await transport.claim(interface: 0) }
                await #expect(throws: USBError.canceled) {
                    try await transport.clearHalt(endpoint: EchoDevice.bulkIn)
                }
            }
        }

        @Test func `simultaneous closes close once`() async throws {
            try await run { opened in
                let read = try await opened.startUnansweredRead()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 { group.addTask { await opened.transport.close() } }
                }
                await opened.transport.close()
                await #expect(throws: USBError.canceled) { try await read.value }
                #expect(ProcessResources.now.deviceFiles == 0)
            }
        }

        @Test func `closing in a canceled task works`() async throws {
            try await run { opened in
                let read = try await opened.startUnansweredRead()
                await Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    await opened.transport.close()
                }.value
                await #expect(throws: USBError.canceled) { try await read.value }
                #expect(ProcessResources.now.deviceFiles == 0)
            }
        }

        @Test func `a device is closed when its last reference is released, and the event thread ends`()
            async throws
        {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(EchoDevice(clock: bench.clock))
                do {
                    // A separate bus, because that of the bench has a thread too.
                    let bus = try LibUSBBus()
                    let transport = try await bus.open(plugged.device)
                    try await transport.claim(interface: 0)
                    // A thread gives itself its name when it first runs.
                    await bench.until { ProcessResources.now.eventThreads == 2 }
                    #expect(ProcessResources.now.deviceFiles == 1)
                }
                await bench.until { ProcessResources.now.eventThreads == 1 && ProcessResources.now.deviceFiles == 0 }
                await bench.until { try await plugged.count(.releases) == 1 }
            }
        }

        // MARK: Coming and going

        @Test func `unplugging a device ends its transfers, and it can be used when it is back`() async throws {
            try await run { opened in
                let (bench, device) = (opened.bench, opened.plugged.device)
                let bus = bench.bus
                var events = bus.hotplugEvents().makeAsyncIterator()
                #expect(try await bus.devices() == [device])
                let read = try await opened.startUnansweredRead()
                try await bench.unplug(opened.plugged)
                await #expect(throws: USBError.disconnected) { try await read.value }
                await #expect(throws: USBError.disconnected) { try await opened.write([1]) }
                #expect(await events.next() == .left(device))
                #expect(try await bus.devices() == [])
                await #expect(throws: USBError.disconnected) { _ = try await bus.open(device) }

                let start = ContinuousClock.now
                let again = try await bench.plug(opened.plugged.simulated)
                #expect(await events.next() == .arrived(again.device))
                // A message arrived: without one, the next check would be seconds away.
                #expect(ContinuousClock.now - start < .seconds(3))
                #expect(again.device.address != device.address)
                #expect(again.device.port == device.port)
                let transport = try await bus.open(again.device)
                try await Opened(bench: bench, plugged: again, transport: transport).expectEcho([5])
                await transport.close()
            }
        }
    }
}
