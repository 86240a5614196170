import CCID
import Glibc
import Simulator
import SmartCard
import Testing
import USB

extension OverLibUSB {
    /// What goes wrong between driver and reader: a typed error, and a reader that can be used again.
    @Suite struct FaultTests {
        // MARK: Any command

        @Test(arguments: [
            (SimulatedReaderFault.Disturbance.wrongSequence, CCIDError.wrongSequence(expected: 1, actual: 2)),
            (.wrongLength(5), .message(.wrongLength(claimed: 5, actual: 0))),
            (.hugeLength, .message(.wrongLength(claimed: .max, actual: 0))),
            (.truncated(4), .message(.tooShort(4))),
            (.truncated(9), .message(.tooShort(9))),
            (.unanswered, .timedOut(.getSlotStatus)),
        ])
        func `a wrong answer is a specific error, and the next command works`(
            disturbance: SimulatedReaderFault.Disturbance, error: CCIDError
        ) async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged, .impatient)
                plugged.simulated.arm(.command(1, disturbance))
                await #expect(throws: error) { try await reader.cardStatus() }
                #expect(try await reader.cardStatus() == .inactive)
                // The command was aborted, which spares the card a reset.
                #expect(try await plugged.count(.resets) == 0)
                await reader.close()
            }
        }

        @Test(arguments: [SimulatedReaderFault.Disturbance.commandStalled, .answerStalled], [true, false])
        func `a stalled query is repeated, also if the halt cannot be cleared`(
            disturbance: SimulatedReaderFault.Disturbance, keepsHalts: Bool
        ) async throws {
            var model = SimulatedReaderModel.tpdu
            model.keepsHalts = keepsHalts
            try await BridgeBench.run { [model] bench in
                let plugged = try await bench.plug(model, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged)
                for round in 1...3 {
                    plugged.simulated.arm(.command(1, disturbance))
                    #expect(try await reader.cardStatus() == .inactive)
                    #expect(try await plugged.count(.clearedHalts) == round)
                }
                await reader.close()
            }
        }

        @Test func `an empty transfer is not an answer`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged)
                plugged.simulated.arm(.command(1, .zeroLengthFirst))
                #expect(try await reader.cardStatus() == .inactive)
                await reader.close()
            }
        }

        @Test(arguments: [
            (EOVERFLOW, USBError.overflow), (EPROTO, .other("the USB transfer failed")),
            (EILSEQ, .other("the USB transfer failed")),
        ])
        func `a damaged transfer is an error, and the next command works`(
            code: Int32, error: USBError
        ) async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged)
                for endpoint in [SimulatedReaderModel.bulkInEndpoint, SimulatedReaderModel.bulkOutEndpoint] {
                    try await USBBridge.fail(endpoint, of: plugged.device.address, with: code)
                    await #expect(throws: CCIDError.usb(error)) { try await reader.cardStatus() }
                    #expect(try await reader.cardStatus() == .inactive)
                }
                await reader.close()
            }
        }

        @Test func `a partly accepted command is an error, and the next one works`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged)
                try await USBBridge.shorten(
                    SimulatedReaderModel.bulkOutEndpoint, of: plugged.device.address, to: 4)
                await #expect(throws: CCIDError.usb(.other("the USB device took 4 of 10 bytes"))) {
                    try await reader.cardStatus()
                }
                #expect(try await reader.cardStatus() == .inactive)
                await reader.close()
            }
        }

        @Test func `a reader that accepts neither a command nor an abort in time is reset`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged, .impatientWithAborts)
                let channel = try await reader.powerOn()
                for _ in 0..<2 {
                    try await USBBridge.hold(SimulatedReaderModel.bulkOutEndpoint, of: plugged.device.address)
                }
                await #expect(throws: CCIDError.timedOut(.getSlotStatus)) { try await reader.cardStatus() }
                #expect(try await plugged.count(.resets) == 1)
                #expect(try await plugged.count(.claims) - plugged.count(.releases) == 1)
                // The reset took the card's power, and the channel knows.
                await #expect(throws: CardChannelError.self) { try await channel.transmit(.read(1)) }
                #expect(try await reader.powerOn().transmit(.read(4)).data == [0, 1, 2, 3])
                // The kernel ended the read of its notices as if the reader were gone; they are listened to again.
                await bench.until { try await plugged.count(.transfers) == 1 }
                #expect(try await reader.cardStatus() == .active)
                await reader.close()
            }
        }

        @Test func `a reader without abort is reset at each canceled command, and works again`()
            async throws
        {
            try await BridgeBench.run { bench in
                let card = TestCard(TestCard.t0)
                let plugged = try await bench.plug(.tpdu, card)
                let (vendor, product) = (
                    plugged.device.descriptor.vendorID, plugged.device.descriptor.productID
                )
                let quirks = ReaderQuirkTable(rules: [
                    ReaderQuirkRule("", vendorID: vendor, productID: product, [.noAbort], source: "")
                ])
                let reader = try await bench.open(plugged, quirks: quirks)
                for round in 1...3 {
                    let channel = try await reader.powerOn()
                    let command = Task { try await channel.transmit(.workForEver) }
                    await bench.until { card.received.count { $0 == 0xE2 } == round }
                    command.cancel()
                    await #expect(throws: CardChannelError.canceled) { try await command.value }
                    #expect(try await plugged.count(.resets) == round)
                }
                await bench.until { try await plugged.count(.transfers) == 1 }
                #expect(try await reader.powerOn().transmit(.read(4)).data == [0, 1, 2, 3])
                await reader.close()
            }
        }

        @Test func `a reader without the abort request powers its card off, and works without a reset`()
            async throws
        {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged, .impatientWithAborts)
                plugged.simulated.arm(.command(1, .unanswered))
                try await USBBridge.fail(0x00, of: plugged.device.address, with: EPIPE)
                await #expect(throws: CCIDError.timedOut(.getSlotStatus)) { try await reader.cardStatus() }
                #expect(try await plugged.count(.resets) == 0)
                #expect(try await reader.powerOn().transmit(.read(4)).data == [0, 1, 2, 3])
                await reader.close()
            }
        }

        @Test func `notifications are received again after the endpoint stalled`() async throws {
            var timing = CCIDTiming.short
            (timing.pollInterval, timing.notifiedPollInterval) = (.seconds(60), .seconds(60))
            try await BridgeBench.run { [timing] bench in
                let plugged = try await bench.plug(.tpdu)
                let reader = try await bench.open(plugged, timing)
                try await USBBridge.fail(
                    SimulatedReaderModel.interruptEndpoint, of: plugged.device.address, with: EPIPE)
                // The notice of the first card ends the read that runs; the next read stalls, the one after it works.
                for _ in 0..<2 {
                    plugged.simulated.insert(TestCard(TestCard.t0))
                    #expect(try await reader.waitForCard(present: true, timeout: .seconds(30)))
                    plugged.simulated.removeCard()
                    #expect(try await reader.waitForCard(present: false, timeout: .seconds(30)))
                }
                #expect(try await plugged.count(.clearedHalts) == 1)
                await reader.close()
            }
        }

        // MARK: In the middle of a card's commands

        @Test(
            arguments: [
                SimulatedReaderFault.Disturbance.zeroLengthFirst, .wrongSequence, .wrongLength(5), .wrongLength(-1),
                .hugeLength,
                .truncated(4), .truncated(11), .answerStalled, .commandStalled,
            ], [(SimulatedReaderModel.tpdu, TestCard.t0), (.tpdu, TestCard.t1), (.extendedAPDU, TestCard.t1)])
        func `after any fault the card is powered again and works`(
            disturbance: SimulatedReaderFault.Disturbance, kind: (SimulatedReaderModel, [UInt8])
        ) async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(kind.1)
                let plugged = try await bench.plug(kind.0, card)
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                #expect(try await channel.transmit(.read(4)).data == card.data(4))
                plugged.simulated.arm(.xfrBlock(1, disturbance))
                do throws(CardChannelError) {
                    #expect(try await channel.transmit(CommandAPDU(0, 0xB0, 0, 4, le: 4)).data == card.data(4))
                    #expect(disturbance == .zeroLengthFirst)
                } catch {
                    // Nothing is ever sent twice: what the card made of it is unknown.
                    let isStall = [.answerStalled, .commandStalled].contains(disturbance)
                    if isStall {
                        #expect(error == .readerUnavailable("the USB endpoint stalled"))
                    } else if case .protocolViolation = error {
                        #expect(disturbance != .zeroLengthFirst)
                    } else {
                        Issue.record(error)
                    }
                    await #expect(throws: CardChannelError.self) { try await channel.transmit(.read(4)) }
                }
                let next = try await reader.powerOn()
                #expect(try await next.transmit(.read(52)).data == card.data(52))
                #expect(try await plugged.count(.resets) == 0)
                await reader.close()
            }
        }

        @Test(arguments: [SimulatedReaderModel.tpdu, .extendedAPDU])
        func `a command without an answer ends in time, and the card can be powered again`(
            model: SimulatedReaderModel
        ) async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(TestCard.t1)
                let plugged = try await bench.plug(model, card)
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                plugged.simulated.arm(.xfrBlock(1, .unanswered))
                await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(.read(4)) }
                #expect(try await reader.powerOn().transmit(.read(4)).data == card.data(4))
                #expect(try await plugged.count(.resets) == 0)
                await reader.close()
            }
        }

        @Test func `overcurrent in the middle of a command is its error`() async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(TestCard.t0)
                let plugged = try await bench.plug(.shortAPDU, card)
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                let command = Task { try await channel.transmit(.askForTime(3)) }
                await bench.until { card.received.contains(0xE0) }
                plugged.simulated.arm(.hardwareError(slot: 0))
                let fault = CCIDError.hardwareFault(slot: 0, code: 1)
                await #expect(throws: CardChannelError.readerUnavailable(fault.description)) {
                    try await command.value
                }
                #expect(try await reader.powerOn().transmit(.read(4)).data == [0, 1, 2, 3])
                await reader.close()
            }
        }

        @Test func `endless time requests of a card time out`() async throws {
            var timing = CCIDTiming.short
            timing.total = .milliseconds(300)
            try await BridgeBench.run { [timing] bench in
                let plugged = try await bench.plug(.shortAPDU, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged, timing)
                let channel = try await reader.powerOn()
                await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(.workForEver) }
                #expect(try await reader.powerOn().transmit(.read(4)).data == [0, 1, 2, 3])
                await reader.close()
            }
        }

        @Test(arguments: [SimulatedReaderModel.tpdu, .shortAPDU, .extendedAPDU])
        func `a canceled command is aborted, and the card can be powered again`(
            model: SimulatedReaderModel
        ) async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(TestCard.t0)
                let plugged = try await bench.plug(model, card)
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                let command = Task { try await channel.transmit(.workForEver) }
                await bench.until { card.received.contains(0xE2) }
                command.cancel()
                await #expect(throws: CardChannelError.canceled) { try await command.value }
                #expect(try await reader.cardStatus() == .active)
                #expect(try await reader.powerOn().transmit(.read(4)).data == [0, 1, 2, 3])
                #expect(try await plugged.count(.resets) == 0)
                await reader.close()
            }
        }
    }
}
