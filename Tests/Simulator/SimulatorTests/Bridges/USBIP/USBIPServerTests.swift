import Determinism
import Synchronization
import Testing
import USB

@testable import Simulator

@Suite(.timeLimit(.minutes(10)))
struct USBIPServerTests {
    /// A server at a free port, its bus, and its events.
    private final class Bench {
        let clock: SimulationClock
        let bus: SimulatedUSBBus
        let server: USBIPServer
        private let serving: Task<Void, any Error>
        private var events: AsyncStream<USBIPEvent>.Iterator

        init(
            time: any TimeSource = VirtualTimeSource(), options: ConnectionOptions = ConnectionOptions(),
            waitingTime: any TimeSource = SystemTimeSource(),
            at address: BridgeAddress = .tcp(host: "127.0.0.1", port: 0),
            // A client that is in this process may be late for no other reason than that the machine is busy.
            timeout: Duration = .seconds(3600)
        ) async throws {
            let (events, inbox) = AsyncStream<USBIPEvent>.makeStream()
            self.events = events.makeAsyncIterator()
            clock = SimulationClock(time)
            bus = SimulatedUSBBus(clock: clock)
            let server = try await USBIPServer(
                bus: bus, at: address, options: options, timeout: timeout, time: waitingTime,
                onEvent: { inbox.yield($0) })
            self.server = server
            serving = Task {
                defer { inbox.finish() }
                try await server.serve()
            }
        }

        func client() async throws -> USBIPClient { try await USBIPClient(server.address) }

