import CCID
import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

/// Faults that need no row: the driver tolerates them in every reader.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ToleratedFaultTests {
    /// The simulated readers that show a fault; the others are a matter of bytes.
    static func models(showing faults: Set<ToleratedFault>) -> [String] {
        var names: [String] = []
        for fault in ToleratedFault.allCases.filter(faults.contains) {
            let name: String?
            switch fault {
            case .zeroLengthPackets, .newCardCalledActive, .doneWithoutCard, .bytesAfterFailure, .emptyAnswer,
                .noClassRequests, .otherNotifications, .endpointOrder, .wrongRelease:
                name = SimulatedReaderModel.demanding.name
            case .wrongMessageLength: name = SimulatedReaderModel.shortMessages.name
            case .lateClassDescriptor, .staleAnswers: name = nil
            }
            if let name, !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func open(card: [UInt8]? = QuirkCard.t0) async throws -> (QuirkBench, CCIDReader) {
        let bench = QuirkBench(.demanding, card: card)
        return (bench, try await bench.open(.none))
    }

    @Test func `empty transfers before full packets, at every length`() async throws {
        let (_, reader) = try await open()
        let channel = try await reader.powerOn()
        for count in 0...250 as ClosedRange<UInt8> {
            #expect(try await channel.transmit(QuirkBench.read(count)).data.count == Int(count))
        }
        await reader.close()
    }

    @Test func `a new card reported as active is powered anyway, and the old one is gone`() async throws {
        let (bench, reader) = try await open()
        let channel = try await reader.powerOn()
        #expect(try await channel.transmit(QuirkBench.read(9)).data.count == 9)
        bench.simulated.removeCard()
        bench.simulated.insert(QuirkCard())
        try await bench.clock.sleep(for: .milliseconds(10))
        // According to the status alone the card is present and powered.
        #expect(try await reader.cardStatus() == .active)
        await #expect(throws: CardChannelError.self) { try await channel.transmit(QuirkBench.read(9)) }
        #expect(try await reader.powerOn().transmit(QuirkBench.read(9)).data.count == 9)
        await reader.close()
    }

    @Test func `an exchange without a card fails`() async throws {
        let (bench, reader) = try await open()
        let channel = try await reader.powerOn()
        bench.simulated.removeCard()
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(QuirkBench.read(9)) }
        await #expect(throws: CCIDError.cardAbsent) { try await reader.powerOn() }
        await reader.close()
    }

    @Test func `an empty response is an error of the exchange`() async throws {
        let (_, reader) = try await open()
        let channel = try await reader.powerOn()
        let error = CCIDError.t0(.answerTooShort(0))
        await #expect(throws: CardChannelError.protocolViolation(error.description)) {
            try await channel.transmit(CommandAPDU(0x00, 0x70, 0x00, 0x00))
        }
        #expect(try await reader.powerOn().transmit(QuirkBench.read(9)).data.count == 9)
        await reader.close()
    }

    @Test func `a reader without class requests is aborted by the message`() async throws {
        let (bench, reader) = try await open()
        let channel = try await reader.powerOn()
        await #expect(throws: CardChannelError.self) {
            try await channel.transmit(CommandAPDU(0x00, 0xE0, 0x78, 0x00))
        }
        #expect(try await reader.powerOn().transmit(QuirkBench.read(9)).data.count == 9)
        _ = bench
        await reader.close()
    }

    @Test func `empty notifications are ignored, and the next one counts`() async throws {
        let (bench, reader) = try await open(card: nil)
        bench.clock.schedule(after: .seconds(7)) { bench.simulated.insert(QuirkCard()) }
        let start = bench.clock.reading()
        #expect(try await reader.waitForCard(present: true, timeout: .seconds(60)))
        #expect(bench.elapsed(since: start) < .milliseconds(7_100))
        await reader.close()
    }

    @Test func `endpoints in any order, and an invalid release`() throws {
        let device = QuirkBench(.demanding).device
        let interface = try CCIDInterface.all(in: device, quirks: .none)[0]
        #expect(device.configuration?.interfaces.first?.endpoints.first?.kind == .interrupt)
        #expect([interface.bulkOut.address, interface.bulkIn.address] == [0x02, 0x82])
        #expect(interface.descriptor.release == 0)
    }

    @Test func `a message length that is too short for the longest short command`() async throws {
        var data = [UInt8](repeating: 0, count: 255)
        data[254] = 1
        let command = try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, data: data, expectedLength: 256)
        let bench = QuirkBench(.shortMessages, card: QuirkCard.t1)
        #expect(try await bench.exchange(command, .none).data == data.reversed())
    }

    // libccid 1.8.4 src/ccid_usb.c: Oz776, REINER SCT and BLUDRIVE II
    @Test func `a class descriptor after the endpoints`() throws {
        let classDescriptor = CCIDClassDescriptor(level: .tpdu).bytes
        let endpoints = hex("07 05 02 02 4000 00") + hex("07 05 82 02 4000 00")
        let length = UInt8(9 + 9 + endpoints.count + classDescriptor.count)
        let configuration = try USBConfiguration(
            parsing: hex("09 02") + [length, 0] + hex("01 01 00 80 32") + hex("09 04 00 00 02 0B 00 00 00") + endpoints
                + classDescriptor)
        let device = USBDevice(
            bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: 0x0B97, productID: 0x7762, release: 0x0111),
            configuration: configuration)
        #expect(try CCIDInterface.all(in: device)[0].claimed.level == .tpdu)
    }
}
