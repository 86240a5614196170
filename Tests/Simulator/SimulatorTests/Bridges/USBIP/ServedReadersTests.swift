import Determinism
import SimulatedTime
import SmartCard
import Synchronization
import Testing
import USB

@testable import Simulator

@Suite(.simulatedTime) struct ServedReadersTests {
    private final class Log<Value: Sendable>: Sendable {
        private let stored = Mutex<[Value]>([])
        var values: [Value] { stored.withLock { $0 } }
        func add(_ value: Value) { stored.withLock { $0.append(value) } }
    }

    private static func order(_ line: String) throws(ReaderActionError) -> ReaderAction {
        try ReaderAction(line: SealedBytes(line.utf8))
    }

    private let events = Log<ServedReaderEvent>()
    private let trace = Log<TraceEntry>()
    private let clock = SimulationClock()

    private func readers(
        _ models: [SimulatedReaderModel], stripes: [SimulatedMSRModel] = [], card: String = "visa-credit",
        areInserted: Bool = true
    ) throws -> ServedReaders {
        let profile = try CardProfileLibrary.profile(card)
        let keys = try TestKeys.embedded()
        let all = models.map { SimulatedReader.chip($0) } + stripes.map { .stripe($0) }
        let cards = try (0..<all.reduce(0) { $0 + $1.cardCount }).map { slot in
            ServedReaders.Card(
                chip: try SimulatedEMVCard(profile: profile, random: SeededRandomSource(seed: UInt64(slot))),
                contactless: try SimulatedContactlessCard.side(
                    of: profile, keys: keys, random: SeededRandomSource(seed: UInt64(slot))),
                stripe: try profile.stripe.map { try SimulatedMagneticStripe($0, keys: keys) }, profile: profile)
        }
        let pinPad = try SimulatedPINPad(keys: keys, random: SeededRandomSource(seed: 1))
        return ServedReaders(
            all, cards: cards, areInserted: areInserted, clock: clock, pinPad: pinPad,
            trace: { [trace] in trace.add($0) }, onEvent: { [events] in events.add($0) })
    }

    private func transport(_ readers: ServedReaders, _ index: Int = 0) async throws -> any USBTransport {
        let transport = try await readers.bus.open(try await readers.bus.devices()[index])
        for interface in transport.device.configuration?.interfaces ?? [] {
            try await transport.claim(interface: interface.number)
        }
        return transport
    }

    private func exchange(
        _ message: [UInt8], _ transport: any USBTransport, endpoint: UInt8 = 0x02
    ) async throws -> [UInt8] {
        try await transport.bulkOut(message, endpoint: endpoint, timeout: .seconds(1))
        while true {
            let answer = try await transport.bulkIn(
                endpoint: endpoint | 0x80, maximumLength: 1024, timeout: .seconds(60))
            guard answer[7] & 0xC0 == 0x80 else { return answer }
        }
    }

    @Test func `each slot has its card, with slots numbered across interfaces`() async throws {
        let readers = try readers([.dualSlot, .dualInterface])
        let first = try await transport(readers, 0)
        for slot in [0, 1] as [UInt8] {
            #expect(try await exchange(RawHost.message(0x65, slot: slot), first)[7] == 1)
        }
        let second = try await transport(readers, 1)
        for endpoint in [0x02, 0x05] as [UInt8] {
            #expect(try await exchange(RawHost.message(0x65), second, endpoint: endpoint)[7] == 1)
        }
        try readers.perform(Self.order("remove 1-2/1"))
        #expect(try await exchange(RawHost.message(0x65), second, endpoint: 0x05)[7] == 2)
        #expect(try await exchange(RawHost.message(0x65), second, endpoint: 0x02)[7] == 1)
        #expect(events.values == [.cardRemoved(.init(busID: "1-2", slot: 1))])
    }

