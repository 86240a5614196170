import Foundation
import Testing

@testable import USB

/// The real libusb with a device that exists only in Tests/Mock/MockUSBDevice.c. ``MockUSBDeviceRun`` runs these tests
/// there; without that device they have nothing to talk to.
@Suite(.serialized, .enabled(if: MockUSBDevice.isPresent), .timeLimit(.minutes(1)))
struct LibUSBTransportTests {
    @Test func `the device is found with everything that it says of itself`() async throws {
        let mock = try await MockUSBDevice()
        let device = mock.transport.device
        #expect(device.descriptor == USBDeviceDescriptor(vendorID: 0x1209, productID: 1, release: 0x0100))
        #expect(device.manufacturer == "CardPresent")
        #expect(device.product == "Mock Reader")
        #expect(device.serialNumber == "0001")
        let interface = try #require(device.configuration?.interfaces.first)
        #expect(interface.classCode == 0x0B)
        #expect(interface.endpoints.map(\.address) == [0x81, 0x82, 0x03])
        #expect(interface.classDescriptors.map(\.count) == [54])
        await mock.transport.close()
    }

    @Test func `what is written is read, also in pieces of more than 16 KiB and of no bytes`() async throws {
        let mock = try await MockUSBDevice()
        for length in [1, 64, 0, 271, 40_000] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try await mock.transport.bulkOut(bytes, endpoint: 0x03, timeout: .seconds(5))
            let read = try await mock.transport.bulkIn(
                endpoint: 0x82, maximumLength: max(64, length), timeout: .seconds(5))
            #expect(read == bytes)
        }
        await mock.transport.close()
    }

    @Test func `an interrupt transfer brings what the device announces`() async throws {
        let mock = try await MockUSBDevice()
        async let notification = mock.transport.interruptIn(endpoint: 0x81, maximumLength: 8, timeout: .seconds(5))
        try await mock.order(1, data: [0x50, 0x03])
        #expect(try await notification == [0x50, 0x03])
        await mock.transport.close()
    }

    @Test func `a control request that the device does not know is a stall, and the next one works`() async throws {
        let mock = try await MockUSBDevice()
        await #expect(throws: USBError.stalled) { try await mock.order(0x77) }
        #expect(try await mock.count(.claims) == 0)
        await mock.transport.close()
    }

    @Test func `a kernel driver leaves when the interface is claimed and comes back when it is released`() async throws
    {
        let mock = try await MockUSBDevice()
        try await mock.transport.claim(interface: 0)
        try await mock.transport.claim(interface: 0)
        #expect(try await mock.count(.detaches) == 1)
        #expect(try await mock.count(.claims) == 1)
        try await mock.transport.release(interface: 0)
        #expect(try await mock.count(.releases) == 1)
        #expect(try await mock.count(.attaches) == 1)
        await #expect(throws: USBError.notFound) { try await mock.transport.release(interface: 0) }
        await mock.transport.close()
    }

    @Test func `an interface that another program holds is busy, and its driver is put back`() async throws {
        let mock = try await MockUSBDevice()
        try await mock.order(5)
        await #expect(throws: USBError.busy) { try await mock.transport.claim(interface: 0) }
        #expect(try await mock.count(.attaches) == 1)
        try await mock.transport.claim(interface: 0)
        await mock.transport.close()
    }

    @Test func `a read that nothing answers ends at its deadline, and what comes later is not lost`() async throws {
        let mock = try await MockUSBDevice()
        await #expect(throws: USBError.timedOut) {
            try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .milliseconds(20))
        }
        await #expect(throws: USBError.timedOut) {
            try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .zero)
        }
        #expect(try await mock.count(.pending) == 0)
        try await mock.transport.bulkOut([1, 2, 3], endpoint: 0x03, timeout: .seconds(5))
        let read = try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(5))
        #expect(read == [1, 2, 3])
        await mock.transport.close()
    }

    @Test func `a stalled endpoint works again when its halt was cleared`() async throws {
        let mock = try await MockUSBDevice()
        try await mock.order(2, index: 0x82)
        try await mock.order(2, index: 0x03)
        for _ in 0..<2 {
            await #expect(throws: USBError.stalled) {
                try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(5))
            }
            await #expect(throws: USBError.stalled) {
                try await mock.transport.bulkOut([1], endpoint: 0x03, timeout: .seconds(5))
            }
        }
        try await mock.transport.clearHalt(endpoint: 0x82)
        try await mock.transport.clearHalt(endpoint: 0x03)
        #expect(try await mock.count(.clearedHalts) == 2)
        try await mock.transport.bulkOut([9], endpoint: 0x03, timeout: .seconds(5))
        #expect(try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(5)) == [9])
        await mock.transport.close()
    }

    @Test func `a write that is cut short is an error`() async throws {
        let mock = try await MockUSBDevice()
        try await mock.order(3, value: 4)
        await #expect(throws: USBError.other("the USB device took 4 of 10 bytes")) {
            try await mock.transport.bulkOut([UInt8](repeating: 1, count: 10), endpoint: 0x03, timeout: .seconds(5))
        }
        await mock.transport.close()
    }

    @Test func `more bytes than were asked for are an overflow`() async throws {
        let mock = try await MockUSBDevice()
        try await mock.order(4)
        await #expect(throws: USBError.overflow) {
            try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(5))
        }
        await mock.transport.close()
    }

    @Test func `an endpoint is used in its own direction only`() async throws {
        let mock = try await MockUSBDevice()
        await #expect(throws: USBError.other("USB endpoint 3 is not an IN endpoint")) {
            try await mock.transport.bulkIn(endpoint: 0x03, maximumLength: 64, timeout: .seconds(5))
        }
        await #expect(throws: USBError.other("USB endpoint 82 is not an OUT endpoint")) {
            try await mock.transport.bulkOut([1], endpoint: 0x82, timeout: .seconds(5))
        }
        await mock.transport.close()
    }

    @Test func `a reset keeps the claim`() async throws {
        let mock = try await MockUSBDevice()
        try await mock.transport.claim(interface: 0)
        try await mock.transport.reset()
        #expect(try await mock.count(.resets) == 1)
        #expect(try await mock.count(.claims) - mock.count(.releases) == 1)
        await mock.transport.close()
    }

    @Test func `a task that is cancelled before it begins never reaches the device`() async throws {
        let mock = try await MockUSBDevice()
        let task = Task { [transport = mock.transport] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await transport.bulkOut([1], endpoint: 0x03, timeout: .seconds(5))
        }
        await #expect(throws: USBError.cancelled) { try await task.value }
        await #expect(throws: USBError.timedOut) {
            try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .milliseconds(5))
        }
        await mock.transport.close()
    }

    @Test func `cancelling the task takes the transfer back from the device`() async throws {
        let mock = try await MockUSBDevice()
        let read = try await mock.startUnansweredRead()
        read.cancel()
        await #expect(throws: USBError.cancelled) { try await read.value }
        #expect(try await mock.count(.pending) == 0)
        try await mock.transport.bulkOut([7], endpoint: 0x03, timeout: .seconds(5))
        #expect(try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(5)) == [7])
        await mock.transport.close()
    }

    @Test func `cancelling at any moment neither loses nor doubles an end`() async throws {
        let mock = try await MockUSBDevice()
        await withTaskGroup(of: Void.self) { group in
            for round in 0..<200 {
                group.addTask { [transport = mock.transport] in
                    let read = Task {
                        try await transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(30))
                    }
                    for _ in 0..<round % 7 { await Task.yield() }
                    read.cancel()
                    await #expect(throws: USBError.cancelled) { try await read.value }
                }
            }
        }
        #expect(try await mock.count(.pending) == 0)
        await mock.transport.close()
    }

    @Test func `closing ends the transfers that run, and from then on everything is cancelled`() async throws {
        let mock = try await MockUSBDevice()
        try await mock.transport.claim(interface: 0)
        let reads = [try await mock.startUnansweredRead(), try await mock.startUnansweredRead()]
        await mock.transport.close()
        for read in reads { await #expect(throws: USBError.cancelled) { try await read.value } }
        #expect(openDeviceFiles == 0)
        await #expect(throws: USBError.cancelled) {
            try await mock.transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(5))
        }
        await #expect(throws: USBError.cancelled) { try await mock.transport.claim(interface: 0) }
        await #expect(throws: USBError.cancelled) { try await mock.transport.clearHalt(endpoint: 0x82) }

        let again = try await mock.bus.open(mock.transport.device)
        let counters = try await again.control(
            .input(type: 0xC0, request: 0x10, value: 0, index: 0, length: 64), timeout: .seconds(5))
        #expect(counters[MockUSBDevice.Counter.releases.rawValue] == 1)
        #expect(counters[MockUSBDevice.Counter.attaches.rawValue] == 1)
        await again.close()
    }

    @Test func `closing many times at once closes once`() async throws {
        let mock = try await MockUSBDevice()
        let read = try await mock.startUnansweredRead()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { [transport = mock.transport] in await transport.close() } }
        }
        await mock.transport.close()
        await #expect(throws: USBError.cancelled) { try await read.value }
        #expect(openDeviceFiles == 0)
    }

    @Test func `closing in a cancelled task closes all the same`() async throws {
        let mock = try await MockUSBDevice()
        let read = try await mock.startUnansweredRead()
        await Task { [transport = mock.transport] in
            withUnsafeCurrentTask { $0?.cancel() }
            await transport.close()
        }.value
        await #expect(throws: USBError.cancelled) { try await read.value }
        #expect(openDeviceFiles == 0)
    }

    @Test func `a device that is pulled out ends what runs, leaves, and can be used when it is back`() async throws {
        let mock = try await MockUSBDevice()
        var events = mock.bus.hotplugEvents().makeAsyncIterator()
        #expect(try await mock.bus.devices() == [mock.transport.device])
        let read = try await mock.startUnansweredRead()
        MockUSBDevice.pullOut()
        await #expect(throws: USBError.disconnected) { try await read.value }
        await #expect(throws: USBError.disconnected) {
            try await mock.transport.bulkOut([1], endpoint: 0x03, timeout: .seconds(5))
        }
        #expect(await events.next() == .left(mock.transport.device))
        #expect(try await mock.bus.devices() == [])
        await #expect(throws: USBError.disconnected) { _ = try await mock.bus.open(mock.transport.device) }
        await mock.transport.close()

        // On a bus whose clock stands still, only a message can tell of the arrival.
        let listening = try LibUSBBus(time: SteppedTimeSource())
        var told = listening.hotplugEvents().makeAsyncIterator()
        #expect(try await listening.devices() == [])
        MockUSBDevice.plugIn()
        let news = await told.next()
        guard case .arrived(let device) = news else {
            Issue.record("\(String(describing: news))")
            return
        }
        #expect(await events.next() == .arrived(device))
        #expect(device.address != mock.transport.device.address)
        let transport = try await listening.open(device)
        try await transport.bulkOut([5], endpoint: 0x03, timeout: .seconds(5))
        #expect(try await transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(5)) == [5])
        await transport.close()
    }

    @Test func `a device that nobody closed is closed when nobody holds it, and the event thread ends`() async throws {
        await waitUntil { eventThreads == 0 }
        do {
            let mock = try await MockUSBDevice()
            try await mock.transport.claim(interface: 0)
            #expect(eventThreads == 1)
            #expect(openDeviceFiles == 1)
        }
        await waitUntil { openDeviceFiles + eventThreads == 0 }
    }

    /// Some other thread may be about to drop the last reference, or to end.
    private func waitUntil(_ condition: () -> Bool) async {
        for _ in 0..<100_000 {
            if condition() { return }
            await Task.yield()
        }
        Issue.record("device files: \(openDeviceFiles), event threads: \(eventThreads)")
    }

    private var openDeviceFiles: Int {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return files.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
                .contains("/dev/bus/usb/") == true
        }
    }

    private var eventThreads: Int {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "usb-events\n"
        }
    }
}
