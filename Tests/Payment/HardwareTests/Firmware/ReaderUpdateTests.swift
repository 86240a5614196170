import Determinism
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Hardware

/// Firmware updates through the reader service, of a reader whose firmware runs only when every byte of it has come.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ReaderUpdateTests {
    private let shelf: FirmwareShelf

    init() throws { shelf = try FirmwareShelf() }

    private func bench(_ firmware: [ReaderFirmware]? = nil) throws -> ServiceBench {
        try ServiceBench(model: .updatable, firmware: try firmware ?? [shelf.firmware()])
    }

    // MARK: Offered

    @Test func `newer firmware is offered, installed on request, and takes payments`() async throws {
        let bench = try bench()
        var states = await UpdateStates(bench)
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        let reader = try await bench.connect()
        #expect(reader.softwareVersion == "1.00")
        #expect(!reader.isAwaitingFirmware)
        let offered = try #require(await states.next()?.offer)
        #expect(offered.version == "2.34")
        #expect(offered.need == .optional)
        #expect(offered.estimate == .lessThanOneMinute)

        var events = await bench.service.readerEvents.makeAsyncIterator()
        try await bench.service.installUpdate()
        #expect(await states.next() == .started(isCancellable: true))
        let progress = try await states.progress()
        #expect(progress.first == 0)
        #expect(progress.last == 1)
        #expect(progress == progress.sorted())
        #expect(progress.count > 10)
        #expect(await states.next() == .completed)
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)

        // It is the reader that is connected, and it was never lost.
        var lists = await bench.service.connectedReaders.makeAsyncIterator()
        let connected = try #require(await lists.next()?.first)
        #expect(connected.id == reader.id)
        #expect(connected.softwareVersion == "2.34")
        #expect(bench.updates?.release == 0x0234)
        #expect(try await bench.pay().status == .requiresCapture)
        #expect(await events.next() == .waitingForInput(.insert))
        await #expect(throws: CardReaderServiceError.softwareUpdate(.noSoftwareUpdateAvailable)) {
            try await bench.service.installUpdate()
        }
    }

    @Test func `a postponed update stays offered, and the reader takes payments`() async throws {
        let bench = try bench()
        try await bench.connect()
        #expect(try await bench.pay().status == .requiresCapture)
        #expect(bench.updates?.release == 0x0100)
        // A new subscriber gets the current state, but not that of a removed reader.
        var states = await UpdateStates(bench)
        #expect(await states.next()?.offer?.version == "2.34")
        try await bench.service.waitForInsertedCardToBeRemoved()
        try await bench.service.disconnect()
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        await #expect(throws: CardReaderServiceError.softwareUpdate(.notConnectedToReader)) {
            try await bench.service.installUpdate()
        }
    }

    @Test(arguments: [0x0100, 0x00FF, nil] as [UInt16?])
    func `firmware of the same or an older release is not offered`(release: UInt16?) async throws {
        let bench = try bench(release.map { [try shelf.firmware(release: $0, need: .required)] } ?? [])
        try await bench.connect()
        var states = await UpdateStates(bench)
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        await #expect(throws: CardReaderServiceError.softwareUpdate(.noSoftwareUpdateAvailable)) {
            try await bench.service.installUpdate()
        }
        #expect(bench.updates?.release == 0x0100)
    }

    @Test func `a reader without updatable firmware is offered none`() async throws {
        var model = SimulatedReaderModel.updatable
        model.firmware = nil
        let bench = try ServiceBench(model: model, firmware: [try shelf.firmware(need: .required)])
        #expect(try await bench.connect().softwareVersion == "1.00")
        await #expect(throws: CardReaderServiceError.softwareUpdate(.noSoftwareUpdateAvailable)) {
            try await bench.service.installUpdate()
        }
    }

    @Test func `of several releases the highest is offered`() async throws {
        let bench = try bench([
            shelf.firmware(release: 0x0200), shelf.firmware(release: 0x0310), shelf.firmware(release: 0x0234),
        ])
        try await bench.connect()
        try await bench.service.installUpdate()
        #expect(bench.updates?.release == 0x0310)
    }

    // MARK: Required

    /// The simulated day is the second of January 2026.
    private static let dueDates: [(date: CivilDate, isDue: Bool)] = [
        (CivilDate(year: 2026, month: 1, day: 3), false), (CivilDate(year: 2026, month: 2, day: 1), false),
        (CivilDate(year: 2027, month: 1, day: 1), false), (CivilDate(year: 2026, month: 1, day: 2), true),
        (CivilDate(year: 2025, month: 12, day: 31), true),
    ]

    @Test func `required firmware is installed before the reader is connected`() async throws {
        let bench = try bench([shelf.firmware(need: .required)])
        var states = await UpdateStates(bench)
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        #expect(try await bench.connect().softwareVersion == "2.34")
        #expect(await states.next() == .started(isCancellable: true))
        #expect(try await states.progress().last == 1)
        #expect(await states.next() == .completed)
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        #expect(try await bench.pay().status == .requiresCapture)
        try await bench.service.waitForInsertedCardToBeRemoved()
        try await bench.service.disconnect()
        // Once is enough.
        #expect(try await bench.connect().softwareVersion == "2.34")
    }

    @Test(arguments: dueDates) func `firmware becomes required on its date`(date: CivilDate, isDue: Bool) async throws {
        let bench = try bench([shelf.firmware(need: .requiredFrom(date))])
        let reader = try await bench.connect()
        #expect(reader.softwareVersion == (isDue ? "2.34" : "1.00"))
        var states = await UpdateStates(bench)
        #expect(await states.next()?.offer?.need == (isDue ? nil : .requiredFrom(date)))
    }

    // MARK: Battery

    @Test func `required firmware needs a battery level of 50 %, otherwise the reader is not connected`() async throws {
        let bench = try bench([shelf.firmware(need: .required)])
        bench.reader.setBatteryLevel(percent: 49)
        var states = await UpdateStates(bench)
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        await #expect(
            throws: CardReaderServiceError.softwareUpdate(.readerSoftwareUpdateFailedBatteryLow(0.49))
        ) { try await bench.connect() }
        #expect(await states.next() == .failed(.readerSoftwareUpdateFailedBatteryLow(0.49)))
        #expect(await states.next() == CardReaderSoftwareUpdateState.none)
        var lists = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await lists.next() == [])
        #expect(bench.updates?.release == 0x0100)
        bench.reader.setBatteryLevel(percent: 50)
        #expect(try await bench.connect().softwareVersion == "2.34")
    }

    @Test func `with a low battery an optional update is not installed`() async throws {
        let bench = try bench()
        bench.reader.setBatteryLevel(percent: 30)
        try await bench.connect()
        var states = await UpdateStates(bench)
        let offered = await states.next()
        await #expect(throws: CardReaderServiceError.softwareUpdate(.readerSoftwareUpdateFailedBatteryLow(0.3))) {
            try await bench.service.installUpdate()
        }
        #expect(await states.next() == .failed(.readerSoftwareUpdateFailedBatteryLow(0.3)))
        #expect(await states.next() == offered)
        #expect(try await bench.pay().status == .requiresCapture)
    }

    @Test func `a reader on USB power needs no battery`() async throws {
        var model = SimulatedReaderModel.updatable
        model.escapeAnswers = [:]
        let bench = try ServiceBench(model: model, firmware: [try shelf.firmware(need: .required)])
        #expect(try await bench.connect().softwareVersion == "2.34")
    }

    // MARK: Readers without a serial number

    @Test func `a reader without a serial number is identified by its port`() async throws {
        var model = SimulatedReaderModel.updatable
        model.serialNumber = nil
        let bench = try ServiceBench(model: model, firmware: [try shelf.firmware()])
        let before = try await bench.connect()
        try await bench.service.installUpdate()
        var lists = await bench.service.connectedReaders.makeAsyncIterator()
        let after = try #require(await lists.next()?.first)
        #expect(after.id == before.id)
        #expect(after.softwareVersion == "2.34")
        #expect(try await bench.pay().status == .requiresCapture)
    }
}

/// The states of a service's updates, one after the other.
struct UpdateStates {
    private var iterator: AsyncStream<CardReaderSoftwareUpdateState>.Iterator
    private var pending: CardReaderSoftwareUpdateState?

    init(_ bench: ServiceBench) async {
        iterator = await bench.service.softwareUpdateEvents.makeAsyncIterator()
    }

    mutating func next() async -> CardReaderSoftwareUpdateState? {
        defer { pending = nil }
        if let pending { return pending }
        return await iterator.next(isolation: #isolation)
    }

    /// Every progress up to the next state that is none.
    mutating func progress() async throws -> [Double] {
        var values: [Double] = []
        while let state = await next() {
            guard case .installing(let progress) = state else {
                pending = state
                break
            }
            values.append(progress)
        }
        return values
    }
}

extension CardReaderSoftwareUpdateState {
    /// What is offered; nil in every other state.
    var offer: ReaderFirmwareUpdate? {
        guard case .available(let update) = self else { return nil }
        return update
    }
}
