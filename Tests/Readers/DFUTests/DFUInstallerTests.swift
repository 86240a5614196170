import DFU
import Determinism
import SimulatedTime
import Simulator
import Synchronization
import Testing
import USB

/// Whole updates of a simulated reader, whose firmware runs only when every byte of it has come.
@Suite(.simulatedTime) struct DFUInstallerTests {
    private let clock = SimulationClock()
    private let bus: SimulatedUSBBus

    init() { bus = SimulatedUSBBus(clock: clock) }

    private static let image = SimulatedFirmwareImage(release: 0x0234)
    private let file = DFUFile(firmware: image.bytes, vendorID: 0x1209, productID: 0x000D, release: 0x0234)

    private func plug(_ change: (inout SimulatedFirmwareOptions) -> Void = { _ in }) throws -> SimulatedUpdatableDevice
    {
        var model = SimulatedReaderModel.updatable
        var habits = try #require(model.firmware)
        change(&habits)
        model.firmware = habits
        let reader = try #require(SimulatedReaderUnit(model: model, clock: clock).updates)
        bus.plug(reader)
        return reader
    }

    @discardableResult
    private func install(
        _ file: DFUFile? = nil, on other: (any USBBus)? = nil, commitment: DFUCommitment = DFUCommitment(),
        _ onProgress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> USBDevice {
        let device = try #require(try await bus.devices().first)
        return try await DFUInstaller(bus: other ?? bus, time: clock).install(
            file ?? self.file, on: device, commitment: commitment, onProgress: onProgress)
    }

    private func failure(
        _ file: DFUFile? = nil, on other: (any USBBus)? = nil, commitment: DFUCommitment = DFUCommitment()
    ) async -> DFUError? {
        do {
            try await install(file, on: other, commitment: commitment)
            return nil
        } catch {
            return error as? DFUError
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a reader gets firmware and returns with it, for every kind of device`(
        detaches: Bool, survives: Bool
    ) async throws {
        let reader = try plug {
            ($0.detachesItself, $0.survivesManifestation) = (detaches, survives)
            $0.transferSize = survives ? 64 : 1000
        }
        let before = try #require(try await bus.devices().first)
        #expect(before.descriptor.release == 0x0100)
        let progress = Mutex<[Double]>([])
        let after = try await install { value in progress.withLock { $0.append(value) } }
        #expect(after.descriptor.release == 0x0234)
        #expect(after.descriptor.productID == before.descriptor.productID)
        #expect(after.serialNumber == before.serialNumber)
        #expect(after.address != before.address)
        #expect(reader.release == 0x0234)
        #expect(!reader.isInUpdateMode)
        let values = progress.withLock { $0 }
        #expect(values == values.sorted())
        #expect(values.last == 1)
        #expect(values.count > 10)
        #expect(try await bus.devices().count == 1)
    }

    @Test func `a reader that leaves during manifestation returns`() async throws {
        let reader = try plug()
        reader.arm(.restartsByItself)
        #expect(try await install().descriptor.release == 0x0234)
    }

    // MARK: Canceling

    @Test func `an update that was canceled before its start changes nothing`() async throws {
        let reader = try plug()
        let commitment = DFUCommitment()
        #expect(commitment.cancel())
        #expect(await failure(commitment: commitment) == .canceled)
        #expect(reader.release == 0x0100)
        #expect(!reader.isInUpdateMode)
    }

    @Test(arguments: [1, 2]) func `until the first byte a canceled update leaves the reader working`(
        opening: Int
    ) async throws {
        // Opened once to go into update mode, and a second time to be written.
        let reader = try plug()
        let commitment = DFUCommitment()
        let watched = WatchedBus(bus) { if $0 == opening { #expect(commitment.cancel()) } }
        #expect(await failure(on: watched, commitment: commitment) == .canceled)
        #expect(reader.release == 0x0100)
        #expect(!reader.isInUpdateMode)
        #expect(try await bus.devices().map(\.descriptor.productID) == [0x000D])
        #expect(try await install().descriptor.release == 0x0234)
    }

    @Test func `canceling the caller cancels the update`() async throws {
        let reader = try plug()
        let task = Mutex<Task<DFUError?, Never>?>(nil)
        let watched = WatchedBus(bus) { opening in if opening == 2 { task.withLock { $0?.cancel() } } }
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            for await _ in gate { break }
            return await failure(on: watched)
        }
        task.withLock { $0 = running }
        opener.yield()
        #expect(await running.value == .canceled)
        #expect(reader.release == 0x0100)
    }

    @Test func `after the first byte an update cannot be canceled`() async throws {
        let reader = try plug()
        let commitment = DFUCommitment()
        let heard = Mutex<[Bool]>([])
        let after = try await install(commitment: commitment) { _ in heard.withLock { $0.append(commitment.cancel()) } }
        #expect(after.descriptor.release == 0x0234)
        #expect(reader.release == 0x0234)
        #expect(heard.withLock { $0.contains(true) } == false)
        #expect(!commitment.isOpen)
    }

    @Test func `an update of a reader without working firmware cannot be canceled`() {
        #expect(!DFUCommitment(isCancellable: false).cancel())
    }

    // MARK: Faults

    @Test func `a reader that rejects the file keeps its firmware`() async throws {
        let reader = try plug()
        reader.arm(.refused)
        #expect(await failure() == .refused(.wrongTarget))
        #expect(reader.release == 0x0100)
        #expect(!reader.isInUpdateMode)
    }

    @Test func `firmware that fails verification leaves a reader in update mode, and a retry completes the update`()
        async throws
    {
        let reader = try plug()
        reader.arm(.verificationFailed)
        #expect(await failure() == .refused(.verify))
        #expect(reader.release == nil)
        #expect(reader.isInUpdateMode)
        #expect(try await install().descriptor.release == 0x0234)
        #expect(reader.release == 0x0234)
    }

    @Test func `a reader with two firmware banks continues with the old firmware`() async throws {
        let reader = try plug { $0.keepsOldFirmware = true }
        reader.arm(.verificationFailed)
        #expect(await failure() == .refused(.verify))
        #expect(reader.release == 0x0100)
        #expect(!reader.isInUpdateMode)
    }

    @Test func `bytes that are not firmware are not started`() async throws {
        let reader = try plug()
        var bytes = Self.image.bytes
        bytes[5_000] ^= 1
        #expect(
            await failure(DFUFile(firmware: bytes, vendorID: nil, productID: nil, release: nil))
                == .refused(.firmwareCorrupt))
        #expect(reader.release == nil)
    }

    @Test(arguments: [1, 50, 99]) func `an unplugged reader is found in update mode when it returns`(
        percent: Int
    ) async throws {
        let reader = try plug()
        reader.arm(.unplugged(percent: percent), expected: Self.image.bytes.count)
        guard case .unplugged(let progress) = await failure() else {
            Issue.record("the reader was not missed")
            return
        }
        #expect(progress <= Double(percent) / 100 + 0.06)
        #expect(try await bus.devices().isEmpty)
        bus.plug(reader)
        #expect(reader.isInUpdateMode)
        #expect(try await bus.devices().map(\.descriptor.productID) == [0x000E])
        #expect(try await install().descriptor.release == 0x0234)
    }

    @Test func `a stalled block ends the update, and a retry works`() async throws {
        let reader = try plug()
        reader.arm(.stalled(block: 7))
        #expect(await failure() == .refused(.stalledPacket))
        #expect(try await install().descriptor.release == 0x0234)
    }

    @Test func `a permanently busy reader is given up after a minute`() async throws {
        let reader = try plug()
        reader.arm(.busyForever(block: 3))
        let begin = clock.reading()
        #expect(await failure() == .noEnd(.downloadSync))
        #expect(clock.elapsed(since: begin) < .seconds(90))
    }

    @Test func `a reader that does not enter update mode works as before`() async throws {
        let reader = try plug()
        reader.arm(.doesNotDetach)
        #expect(await failure() == .noUpdateMode)
        #expect(reader.release == 0x0100)
    }

    @Test func `a reader that does not return is reported`() async throws {
        let reader = try plug()
        reader.arm(.doesNotReturn)
        #expect(await failure() == .noReturn)
        #expect(reader.release == 0x0234)
    }

    @Test func `in update mode a file of another vendor is rejected too`() async throws {
        let reader = try plug()
        reader.arm(.unplugged(percent: 30), expected: Self.image.bytes.count)
        #expect(await failure() != nil)
        bus.plug(reader)
        #expect(reader.isInUpdateMode)
        let other = DFUFile(firmware: Self.image.bytes, vendorID: 0x0483, productID: nil, release: nil)
        #expect(await failure(other) == .wrongDevice(vendorID: 0x1209, productID: 0x000E))
        #expect(try await install().descriptor.release == 0x0234)
    }

    @Test func `a device in update mode with unexpected IDs gets nothing`() async throws {
        let reader = try plug()
        let device = try #require(try await bus.devices().first)
        let installer = DFUInstaller(bus: bus, time: clock)
        await #expect(throws: DFUError.noUpdateMode) {
            try await installer.install(file, on: device, updateMode: (0x1209, 0x000F)) { _ in }
        }
        #expect(reader.release == 0x0100)
        #expect(reader.isInUpdateMode)
    }

    @Test(arguments: [USBError.stalled, .timedOut, .disconnected])
    func `a failed detach request is ignored if the device leaves`(error: USBError) async throws {
        let reader = try plug()
        #expect(try await install(on: DeafBus(bus: bus, error: error)).descriptor.release == 0x0234)
        #expect(reader.release == 0x0234)
    }

    @Test func `a file for another reader, and a reader without DFU, are rejected before anything happens`()
        async throws
    {
        let reader = try plug()
        let other = DFUFile(firmware: [1], vendorID: 0x1209, productID: 0x0009, release: 1)
        #expect(await failure(other) == .wrongDevice(vendorID: 0x1209, productID: 0x000D))
        bus.unplug(reader)
        bus.plug(SimulatedCCIDReader(model: .tpdu, clock: clock))
        #expect(await failure() == .notSupported)
    }
}

/// A bus that counts how often a device is opened.
private final class WatchedBus: USBBus {
    private let bus: any USBBus
    private let openings = Mutex(0)
    private let onOpening: @Sendable (Int) -> Void

    init(_ bus: any USBBus, _ onOpening: @escaping @Sendable (Int) -> Void) {
        (self.bus, self.onOpening) = (bus, onOpening)
    }

    func devices() async throws(USBError) -> [USBDevice] { try await bus.devices() }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        onOpening(
            openings.withLock {
                $0 += 1
                return $0
            })
        return try await bus.open(device)
    }
}

/// A bus on which the first control transfer arrives, and seems to have failed.
private final class DeafBus: USBBus {
    private let bus: any USBBus
    private let error: Mutex<USBError?>

    init(bus: any USBBus, error: USBError) {
        self.bus = bus
        self.error = Mutex(error)
    }

    func devices() async throws(USBError) -> [USBDevice] { try await bus.devices() }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        let error = error.withLock { error in
            defer { error = nil }
            return error
        }
        let transport = try await bus.open(device)
        guard let error else { return transport }
        return DeafTransport(transport: transport, error: error)
    }
}

/// The transport of such a device.
private final class DeafTransport: USBTransport {
    private let transport: any USBTransport
    private let error: Mutex<USBError?>

    init(transport: any USBTransport, error: USBError) {
        self.transport = transport
        self.error = Mutex(error)
    }

    var device: USBDevice { transport.device }

    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] {
        let answer = try await transport.control(request, timeout: timeout)
        let error = error.withLock { error in
            defer { error = nil }
            return error
        }
        if let error { throw error }
        return answer
    }

    func claim(interface: UInt8) async throws(USBError) { try await transport.claim(interface: interface) }
    func release(interface: UInt8) async throws(USBError) { try await transport.release(interface: interface) }
    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        try await transport.bulkOut(bytes, endpoint: endpoint, timeout: timeout)
    }
    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        try await transport.bulkIn(endpoint: endpoint, maximumLength: maximumLength, timeout: timeout)
    }
    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        try await transport.interruptIn(endpoint: endpoint, maximumLength: maximumLength, timeout: timeout)
    }
    func clearHalt(endpoint: UInt8) async throws(USBError) { try await transport.clearHalt(endpoint: endpoint) }
    func reset() async throws(USBError) { try await transport.reset() }
    func close() async { await transport.close() }
}
