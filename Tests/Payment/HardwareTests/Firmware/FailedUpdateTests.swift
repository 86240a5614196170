import Foundation
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Hardware

/// Updates that go wrong: with the file, with the reader, in the middle.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct FailedUpdateTests {
    private let shelf: FirmwareShelf

    init() throws { shelf = try FirmwareShelf() }

    private func bench(
        _ firmware: [ReaderFirmware]? = nil, reconnection: ReconnectionPolicy = .off,
        habits: (inout SimulatedFirmwareOptions) -> Void = { _ in }
    ) throws -> ServiceBench {
        var model = SimulatedReaderModel.updatable
        if var changed = model.firmware {
            habits(&changed)
            model.firmware = changed
        }
        return try ServiceBench(
            model: model, firmware: try firmware ?? [shelf.firmware()], reconnection: reconnection)
    }

    /// Why an update fails; nil when it does not.
    private func failure(_ bench: ServiceBench) async -> UnderlyingError? {
        do throws(CardReaderServiceError) {
            try await bench.service.installUpdate()
            return nil
        } catch {
            guard case .softwareUpdate(let cause) = error else { return nil }
            return cause
        }
    }

    private func isConnected(_ bench: ServiceBench) async -> Bool {
        var lists = await bench.service.connectedReaders.makeAsyncIterator()
        return await lists.next()?.isEmpty == false
    }

    // MARK: The file

    static let files: [(name: String, text: String, make: @Sendable (FirmwareShelf) throws -> ReaderFirmware)] = [
        ("damaged", "the file is damaged", { try $0.firmware { $0[5_000] ^= 1 } }),
        ("with a wrong checksum", "the file is damaged", { try $0.firmware { $0[$0.count - 1] ^= 1 } }),
        ("cut off", "no DFU suffix", { try $0.firmware { $0.removeLast(40) } }),
        ("of nothing", "a firmware file has at least 17 bytes: this one has 0", { try $0.firmware { $0 = [] } }),
        ("for another reader", "is not for 1209:000d", { try $0.firmware(productID: 0x0009) }),
        ("of another release", "contains firmware 3.10, not 2.34", { try $0.firmware(stated: 0x0310) }),
        ("that is not there", "none.dfu: No such file or directory", { $0.row($0.folder + "/none.dfu") }),
        ("that is a folder", ": Is a directory", { $0.row($0.folder) }),
    ]

    @Test(arguments: files.indices) func `a file that cannot be used changes nothing`(_ index: Int) async throws {
        let file = Self.files[index]
        let bench = try bench([file.make(shelf)])
        try await bench.connect()
        var states = await UpdateStates(bench)
        let offered = await states.next()
        guard case .readerSoftwareUpdateFailedServer(let text) = await failure(bench) else {
            Issue.record("a file \(file.name) was taken")
            return
        }
        #expect(text.contains(file.text), "\(file.name)")
        #expect(await states.next() == .started(isCancellable: true))
        #expect(await states.next() == .failed(.readerSoftwareUpdateFailedServer(text)))
        #expect(await states.next() == offered)
        #expect(bench.updates?.isInUpdateMode == false)
        #expect(bench.updates?.release == 0x0100)
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `a file for another reader is not sent to a reader that waits for firmware`() async throws {
        let bench = try bench()
        try await interrupt(bench)
        let other = try ServiceBench(
            model: .updatable, firmware: [shelf.firmware(productID: 0x0009)], wrapBus: { _ in bench.bus })
        let waiting = try #require(try await other.discover().first)
        #expect(waiting.isAwaitingFirmware)
        let thrown = await #expect(throws: CardReaderServiceError.self) { try await other.service.connect(waiting) }
        guard case .softwareUpdate(.readerSoftwareUpdateFailedServer(let text)) = thrown else {
            Issue.record("\(thrown as Any)")
            return
        }
        #expect(text.contains("is not for 1209:000d"))
        #expect(bench.updates?.isInUpdateMode == true)
    }

    // MARK: The reader

    @Test func `a reader that rejects the firmware keeps its own, and a retry works`() async throws {
        let bench = try bench()
        let before = try await bench.connect()
        var states = await UpdateStates(bench)
        let offered = await states.next()
        bench.updates?.arm(.refused)
        let error = UnderlyingError.readerSoftwareUpdateFailedReader(
            "the device rejected the firmware: the file is not for this device")
        #expect(await failure(bench) == error)
        #expect(await states.next() == .started(isCancellable: true))
        #expect(try await states.progress() == [0])
        #expect(await states.next() == .failed(error))
        #expect(await states.next() == offered)
        var lists = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await lists.next() == [before])
        #expect(try await bench.pay().status == .requiresCapture)
        try await bench.service.waitForInsertedCardToBeRemoved()
        #expect(await failure(bench) == nil)
        #expect(bench.updates?.release == 0x0234)
    }

    @Test func `a reader with two firmware banks keeps working when the new firmware is invalid`() async throws {
        let bench = try bench { $0.keepsOldFirmware = true }
        try await bench.connect()
        bench.updates?.arm(.verificationFailed)
        #expect(
            await failure(bench)
                == .readerSoftwareUpdateFailedReader(
                    "the device rejected the firmware: the written firmware differs from the file"))
        #expect(bench.updates?.release == 0x0100)
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `a reader without firmware is not connected, and connecting it installs the firmware`() async throws {
        let bench = try bench()
        let before = try await bench.connect()
        var events = await bench.service.readerEvents.makeAsyncIterator()
        bench.updates?.arm(.verificationFailed)
        #expect(
            await failure(bench)
                == .readerSoftwareUpdateFailedReader(
                    "the device rejected the firmware: the written firmware differs from the file"))
        #expect(await !isConnected(bench))
        guard case .disconnected(.failed) = await events.next() else {
            Issue.record("the loss of the reader was not told")
            return
        }
        #expect(bench.updates?.release == nil)
        try await finish(bench, id: before.id)
    }

    @Test func `a reader that cannot be opened in update mode keeps working`() async throws {
        let meddler = MeddlingSource(mayOpen: false)
        let bench = try ServiceBench(
            model: .updatable, firmware: [shelf.firmware()], wrapBus: { meddler.wrap($0) },
            wrapSource: { meddler.wrap($0) })
        try await bench.connect()
        guard case .readerAccessDenied(let text) = await failure(bench) else {
            Issue.record("the reader was sent into update mode")
            return
        }
        #expect(text.hasPrefix("in update mode the reader is 1209:000e, which only root may open"))
        #expect(bench.updates?.isInUpdateMode == false)
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `a reader that does not enter update mode works as before`() async throws {
        let bench = try bench()
        try await bench.connect()
        bench.updates?.arm(.doesNotDetach)
        #expect(await failure(bench) == .readerSoftwareUpdateFailedReader("the device did not enter update mode"))
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `a reader that does not come back is lost`() async throws {
        let bench = try bench()
        try await bench.connect()
        bench.updates?.arm(.doesNotReturn)
        #expect(
            await failure(bench) == .readerSoftwareUpdateFailedReader("the device did not come back after the update"))
        #expect(await !isConnected(bench))
    }

    @Test func `after a failed required update the reader is not connected, and the next try works`() async throws {
        let bench = try bench([shelf.firmware(need: .required)])
        bench.updates?.arm(.refused)
        await #expect(
            throws: CardReaderServiceError.softwareUpdate(
                .readerSoftwareUpdateFailedReader("the device rejected the firmware: the file is not for this device"))
        ) { try await bench.connect() }
        #expect(await !isConnected(bench))
        #expect(try await bench.connect().softwareVersion == "2.34")
    }

    // MARK: In the middle

    @Test(arguments: [1, 50, 99])
    func `an interrupted update is completed when the reader is connected again`(percent: Int) async throws {
        let bench = try bench()
        let before = try await bench.connect()
        var states = await UpdateStates(bench)
        #expect(await states.next()?.offer != nil)
        var events = await bench.service.readerEvents.makeAsyncIterator()
        bench.updates?.arm(.unplugged(percent: percent), expected: FirmwareShelf.firmwareLength)
        guard case .readerSoftwareUpdateFailedInterrupted(let text) = await failure(bench) else {
            Issue.record("the reader was not missed")
            return
        }
        #expect(text.contains("was unplugged at"))
        #expect(await states.next() == .started(isCancellable: true))
        let progress = try await states.progress()
        #expect(progress.allSatisfy { $0 <= Double(percent) / 100 + 0.06 })
        #expect(await states.next() == .failed(.readerSoftwareUpdateFailedInterrupted(text)))
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        #expect(await events.next() == .disconnected(.unplugged))
        #expect(await !isConnected(bench))
        bench.bus.plug(bench.device)
        try await finish(bench, id: before.id)
    }

    @Test func `an interrupted required update is completed in the same way`() async throws {
        let bench = try bench([shelf.firmware(need: .required)])
        bench.updates?.arm(.unplugged(percent: 40), expected: FirmwareShelf.firmwareLength)
        let reader = try #require(try await bench.discover().first)
        let thrown = await #expect(throws: CardReaderServiceError.self) { try await bench.service.connect(reader) }
        guard case .softwareUpdate(.readerSoftwareUpdateFailedInterrupted) = thrown else {
            Issue.record("\(thrown as Any)")
            return
        }
        bench.bus.plug(bench.device)
        try await finish(bench, id: reader.id)
    }

    @Test func `reconnection ignores a reader during its update`() async throws {
        let bench = try bench(reconnection: ReconnectionPolicy())
        try await bench.connect()
        var reconnections = await bench.service.reconnectionStates.makeAsyncIterator()
        #expect(await reconnections.next() == .idle)
        #expect(await failure(bench) == nil)
        try await bench.service.disconnect()
        // The next reported state is the one after the disconnection.
        #expect(await reconnections.next() == .idle)
    }

    /// Pulls the reader out in the middle of an update, and plugs it in again.
    private func interrupt(_ bench: ServiceBench) async throws {
        try await bench.connect()
        bench.updates?.arm(.unplugged(percent: 50), expected: FirmwareShelf.firmwareLength)
        #expect(await failure(bench) != nil)
        bench.bus.plug(bench.device)
    }

    /// Connects a reader that waits for firmware, which can only go on.
    private func finish(_ bench: ServiceBench, id: CardReader.ID) async throws {
        await bench.service.cancelDiscovery()
        let waiting = try #require(try await bench.discover().first)
        #expect(waiting.isAwaitingFirmware)
        #expect(waiting.id == id)
        #expect(waiting.softwareVersion == nil)
        #expect(waiting.slotCount == 0)
        var states = await UpdateStates(bench)
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        let reader = try await bench.service.connect(waiting)
        #expect(reader.softwareVersion == "2.34")
        #expect(!reader.isAwaitingFirmware)
        #expect(await states.next() == .started(isCancellable: false))
        #expect(try await states.progress().last == 1)
        #expect(await states.next() == .completed)
        #expect(try await bench.pay().status == .requiresCapture)
    }
}
