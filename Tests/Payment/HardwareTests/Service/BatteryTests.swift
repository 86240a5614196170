import SimulatedTime
import Simulator
import Testing

@testable import Hardware

@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct BatteryTests {
    @Test func `the charge is known once the reader is connected`() async throws {
        let bench = try ServiceBench(model: .battery)
        bench.reader.setBatteryLevel(percent: 64)
        let found = try #require(try await bench.discover().first)
        #expect(found.batteryLevel == nil)
        let reader = try await bench.service.connect(found)
        #expect(reader.batteryLevel == 0.64)
        #expect(reader.id == found.id)
        var connected = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await connected.next() == [reader])
    }

    @Test func `a reader on USB power has none`() async throws {
        #expect(try await ServiceBench().connect().batteryLevel == nil)
    }

    @Test func `a low battery is reported once, and again when it is charged`() async throws {
        let bench = try ServiceBench(model: .battery)
        bench.reader.setBatteryLevel(percent: 21)
        var events = await bench.service.readerEvents.makeAsyncIterator()
        try await bench.connect()
        var connected = await bench.service.connectedReaders.makeAsyncIterator()
        #expect(await connected.next()?.first?.batteryLevel == 0.21)
        for (percent, expected) in [
            (20, CardReaderEvent.lowBattery(0.2)), (12, nil), (20, nil), (21, .lowBatteryResolved(0.21)), (90, nil),
            (0, .lowBattery(0)),
        ] as [(UInt8, CardReaderEvent?)] {
            bench.reader.setBatteryLevel(percent: percent)
            _ = try await bench.pay()
            try await bench.service.waitForInsertedCardToBeRemoved()
            #expect(await connected.next()?.first?.batteryLevel == Double(percent) / 100)
            var told: [CardReaderEvent] = []
            while let event = await events.next(), event != .cardRemoved {
                switch event {
                case .lowBattery, .lowBatteryResolved: told.append(event)
                default: break
                }
            }
            #expect(told == [expected].compactMap(\.self), "\(percent) %")
        }
    }

    @Test func `a battery that is low from the start is reported at once`() async throws {
        let bench = try ServiceBench(model: .battery)
        bench.reader.setBatteryLevel(percent: 5)
        var events = await bench.service.readerEvents.makeAsyncIterator()
        try await bench.connect()
        #expect(await events.next() == .lowBattery(0.05))
    }

    @Test func `a reader that does not report its battery level is connected anyway`() async throws {
        var model = SimulatedReaderModel.battery
        model.escapeAnswers = [:]
        let bench = try ServiceBench(model: model)
        #expect(try await bench.connect().batteryLevel == nil)
        _ = try await bench.pay()
    }

    @Test(
        arguments: [[], [0x42, 0x41, 0x54], [0x42, 0x41, 0x54, 101], [0x42, 0x41, 0x54, 1, 2], [1, 2, 3, 4]]
            as [[UInt8]])
    func `an answer without a battery level is ignored`(answer: [UInt8]) throws {
        #expect(try #require(BatteryQuery.of("1209:0004")).level(in: answer) == nil)
    }
}
