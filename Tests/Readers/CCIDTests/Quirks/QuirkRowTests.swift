import CCID
import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

/// Every row of the table on a simulated reader with the row's identifiers and its fault: with the row the reader
/// works, without it it fails as described in the row.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct QuirkRowTests {
    private let entry = PINPadEntry(seconds: 30)

    // MARK: Firmware and start

    @Test(arguments: QuirkCase.cases(.refusedFirmware))
    func `firmware that loses answers is rejected with the fix`(row: QuirkCase) async throws {
        guard case .refusedFirmware(let fix) = row.quirk else { return }
        let error = await #expect(throws: CCIDError.self) { try await row.bench().open(.embedded) }
        #expect(error == .firmwareRefused(row.rule.firmware.upperBound, fix: fix))
        #expect(error?.description.contains(fix) == true)
        // Without the row a payment would stop in the middle: 52 bytes and a status word fill a packet.
        await #expect(throws: CardChannelError.timedOut) {
            try await row.bench().exchange(QuirkBench.read(52), .none)
        }
        // The shop may insist.
        await row.bench().open(insisting: true)
    }

    @Test(arguments: QuirkCase.cases(.startPause))
    func `a slow reader is not used during its start`(row: QuirkCase) async throws {
        guard case .startPause(let pause) = row.quirk else { return }
        let change: (inout SimulatedReaderModel) -> Void = {
            $0.misbehavior.deafTime = pause * 0.9
            $0.startTime = .zero
        }
        #expect(try await row.bench(change: change).exchange(QuirkBench.read(9), .embedded).data.count == 9)
        await #expect(throws: CCIDError.readerDead) { try await row.bench(change: change).open(.none) }
    }

    @Test(arguments: QuirkCase.cases(.firstAnswer))
    func `a slow first answer is waited for`(row: QuirkCase) async throws {
        guard case .firstAnswer(let wait) = row.quirk else { return }
        let change: (inout SimulatedReaderModel) -> Void = {
            $0.misbehavior.deafTime = .zero
            $0.startTime = wait * 0.9
        }
        // A program with a shorter timeout than the row, unless the standard timeout is shorter already.
        var timing = CCIDTiming()
        (timing.command, timing.restart) = (min(timing.command, wait / 4), min(timing.restart, wait / 4))
        timing.abort = min(timing.abort, wait / 4)
        let command = QuirkBench.read(9)
        #expect(try await row.bench(change: change).exchange(command, .embedded, timing: timing).data.count == 9)
        await #expect(throws: CCIDError.readerDead) {
            try await row.bench(change: change).open(.none, timing: timing)
        }
    }

    // MARK: PIN pads

    @Test(arguments: QuirkCase.cases(.noPINPad))
    func `missing keys are not used for PIN entry`(row: QuirkCase) async throws {
        for (table, isClaimed) in [(ReaderQuirkTable.embedded, false), (.none, true)] {
            let bench = row.bench()
            let reader = try await bench.open(table)
            let channel = try await reader.powerOn()
            #expect(channel.hasPINPad == isClaimed)
            // There are no keys; the reader's claim causes a failed entry.
            #expect(try await channel.verifyPIN(entry) == .unsupported)
            #expect(reader.interface.claimed.pinSupport == .verification)
            await reader.close()
        }
    }

    @Test(arguments: QuirkCase.cases(.pinMessages, .swappedPINDigits))
    func `a PIN pad gets the structure that it supports`(row: QuirkCase) async throws {
        for (table, answer) in [
            (ReaderQuirkTable.embedded, PINPadAnswer.verified(.success)), (.none, .unsupported),
        ] {
            let bench = row.bench { model in
                guard case .pinMessages(let count) = row.quirk else { return }
                model.misbehavior.pinMessages = count
                model.misbehavior.swapsPINDigits = row.rule.quirks.contains(.swappedPINDigits)
                // What the driver would take from the display is the other number.
                model.displayLayout = count == 0 ? 0x0210 : 0
            }
            bench.type([1, 2, 3, 4])
            let reader = try await bench.open(table)
            #expect(try await reader.powerOn().verifyPIN(entry) == answer)
            await reader.close()
        }
    }

    // MARK: Exchange

    @Test(arguments: QuirkCase.cases(.exchangeLevel))
    func `commands are sent at the level of the firmware`(row: QuirkCase) async throws {
        let command = try QuirkBench.extended()
        switch row.quirk {
        case .exchangeLevel(.extendedAPDU):
            let bench = row.bench(card: QuirkCard.t1)
            #expect(try await bench.exchange(command, .embedded).data.count == 1000)
            await #expect(throws: CardChannelError.notSupported(CCIDError.extendedLengthNotSupported.description)) {
                try await row.bench(card: QuirkCard.t1).exchange(command, .none)
            }
        case .exchangeLevel(.shortAPDU):
            let reader = try await row.bench(card: QuirkCard.t1).open(.embedded)
            let channel = try await reader.powerOn()
            await #expect(throws: CardChannelError.notSupported(CCIDError.extendedLengthNotSupported.description)) {
                try await channel.transmit(command)
            }
            // Nothing was sent: the card's session continues.
            #expect(try await channel.transmit(QuirkBench.read(200)).data.count == 200)
            await reader.close()
            let believing = try await row.bench(card: QuirkCard.t1).open(.none)
            let broken = try await believing.powerOn()
            await #expect(throws: CardChannelError.self) { try await broken.transmit(command) }
            await #expect(throws: CardChannelError.self) { try await broken.transmit(QuirkBench.read(200)) }
            await believing.close()
        default: Issue.record("a row with a level that no test knows")
        }
    }

    @Test(arguments: QuirkCase.cases(.maximumDataRate))
    func `cards stay at a rate that the reader supports`(row: QuirkCase) async throws {
        guard case .maximumDataRate(let limit) = row.quirk else { return }
        let change: (inout SimulatedReaderModel) -> Void = {
            // The initial rate works in any case.
            $0.misbehavior.reliableDataRate = max(Int(limit), 10_753)
        }
        let command = QuirkBench.read(100)
        let bench = row.bench(card: QuirkCard.fastT0, change: change)
        #expect(try await bench.exchange(command, .embedded).data.count == 100)
        await #expect(throws: CardChannelError.self) {
            try await row.bench(card: QuirkCard.fastT0, change: change).exchange(command, .none)
        }
    }

    @Test(arguments: QuirkCase.cases(.noProtocolSelection))
    func `a reader without PPS support gets none`(row: QuirkCase) async throws {
        let command = QuirkBench.read(100)
        #expect(try await row.bench(card: QuirkCard.fastT0).exchange(command, .embedded).data.count == 100)
        await #expect(throws: CCIDError.timedOut(.transferBlock)) {
            try await row.bench(card: QuirkCard.fastT0).exchange(command, .none)
        }
    }

    @Test(arguments: QuirkCase.cases(.informationFieldSize))
    func `cards send blocks that the reader supports`(row: QuirkCase) async throws {
        // 48 bytes and the status word make a message of exactly 64 bytes.
        let command = QuirkBench.read(48)
        #expect(try await row.bench(card: QuirkCard.t1).exchange(command, QuirkCase.rows).data.count == 48)
        await #expect(throws: CardChannelError.timedOut) {
            try await row.bench(card: QuirkCard.t1).exchange(command, .none)
        }
    }

    @Test(arguments: QuirkCase.cases(.noIFSDNegotiation))
    func `the information field size is not negotiated if the reader does not support it`(row: QuirkCase) async throws {
        let command = QuirkBench.read(100)
        #expect(try await row.bench(card: QuirkCard.t1).exchange(command, .embedded).data.count == 100)
        await #expect(throws: CCIDError.timedOut(.transferBlock)) {
            try await row.bench(card: QuirkCard.t1).exchange(command, .none)
        }
    }

    // MARK: USB

    @Test(arguments: QuirkCase.cases(.polled))
    func `a slot is polled if notifications get lost`(row: QuirkCase) async throws {
        for (table, delay) in [
            (QuirkCase.rows, Duration.zero...Duration.milliseconds(250)),
            (.none, Duration.seconds(1)...Duration.seconds(2)),
        ] {
            let bench = row.bench(card: nil)
            let reader = try await bench.open(table)
            bench.clock.schedule(after: .seconds(1)) { bench.simulated.insert(QuirkCard()) }
            #expect(try await reader.waitForCard(present: true, timeout: .seconds(60)))
            let start = bench.clock.reading()
            bench.clock.schedule(after: .milliseconds(2_900)) { bench.simulated.removeCard() }
            #expect(try await reader.waitForCard(present: false, timeout: .seconds(60)))
            let lateness = bench.elapsed(since: start) - .milliseconds(2_900)
            #expect(delay.contains(lateness), "\(lateness) late")
            await reader.close()
        }
    }

    @Test(arguments: QuirkCase.cases(.oneInterfaceAtATime))
    func `a device that supports one slot at a time is locked as a whole`(row: QuirkCase) async throws {
        let slow = CommandAPDU(0x00, 0xE0, 0x02, 0x00)
        for table in [ReaderQuirkTable.embedded, .none] {
            let clock = SimulationClock()
            let bus = SimulatedUSBBus(clock: clock)
            let unit = SimulatedReaderUnit(model: row.model(), clock: clock)
            for reader in unit.readers { reader.insert(QuirkCard()) }
            let device = bus.plug(unit.device)
            let interfaces = try CCIDInterface.all(in: device, quirks: table)
            #expect(interfaces.map(\.number) == [0, 1])
            let first = try await CCIDReader.open(
                device, on: bus, interface: interfaces[0], quirks: table, time: clock)
            guard table == .none else {
                await #expect(throws: CCIDError.usb(.busy)) {
                    try await CCIDReader.open(device, on: bus, interface: interfaces[1], quirks: table, time: clock)
                }
                // The first continues, and the second follows.
                #expect(try await first.powerOn().transmit(slow).status == .success)
                await first.close()
                let second = try await CCIDReader.open(
                    device, on: bus, interface: interfaces[1], quirks: table, time: clock)
                #expect(try await second.powerOn().transmit(slow).status == .success)
                await second.close()
                continue
            }
            let second = try await CCIDReader.open(
                device, on: bus, interface: interfaces[1], quirks: table, time: clock)
            let channel = try await first.powerOn()
            // While the first card works, the second slot is queried.
            clock.schedule(after: .seconds(1)) {
                _ = unit.device.write(hex("65 00000000 00 07 000000"), endpoint: interfaces[1].bulkOut.address)
            }
            await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(slow) }
            await first.close()
            await second.close()
        }
    }

    @Test(arguments: QuirkCase.cases(.vendorSpecificClass))
    func `an interface of class FF is a reader if a row says so`(row: QuirkCase) async throws {
        #expect(try await row.bench().exchange(QuirkBench.read(9), QuirkCase.rows).data.count == 9)
        await #expect(throws: CCIDError.descriptor(.noInterface)) { try await row.bench().open(.none) }
    }

    @Test(arguments: QuirkCase.cases(.noAutosuspend))
    func `a reader that fails after a suspend is reset before use`(row: QuirkCase) async throws {
        for (table, needed) in [
            (QuirkCase.rows, Duration.zero...Duration.milliseconds(500)),
            (.none, Duration.seconds(5)...Duration.seconds(20)),
        ] {
            let bench = row.bench()
            try await bench.clock.sleep(for: .seconds(10))
            let start = bench.clock.reading()
            let reader = try await bench.open(table)
            let elapsed = bench.elapsed(since: start)
            #expect(needed.contains(elapsed), "\(elapsed)")
            await reader.close()
        }
    }
}

extension QuirkBench {
    /// Opens a reader whose firmware is refused.
    fileprivate func open(insisting: Bool, _ location: SourceLocation = #_sourceLocation) async {
        await #expect(throws: Never.self, sourceLocation: location) {
            let response = try await exchange(Self.read(9), insisting ? QuirkCase.rows : .embedded)
            #expect(response.data.count == 9)
        }
    }
}