    @Test func `a contactless slot has the contactless side of its card, and a slot for chips the chip`() async throws {
        let readers = try readers([.dualInterface, .contactless], card: "k8-credit")
        let (both, one) = (try await transport(readers, 0), try await transport(readers, 1))
        func answer(_ transport: any USBTransport, endpoint: UInt8) async throws -> [UInt8] {
            Array(try await exchange(RawHost.message(0x62), transport, endpoint: endpoint).dropFirst(10))
        }
        let contactless: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]
        #expect(try await answer(both, endpoint: 0x02).prefix(2) == [0x3B, 0xE0])
        #expect(try await answer(both, endpoint: 0x05) == contactless)
        #expect(try await answer(one, endpoint: 0x02) == contactless)
    }

    private static let selectDirectory: [UInt8] =
        [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00]

    @Test(arguments: 1...3)
    func `a line moves a card out of the field, byte by byte at the client`(number: Int) async throws {
        let readers = try readers([.dualInterface], card: "k8-credit")
        let client = try await transport(readers)
        #expect(try await exchange(RawHost.message(0x62), client, endpoint: 0x05)[7] & 0x40 == 0)
        try readers.perform(Self.order("away \(number) 1-1/1"))
        let select = RawHost.message(0x6F, [0, 0, 0], Self.selectDirectory)
        for _ in 1..<number {
            #expect(try await exchange(select, client, endpoint: 0x05).suffix(2) == [0x90, 0x00])
        }
        let lost = try await exchange(select, client, endpoint: 0x05)
        #expect(lost.count == 10 && lost[7] == 0x41 && lost[8] == 0xFE)
        // The chip's slot does not notice.
        #expect(try await exchange(RawHost.message(0x65), client, endpoint: 0x02)[7] == 1)
        for _ in 0..<200 where !events.values.contains(.cardRemoved(.init(busID: "1-1", slot: 1))) {
            _ = try await exchange(RawHost.message(0x65), client, endpoint: 0x05)
            try await clock.sleep(for: .milliseconds(20))
        }
        #expect(try await exchange(RawHost.message(0x65), client, endpoint: 0x05)[7] == 2)
        try readers.perform(Self.order("insert 1-1/1"))
        #expect(try await exchange(RawHost.message(0x62), client, endpoint: 0x05)[7] & 0x40 == 0)
        #expect(try await exchange(select, client, endpoint: 0x05).suffix(2) == [0x90, 0x00])
    }

    @Test func `a line holds a second card to the field, and the client is told of both`() async throws {
        let readers = try readers([.contactless], card: "k8-credit")
        let client = try await transport(readers)
        let isCrowded = RawHost.message(0x6B, [0, 0, 0], [0xE4])
        #expect(try await exchange(isCrowded, client).last == 0)
        try readers.perform(Self.order("crowd"))
        #expect(try await exchange(isCrowded, client).last == 1)
        #expect(try await exchange(RawHost.message(0x65), client)[7] == 2)
        try readers.perform(Self.order("alone"))
        #expect(try await exchange(isCrowded, client).last == 0)
        #expect(try await exchange(RawHost.message(0x62), client)[7] & 0x40 == 0)
    }

    @Test func `fields and devices alone have their lines`() async throws {
        let readers = try readers([.dualInterface], card: "k8-phone-locked")
        try readers.perform(Self.order("unlock 1-1/1"))
        let slot = ReaderAction.Place(busID: "1-1")
        for line in ["away 1", "crowd", "alone", "unlock"] {
            #expect(throws: ReaderActionError.isNoField(slot)) { try readers.perform(Self.order(line)) }
        }
        for line in ["away", "away 0", "away 1000", "away x", "crowd 1-1 2"] {
            #expect(throws: ReaderActionError.unknown) { try Self.order(line) }
        }
        let plain = try self.readers([.contactless])
        #expect(throws: ReaderActionError.isNoField(slot)) { try plain.perform(Self.order("unlock")) }
        try plain.perform(Self.order("crowd"))
    }

    @Test func `cards and readers are removed and inserted, and impossible actions are reported`() async throws {
        let readers = try readers([.tpdu, .shortAPDU], areInserted: false)
        try readers.perform(Self.order("insert"))
        try readers.perform(Self.order("insert 1-2"))
        try readers.perform(Self.order("unplug 1-2"))
        #expect(try await readers.bus.devices().map(\.descriptor.productID) == [1])
        try readers.perform(Self.order("plug 1-2"))
        try readers.perform(Self.order("remove 1-1/0"))
        let (one, two) = (ReaderAction.Place(busID: "1-1"), ReaderAction.Place(busID: "1-2"))
        #expect(
            events.values == [
                .cardInserted(one), .cardInserted(two), .unplugged(busID: "1-2"), .plugged(busID: "1-2"),
                .cardRemoved(one),
            ])
        for (line, error) in [
            ("remove", ReaderActionError.hasNoCard(one)), ("insert 1-2", .hasCard(two)),
            ("insert 1-1/1", .noSuchPlace(.init(busID: "1-1", slot: 1))),
            ("remove 1-3", .noSuchPlace(.init(busID: "1-3"))), ("plug", .pluggedIn(busID: "1-1")),
            ("pin 1234", .hasNoPINPad(busID: "1-1")),
        ] {
            #expect(throws: error) { try readers.perform(Self.order(line)) }
        }
        try readers.perform(Self.order("unplug"))
        #expect(throws: ReaderActionError.unplugged(busID: "1-1")) { try readers.perform(Self.order("unplug")) }
        #expect(events.values.count == 6)
    }

    @Test func `a reader returns to its port`() throws {
        let readers = try readers([.tpdu, .shortAPDU])
        try readers.perform(Self.order("unplug 1-1"))
        try readers.perform(Self.order("unplug 1-2"))
        try readers.perform(Self.order("plug 1-2"))
        #expect(readers.bus.ports.map(\.number) == [2])
    }

    @Test func `cards are swiped if the reader has a stripe head and the card a stripe`() async throws {
        let readers = try readers([.combo, .tpdu], stripes: [.pointOfSale], card: "stripe-only")
        for busID in ["1-1", "1-3"] { try readers.perform(Self.order("swipe \(busID)")) }
        #expect(throws: ReaderActionError.readsNoStripes(busID: "1-2")) { try readers.perform(Self.order("swipe 1-2")) }
        #expect(throws: ReaderActionError.noSuchPlace(.init(busID: "1-3"))) {
            try readers.perform(Self.order("insert 1-3"))
        }
        let transport = try await transport(readers, 2)
        let report = try await transport.interruptIn(endpoint: 0x81, maximumLength: 512, timeout: .seconds(1))
        #expect(report.first == 1)
        try readers.perform(Self.order("unplug 1-3"))
        #expect(throws: ReaderActionError.unplugged(busID: "1-3")) { try readers.perform(Self.order("swipe 1-3")) }
        #expect(events.values == [.swiped(busID: "1-1"), .swiped(busID: "1-3"), .unplugged(busID: "1-3")])

        let chips = try self.readers([.combo], card: "mute")
        #expect(throws: ReaderActionError.hasNoStripe(busID: "1-1")) { try chips.perform(Self.order("swipe")) }
    }

    @Test func `card actions are reported and traced without card data`() async throws {
        let readers = try readers([.shortAPDU])
        let transport = try await transport(readers)
        let answer = try await exchange(RawHost.message(0x62), transport)
        let commands = ["00A4040007A000000003101000", "80A8000002830000", "00B2010C00"]
        for command in commands {
            let reply = try await exchange(RawHost.message(0x6F, [0, 0, 0], hex(command)), transport)
            #expect(reply.suffix(2) == [0x90, 0x00])
        }
        _ = try await exchange(RawHost.message(0x63), transport)
        let place = ReaderAction.Place()
        #expect(
            events.values == [
                .reset(place, answerToReset: Array(answer.dropFirst(10)), isWarm: false),
                .command(place, number: 1, instruction: 0xA4, status: 0x9000),
                .command(place, number: 2, instruction: 0xA8, status: 0x9000),
                .command(place, number: 3, instruction: 0xB2, status: 0x9000), .poweredOff(place),
            ])
        #expect(trace.values.count == 3)
        #expect(!trace.values.map(\.jsonLine).joined().contains("4761739001010010"))
    }

    @Test func `at a PIN pad the cardholder enters the profile's PIN or the given one`() async throws {
        let readers = try readers([.pinpad], card: "pin-required")
        let transport = try await transport(readers)
        // Verification, format 2 block at the start of the data, four to twelve digits (CCID 1.1 §6.1.11).
        let structure: [UInt8] =
            [0x00, 0x1E, 0x89, 0x47, 0x04, 0x0C, 0x04, 0x02, 0x01, 0x09, 0x04, 0x00, 0x00, 0x00, 0x00]
            + [0x00, 0x20, 0x00, 0x80, 0x08, 0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        func verify() async throws -> [UInt8] {
            _ = try await exchange(RawHost.message(0x62), transport)
            let select = hex("00A4040007A000000003101000")
            _ = try await exchange(RawHost.message(0x6F, [0, 0, 0], select), transport)
            _ = try await exchange(RawHost.message(0x6F, [0, 0, 0], hex("80A8000002830000")), transport)
            let reply = try await exchange(RawHost.message(0x69, [0, 0, 0], structure), transport)
            _ = try await exchange(RawHost.message(0x63), transport)
            return Array(reply.dropFirst(10))
        }
        #expect(try await verify() == [0x90, 0x00])
        try readers.perform(Self.order("pin 4321"))
        #expect(try await verify() == [0x63, 0xC2])
        // Each payment begins with another first try.
        #expect(try await verify() == [0x63, 0xC1])
        try readers.perform(Self.order("pin 1234 1-1"))
        #expect(try await verify() == [0x90, 0x00])
    }
}