        /// The server's next event; nil after its end.
        func event() async -> USBIPEvent? { await events.next(isolation: #isolation) }

        @discardableResult
        func plug(_ model: SimulatedReaderModel = .tpdu, card: (any SimulatedCard)? = nil) -> SimulatedCCIDReader {
            let unit = SimulatedReaderUnit(model: model, clock: clock)
            if let card { unit.first.insert(card) }
            bus.plug(unit.device)
            return unit.first
        }

        /// Waits until the server ends.
        func end() async throws { try await serving.value }

        /// Ends the server.
        func close() async throws {
            serving.cancel()
            try await serving.value
        }
    }

    private static let powerOn = RawHost.message(0x62, [1, 0, 0])
    private static let slotStatus = RawHost.message(0x65)
    private static let bulkIn = SimulatedReaderModel.bulkInEndpoint
    private static let bulkOut = SimulatedReaderModel.bulkOutEndpoint
    private static let interrupt = SimulatedReaderModel.interruptEndpoint

    @Test func `a client imports a reader and exchanges messages with it`() async throws {
        let bench = try await Bench()
        bench.plug(card: ScriptedCard(ScriptedCard.t0))
        let client = try await bench.client()
        let (status, record) = try await client.importDevice()
        #expect(status == 0)
        #expect(record.count == 312)
        guard case .imported("1-1", let device) = await bench.event() else {
            Issue.record("not imported")
            return
        }
        #expect(client.device == UInt32(device.bus) << 16 | UInt32(device.address))
        #expect(try await client.transfer(Self.interrupt, length: 8).data == [0x50, 0x03])
        let on: [UInt8] = [0x80, 4, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(try await client.exchange(Self.powerOn) == on + ScriptedCard.t0)
        let apdu = RawHost.message(0x6F, sequence: 1, [0, 0, 0], [0x00, 0xB0, 0x00, 0x03, 0x03])
        #expect(try await client.exchange(apdu) == [0x80, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 0x90, 0x00])
        try await bench.close()
        #expect(try await client.isAtEnd())
        #expect(await bench.event() == .released(busID: "1-1", reason: "the server ended"))
    }

    @Test func `a reader in update mode can be imported`() async throws {
        // The reader comes back after a moment of its clock, which nothing here moves.
        let bench = try await Bench(time: SystemTimeSource())
        bench.plug(.updatable)
        let client = try await bench.client()
        #expect(try await client.importDevice().status == 0)
        // DETACH of the interface behind the reader's own, then it is gone.
        #expect(try await client.tell([0x21, 0, 0xE8, 0x03, 1, 0, 0, 0]).status == 0)
        #expect(try await client.isAtEnd())
        var answer = await bench.event()
        while let event = answer {
            if case .released = event { break }
            answer = await bench.event()
        }
        // It returns to the same port automatically.
        let arrivals = bench.bus.hotplugEvents()
        if try await bench.bus.devices().isEmpty { for await _ in arrivals { break } }
        let next = try await bench.client()
        let (status, record) = try await next.importDevice()
        #expect(status == 0)
        #expect(record.count > 304 && record[300..<304] == [0x12, 0x09, 0x00, 0x0E])
        // SET_CONFIGURATION, as the kernel sends to every device. It stays in update mode: GETSTATUS returns dfuIDLE.
        #expect(try await next.tell([0x00, 0x09, 1, 0, 0, 0, 0, 0]).status == 0)
        #expect(try await next.ask([0xA1, 3, 0, 0, 0, 0, 6, 0]).data == [0, 0, 0, 0, 2, 0])
        try await bench.close()
    }

    @Test func `the list shows every free device with its interfaces`() async throws {
        let bench = try await Bench()
        var named = SimulatedReaderModel.tpduT0
        (named.vendorID, named.productID, named.speed) = (0x08E6, 0x4433, .high)
        bench.plug(named)
        bench.plug(.dualInterface)
        let client = try await bench.client()
        let list = try await client.list()
        #expect(list.count == 648)
        #expect(Array(list.prefix(12)) == hex("0111 0005 00000000 00000002"))
        let first = Array(list[12..<328])
        #expect(String(decoding: first.prefix { $0 != 0 }, as: UTF8.self) == "/sys/devices/simulated/usb1/1-1")
        let busID = Array(first[256..<288])
        #expect(String(decoding: busID, as: UTF8.self) == "1-1" + String(repeating: "\0", count: 29))
        // Bus, device, speed; vendor, product, release; class, subclass, protocol; configuration, configurations,
        // interfaces; then the interface.
        let rest = Array(first[288...])
        #expect(rest == hex("00000001 00000001 00000003 08E6 4433 0100 00 00 00 01 01 01 0B 00 00 00"))
        let second = Array(list[328...])
        #expect(Array(second[256..<259]) == Array("1-2".utf8))
        #expect(Array(second[296..<300]) == [0, 0, 0, 2])
        #expect(Array(second[311...]) == [2, 0x0B, 0, 0, 0, 0x0B, 0, 0, 0])
        #expect(await bench.event() == .listed(devices: 2))

        let user = try await bench.client()
        try await user.importDevice("1-2")
        #expect(try await bench.client().list().count == 328)
        try await bench.close()
    }

    @Test func `a device has one client at a time, until its connection ends`() async throws {
        let bench = try await Bench()
        let card = ScriptedCard(ScriptedCard.t0)
        bench.plug(card: card)
        var first: USBIPClient? = try await bench.client()
        try await first?.importDevice()
        _ = try await first?.exchange(Self.powerOn)
        let second = try await bench.client()
        #expect(try await second.importDevice().status == 2)
        #expect(try await second.isAtEnd())
        #expect(try await bench.client().importDevice("1-2").status == 4)
        _ = await bench.event()
        #expect(await bench.event() == .refused(busID: "1-1", .busy))
        #expect(await bench.event() == .refused(busID: "1-2", .unknown))
        first = nil
        #expect(await bench.event() == .released(busID: "1-1", reason: "the peer disconnected"))
        // The card has lost its power, and the next one finds the reader as new.
        #expect(card.events == [.coldReset, .powerOff])
        let third = try await bench.client()
        #expect(try await third.importDevice().status == 0)
        #expect(try await third.exchange(Self.slotStatus)[7] == 1)
        #expect(try await third.transfer(Self.interrupt, length: 8).data == [0x50, 0x03])
        try await bench.close()
    }

    @Test func `a device opened on the bus is not available to clients, and vice versa`() async throws {
        let bench = try await Bench()
        bench.plug()
        let device = try #require(try await bench.bus.devices().first)
        let transport = try await bench.bus.open(device)
        try await transport.claim(interface: 0)
        #expect(try await bench.client().importDevice().status == 2)
        await transport.close()
        let client = try await bench.client()
        #expect(try await client.importDevice().status == 0)
        let other = try await bench.bus.open(device)
        await #expect(throws: USBError.busy) { try await other.claim(interface: 0) }
        try await bench.close()
    }

    @Test func `two devices are used at the same time`() async throws {
        let bench = try await Bench()
        bench.plug(card: ScriptedCard(ScriptedCard.t0))
        bench.plug(.shortAPDU, card: ScriptedCard(ScriptedCard.both))
        let (first, second) = (try await bench.client(), try await bench.client())
        try await first.importDevice("1-1")
        try await second.importDevice("1-2")
        #expect(first.device != second.device)
        try await first.submit(Self.bulkIn, length: 64)
        #expect(try await second.exchange(RawHost.message(0x62)).suffix(5) == ScriptedCard.both[...])
        try await first.submit(Self.bulkOut, length: 10, data: Self.powerOn)
        var replies: [USBIPClient.Reply] = []
        for _ in 0..<2 { replies.append(try await first.reply()) }
        #expect(replies.first { $0.sequence == 1 }?.data.suffix(4) == ScriptedCard.t0[...])
        try await bench.close()
    }

    @Test func `both interfaces of a device work, each with its endpoints and requests`() async throws {
        let bench = try await Bench()
        bench.plug(.dualInterface, card: ScriptedCard(ScriptedCard.t0))
        let client = try await bench.client()
        try await client.importDevice()
        let configuration = try await client.ask([0x80, 6, 0, 2, 0, 0, 0xFF, 0]).data
        let interfaces = try USBConfiguration(parsing: configuration).interfaces
        #expect(interfaces.map { $0.endpoints.map(\.address) } == [[0x02, 0x82, 0x83], [0x05, 0x85, 0x86]])
        #expect(try await client.transfer(0x02, data: Self.slotStatus).status == 0)
        #expect(try await client.transfer(0x82, length: 64).data[7] == 1)
        #expect(try await client.transfer(0x05, data: Self.slotStatus).status == 0)
        #expect(try await client.transfer(0x85, length: 64).data[7] == 2)
        // GET_CLOCK_FREQUENCIES of either, and of a third, which is not there.
        for (index, status) in [(0, 0), (1, 0), (2, -32)] as [(UInt8, Int32)] {
            #expect(try await client.ask([0xA1, 2, 0, 0, index, 0, 4, 0]).status == status)
        }
        try await bench.close()
    }

    @Test func `a late response is a late transfer, and takes no real time with simulated time`() async throws {
        let bench = try await Bench()
        bench.plug(card: ScriptedCard(ScriptedCard.t0))
        let client = try await bench.client()
        try await client.importDevice()
        _ = try await client.exchange(Self.powerOn)
        let read = try await client.submit(Self.bulkIn, length: 64)
        // A card that works for a minute.
        let apdu = RawHost.message(0x6F, [0, 0, 0], [0x00, 0xE0, 0x3C, 0x00, 0x00])
        let write = try await client.submit(Self.bulkOut, length: apdu.count, data: apdu)
        var replies: [USBIPClient.Reply] = [try await client.reply(), try await client.reply()]
        #expect(Set(replies.map(\.sequence)) == [read, write])
        // Signs of life come first.
        var answer = replies.removeFirst().data
        if answer.isEmpty { answer = replies.removeFirst().data }
        #expect(answer[7] == 0x80)
        while answer[7] == 0x80 { answer = try await client.transfer(Self.bulkIn, length: 64).data }
        #expect(answer.suffix(2) == [0x90, 0x00])
        try await bench.close()
    }

    @Test func `a waiting transfer ends when a card is inserted, in real time too`() async throws {
        let bench = try await Bench(time: SystemTimeSource())
        let reader = bench.plug()
        let client = try await bench.client()
        try await client.importDevice()
        let waiting = try await client.submit(Self.interrupt, length: 8)
        #expect(try await client.exchange(Self.slotStatus)[7] == 2)
        reader.insert(ScriptedCard(ScriptedCard.t0))
        let notice = try await client.reply()
        #expect(notice.sequence == waiting)
        #expect(notice.data == [0x50, 0x03])
        #expect(try await client.exchange(Self.powerOn).suffix(4) == ScriptedCard.t0[...])
        try await bench.close()
    }

    @Test func `a canceled transfer loses no data`() async throws {
        let bench = try await Bench()
        bench.plug(card: ScriptedCard(ScriptedCard.t0))
        let client = try await bench.client()
        try await client.importDevice()
        let read = try await client.submit(Self.bulkIn, length: 64)
        let unlink = try await client.unlink(read)
        #expect(try await client.reply() == .init(command: 4, sequence: unlink, status: -104, length: 0))
        // The device's next data is for the next transfer.
        #expect(try await client.exchange(Self.powerOn).suffix(4) == ScriptedCard.t0[...])
        let late = try await client.unlink(read)
        #expect(try await client.reply() == .init(command: 4, sequence: late, status: 0, length: 0))
        try await bench.close()
    }

    @Test func `a stall halts the endpoint until the client clears it`() async throws {
        let bench = try await Bench()
        bench.plug()
        let client = try await bench.client()
        try await client.importDevice()
        #expect(try await client.transfer(Self.bulkOut, data: [0x65]).status == -32)
        #expect(try await client.transfer(Self.bulkOut, data: Self.slotStatus).status == -32)
        #expect(try await client.tell([0x02, 1, 0, 0, Self.bulkOut, 0, 0, 0]).status == 0)
        #expect(try await client.exchange(Self.slotStatus)[7] == 2)
        try await bench.close()
    }

    @Test func `whole packets, short buffers, and empty packets`() async throws {
        let bench = try await Bench()
        bench.plug(.shortAPDU, card: ScriptedCard(ScriptedCard.t0))
        let client = try await bench.client()
        try await client.importDevice()
        _ = try await client.exchange(RawHost.message(0x62))
        // 52 bytes and a status make an answer of 64: a buffer of 64 is full, so the end is a separate packet.
        let apdu = RawHost.message(0x6F, [0, 0, 0], [0x00, 0xB0, 0x00, 52, 52])
        for length in [64, 65] {
            _ = try await client.transfer(Self.bulkOut, data: apdu)
            #expect(try await client.transfer(Self.bulkIn, length: length).data.count == 64)
            guard length == 64 else { continue }
            #expect(
                try await client.transfer(Self.bulkIn, length: 64)
                    == .init(
                        command: 3, sequence: 5, status: 0, length: 0))
        }
        // A packet without bytes behind a command of whole packets is no command.
        #expect(try await client.transfer(Self.bulkOut, data: []).status == 0)
        _ = try await client.transfer(Self.bulkOut, data: apdu)
        #expect(try await client.transfer(Self.bulkIn, length: 20).status == -75)
        _ = try await client.transfer(Self.bulkOut, data: apdu)
        #expect(try await client.transfer(Self.bulkIn, length: 100, flags: 1).status == -121)
        try await bench.close()
    }

    @Test func `unplugging a device ends its client's connection, and it returns at its port`()
        async throws
    {
        let bench = try await Bench()
        let reader = bench.plug()
        bench.plug()
        let client = try await bench.client()
        try await client.importDevice()
        try await client.submit(Self.bulkIn, length: 64)
        bench.bus.unplug(reader)
        #expect(try await client.isAtEnd())
        _ = await bench.event()
        #expect(await bench.event() == .released(busID: "1-1", reason: "the device was unplugged"))
        #expect(try await bench.client().importDevice().status == 4)
        bench.bus.plug(reader)
        let again = try await bench.client()
        #expect(try await again.importDevice().status == 0)
        #expect(again.device != client.device)
        try await bench.close()
    }

    @Test func `a device unplugged by a fault responds to its completed transfers`() async throws {
        let bench = try await Bench()
        let reader = bench.plug()
        reader.arm(.unplugged(afterBulkTransfers: 1))
        let client = try await bench.client()
        try await client.importDevice()
        #expect(try await client.transfer(Self.bulkOut, data: Self.slotStatus).status == 0)
        #expect(try await client.isAtEnd())
        try await bench.close()
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{1}\u{6}\u{0}\u{5}\u{0}\u{0}\u{0}\u{0}"])
    func `a client with another protocol is disconnected, and the others are served`(greeting: String) async throws {
        let bench = try await Bench()
        bench.plug()
        let stranger = try await bench.client()
        try await stranger.send(Array(greeting.utf8))
        #expect(try await stranger.isAtEnd())
        guard case .dropped(let reason)? = await bench.event() else {
            Issue.record("not dropped")
            return
        }
        #expect(reason.contains("version 0x"))
        let client = try await bench.client()
        #expect(try await client.importDevice().status == 0)
        // A command for another device ends the connection, and nothing else.
        let command: [UInt8] = hex("00000001 00000001 00990099")
        try await client.send(command + [UInt8](repeating: 0, count: 36))
        #expect(try await client.isAtEnd())
        let next = try await bench.client()
        #expect(try await next.importDevice().status == 0)
        try await bench.close()
    }

    @Test func `a server with --once ends with its client, but not after a list request`() async throws {
        let bench = try await Bench(options: ConnectionOptions(endsWithPeer: true))
        bench.plug()
        _ = try await bench.client().list()
        var client: USBIPClient? = try await bench.client()
        try await client?.importDevice()
        client = nil
        try await bench.end()
    }

    @Test func `an unused server ends at its limit`() async throws {
        let time = VirtualTimeSource()
        let bench = try await Bench(options: ConnectionOptions(longestWait: .seconds(30)), waitingTime: time)
        let address = bench.server.address
        await #expect(throws: BridgeError.noConnection(address)) { try await bench.end() }
        #expect(time.now() == VirtualTimeSource.standardStart.advanced(by: .seconds(30)))
    }

    @Test func `a UNIX socket works too, and an address in use is rejected`() async throws {
        let path = TestPeer.freePath()
        let bench = try await Bench(at: path)
        bench.plug()
        let client = try await bench.client()
        #expect(try await client.importDevice().status == 0)
        for address in [path, bench.server.address] {
            await #expect(throws: BridgeError.notListening(address, reason: "Address already in use")) {
                _ = try await USBIPServer(bus: bench.bus, at: address)
            }
        }
        try await bench.close()
    }

    // MARK: Clients that ask for too much

    @Test func `a client without a request is disconnected`() async throws {
        let bench = try await Bench(timeout: .milliseconds(1))
        let silent = try await bench.client()
        #expect(try await silent.isAtEnd())
        #expect(await bench.event() == .dropped(reason: "the peer disconnected: it stopped sending"))
        try await bench.close()
    }

    @Test func `clients without a request are limited, and do not block clients with a device`() async throws {
        let bench = try await Bench()
        bench.plug()
        bench.plug()
        let guest = try await bench.client()
        #expect(try await guest.importDevice().status == 0)
        _ = await bench.event()
        var idle: [USBIPClient] = []
        for _ in 0..<32 { idle.append(try await bench.client()) }
        let more = try await bench.client()
        #expect(try await more.isAtEnd())
        #expect(await bench.event() == .dropped(reason: "too many connections without a device"))
        #expect(try await guest.exchange(Self.slotStatus)[7] == 2)
        // One of them asks after all, and another one goes: there is room for as many again.
        #expect(try await idle[0].importDevice("1-2").status == 0)
        guard case .imported("1-2", _) = await bench.event() else {
            Issue.record("not imported")
            return
        }
        #expect(try await bench.client().list().count == 12)
        try await bench.close()
    }

    @Test func `more transfers than a driver has end the connection, and the others are served`() async throws {
        let bench = try await Bench()
        bench.plug(card: ScriptedCard(ScriptedCard.t0))
        let client = try await bench.client()
        try await client.importDevice()
        // The inserted card; there are no events after that.
        _ = try await client.transfer(Self.interrupt, length: 8)
        for _ in 0..<256 { try await client.submit(Self.interrupt, length: 8) }
        #expect(try await client.exchange(Self.slotStatus)[7] == 1)
        try await client.submit(Self.interrupt, length: 8)
        #expect(try await client.isAtEnd())
        _ = await bench.event()
        #expect(
            await bench.event()
                == .released(
                    busID: "1-1",
                    reason: "the peer violated the protocol: more than 256 transfers wait at an endpoint"))
        #expect(try await bench.client().importDevice().status == 0)
        try await bench.close()
    }

    @Test func `a client that does not read its replies is disconnected`() async throws {
        let bench = try await Bench(at: TestPeer.freePath())
        bench.plug()
        let client = try await bench.client()
        try await client.importDevice()
        _ = await bench.event()
        // GET_DESCRIPTOR of the configuration, as often as the server takes it.
        do {
            while true { try await client.submit(0x80, length: 255, setup: [0x80, 6, 0, 2, 0, 0, 0xFF, 0]) }
        } catch BridgeError.peerDisconnected {}
        #expect(
            await bench.event()
                == .released(busID: "1-1", reason: "the peer disconnected: it does not read its replies"))
        try await bench.close()
    }
}
