import CCID
import SimulatedTime
import Simulator
import Testing
import USB

@testable import Hardware

/// The reason of a lost reader, as reported by the kernel.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct DisconnectReasonTests {
    private static let program = USBDeviceOwner.program(name: "pcscd", pid: 812)
    private static let here = USBDeviceStatus(isPresent: true)
    private static let away = USBDeviceStatus(isPresent: false)

    @Test(
        arguments: [
            (.readerGone, here, away, false, [], .unplugged),
            (.readerGone, nil, away, false, [], .unplugged),
            (.readerGone, here, away, true, [], .suspended),
            (
                .readerGone, USBDeviceStatus(isPresent: true, overcurrents: 2),
                USBDeviceStatus(isPresent: false, overcurrents: 3), false, [], .overcurrent
            ),
            (
                .readerGone, USBDeviceStatus(isPresent: true, overcurrents: 2),
                USBDeviceStatus(isPresent: false, overcurrents: 2), false, [], .unplugged
            ),
            (.readerGone, here, USBDeviceStatus(isPresent: false, overcurrents: 9), false, [], .unplugged),
            (.readerGone, here, USBDeviceStatus(isPresent: true, isAuthorized: false), false, [], .deauthorized),
            (
                .readerGone, here, USBDeviceStatus(isPresent: true, isAuthorized: true), false, [program],
                .taken(by: "pcscd (process 812)")
            ),
            (.readerDead, here, here, false, [], .unresponsive),
            (.readerDead, here, away, false, [], .unplugged),
            (.readerGone, here, here, false, [], .failed(CCIDError.readerGone.description)),
            (.readerGone, here, nil, false, [], .failed(CCIDError.readerGone.description)),
        ] as [(CCIDError, USBDeviceStatus?, USBDeviceStatus?, Bool, [USBDeviceOwner], DisconnectReason)])
    func `the reason follows from the known facts`(
        error: CCIDError, before: USBDeviceStatus?, now: USBDeviceStatus?, hasSlept: Bool, owners: [USBDeviceOwner],
        reason: DisconnectReason
    ) {
        #expect(DisconnectReason(error, before: before, now: now, hasSlept: hasSlept, owners: owners) == reason)
    }

    @Test func `every reason has its own code and message`() {
        let all: [DisconnectReason] = [
            .requested, .unplugged, .suspended, .overcurrent, .deauthorized, .taken(by: "x"), .unresponsive,
            .failed("x"),
        ]
        #expect(Set(all.map(\.code)).count == all.count)
        #expect(Set(all.map(\.description)).count == all.count)
    }

    // MARK: Through the service

    private func bench() throws -> (ServiceBench, TalkativeBus) {
        var talkative: TalkativeBus?
        let bench = try ServiceBench(wrapBus: { bus in
            let made = TalkativeBus(bus)
            talkative = made
            return made
        })
        return (bench, try #require(talkative))
    }

    @Test func `a port with an overcurrent is reported`() async throws {
        let (bench, bus) = try bench()
        bus.say { $0.overcurrents = 0 }
        try await bench.connect()
        var events = await bench.service.readerEvents.makeAsyncIterator()
        bus.say { $0.overcurrents = 1 }
        bench.bus.unplug(bench.reader)
        #expect(await events.next() == .disconnected(.overcurrent))
    }

    @Test func `a reader that hangs permanently is unresponsive, and the payment's error blames the reader`()
        async throws
    {
        let (bench, _) = try bench()
        try await bench.connect()
        var events = await bench.service.readerEvents.makeAsyncIterator()
        bench.reader.arm(.hang(untilReset: false))
        await #expect(
            throws: CardReaderServiceError.paymentMethodCollection(
                .readerCommunicationError(DisconnectReason.unresponsive.description))
        ) {
            try await bench.pay()
        }
        var last = await events.next()
        while last != .disconnected(.unresponsive) { last = await events.next() }
    }

    @Test func `a program that holds the reader is named when it cannot be opened, with the remedy`() async throws {
        let (bench, bus) = try bench()
        bus.say { words in
            words.openError = .busy
            words.owners = [Self.program]
        }
        let expected = CardReaderServiceError.connection(
            .readerTaken(by: "pcscd (process 812)", remedy: "sudo systemctl stop pcscd.socket pcscd.service"))
        await #expect(throws: expected) { try await bench.connect() }
        #expect(
            expected.description
                == "pcscd (process 812) holds the reader: sudo systemctl stop pcscd.socket pcscd.service")
        bus.say { $0.owners = [] }
        await #expect(
            throws: CardReaderServiceError.connection(.readerBusy(CCIDError.usb(.busy).description))
        ) { try await bench.connect() }
    }

    @Test func `without permission the error names the group that may open the reader`() async throws {
        let (bench, bus) = try bench()
        bus.say { words in
            words.openError = .accessDenied
            words.group = "pcscd"
            words.owners = [Self.program]
        }
        await #expect(
            throws: CardReaderServiceError.connection(
                .readerAccessDenied(
                    "only root and the group pcscd may open the reader, and pcscd (process 812) works with it"))
        ) { try await bench.connect() }
        bus.say { ($0.group, $0.owners) = (nil, []) }
        await #expect(
            throws: CardReaderServiceError.connection(.readerAccessDenied("only root may open the reader"))
        ) { try await bench.connect() }
    }
}