struct ReaderOrderTests {
    private func read(_ line: String) throws(ReaderActionError) -> ReaderAction {
        try ReaderAction(line: SealedBytes(line.utf8))
    }

    @Test func `actions are parsed`() throws {
        guard case .insert(let place) = try read("insert") else { throw ReaderActionError.unknown }
        #expect(place == ReaderAction.Place(busID: "1-1", slot: 0))
        guard case .remove(let other) = try read("  remove\t1-12/3\r") else { throw ReaderActionError.unknown }
        #expect(other == ReaderAction.Place(busID: "1-12", slot: 3))
        #expect(other.description == "1-12/3" && place.description == "1-1")
        guard case .plug("1-1") = try read("plug"), case .unplug("1-2") = try read("unplug 1-2"),
            case .swipe("1-2") = try read("swipe 1-2")
        else {
            throw ReaderActionError.unknown
        }
        guard case .pin(let pin, "1-2") = try read("pin 00123456 1-2") else { throw ReaderActionError.unknown }
        #expect(pin.copy() == [0, 0, 1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [
        "", " ", "eject", "insert 1-1 1-2", "insert 1-1/x", "insert 1-1/16", "insert 1-1/-1", "insert 1-1/1/1",
        "remove /1", "insert a", "pin", "pin 1234 1-1 1", "INSERT", "plug 1-1/0",
    ])
    func `invalid actions are rejected`(line: String) {
        #expect(throws: ReaderActionError.unknown) { try read(line) }
    }

    @Test(arguments: ["pin 123", "pin 1234567890123", "pin 12a4", "pin ۱۲۳۴"])
    func `an invalid PIN is rejected`(line: String) {
        #expect(throws: ReaderActionError.notAPIN) { try read(line) }
    }

    @Test func `errors do not repeat the input`() {
        for line in ["4242", "pin 42", "insert 4242x", "pins 4242"] {
            do throws(ReaderActionError) {
                _ = try read(line)
                Issue.record("\(line) was taken")
            } catch {
                #expect(!"\(error)".contains("42"))
            }
        }
    }

    @Test func `random input never traps`() {
        let noise = Noise(seed: 3)
        for _ in 0..<2000 {
            _ = try? ReaderAction(line: SealedBytes(noise.bytes(40)))
            _ = try? ReaderAction(line: SealedBytes(noise.mutated(Array("pin 1234 1-2".utf8))))
            _ = try? ReaderAction(line: SealedBytes(noise.mutated(Array("insert 1-2/3".utf8))))
        }
    }
}
