import Determinism
import SmartCard

@testable internal import Simulator

extension FuzzTarget {
    /// Messages of other terminals to our card, and of other machines to our readers.
    static let simulator: [FuzzTarget] = [bridges, usbip, commands]

    /// The first byte selects the protocol. The card echoes.
    private static let bridges = FuzzTarget(
        "bridges", longestInput: 512,
        seeds: {
            [
                bytes("00 000101 000104 000500B2010C00 000100"), bytes("00 000102 0004 00840000"),
                bytes("01 00000001 FFFFFFFF 0000000C 56534344 00000002 00000000 00000002 00000000 00000004 00000000")
                    + bytes("00000007 00000000 00000005 00B2010C00 00000008 00000000 00000000"),
            ]
        },
        run: { bytes in
            guard let first = bytes.first else { return }
            if first & 1 == 0 {
                try serve(VPCDSession(), bytes.dropFirst())
            } else {
                try serve(VSCardSession(), bytes.dropFirst())
            }
        })

    private static func serve(_ session: some BridgeSession, _ bytes: ArraySlice<UInt8>) throws {
        var session = session
        _ = session.greeting()
        var rest = bytes
        while let count = rest.popFirst() {
            session.receive(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
            while let steps = try session.next() {
                for case .ask(let request) in steps {
                    if case .command(let command) = request {
                        guard session.answer(command, to: request) != nil else { return }
                    } else {
                        guard session.answer([0x3B, 0x00], to: request) != nil else { return }
                    }
                }
            }
        }
        _ = session.farewell()
    }

    /// The first byte selects the imported reader, or none. Pieces follow, each with its length in front.
    private static let usbip = FuzzTarget(
        "usbip", longestInput: 1024,
        seeds: {
            func submit(_ endpoint: UInt8, isInput: Bool, length: UInt8, setup: String, _ data: String = "") -> [UInt8]
            {
                let head = "00000001 00000001 00010001 000000" + (isInput ? "01" : "00") + " 000000"
                let command =
                    bytes(head) + [endpoint] + bytes("00000000 000000") + [length]
                    + bytes("00000000 00000000 00000000" + setup + data)
                return [UInt8(command.count)] + command
            }
            let none = "0000000000000000"
            let powerOn = submit(2, isInput: false, length: 10, setup: none, "62 00000000 00 00 01 0000")
            let status = submit(5, isInput: false, length: 10, setup: none, "65 00000000 00 01 00 0000")
            let reads = [2, 3, 5, 6].flatMap { submit($0, isInput: true, length: 64, setup: none) }
            let requests =
                submit(0, isInput: true, length: 18, setup: "80060001 00001200")
                + submit(0, isInput: false, length: 0, setup: "00090100 00000000")
                + submit(0, isInput: true, length: 4, setup: "A1020000 01000400")
            let unlink =
                bytes("30 00000002 00000002 00010001 00000000 00000000 00000001") + [UInt8](repeating: 0, count: 24)
            return [
                bytes("00 08 01118005 00000000"),
                bytes("00 28 01118003 00000000 312D3100") + [UInt8](repeating: 0, count: 28),
                [1] + requests + powerOn + reads + unlink, [3] + requests + reads + status + powerOn + unlink,
            ]
        },
        run: { bytes in
            guard let first = bytes.first else { return }
            let time = VirtualTimeSource()
            let clock = SimulationClock(time)
            let unit = SimulatedReaderUnit(model: first & 2 == 0 ? .tpdu : .dualInterface, clock: clock)
            unit.first.insert(try SimulatedEMVCard(profile: profiles.get()[0], random: SeededRandomSource(seed: 1)))
            var transfers = USBIPTransfers(port: SimulatedUSBPort(unit.device, bus: 1, address: 1, number: 1))
            var session = USBIPSession()
            if first & 1 != 0 { session.imported(device: 0x0001_0001) }
            var rest = bytes.dropFirst()
            while let count = rest.popFirst() {
                session.receive(Array(rest.prefix(Int(count))))
                rest = rest.dropFirst(Int(count))
                while let step = try session.next() {
                    guard case .perform(let command) = step else { continue }
                    switch command {
                    case .submit(let transfer):
                        if let reply = transfers.submit(transfer) { check(reply, of: transfer.sequence) }
                    case .unlink(let sequence, let victim):
                        check(transfers.unlink(sequence: sequence, victim: victim), of: sequence)
                    }
                    let (replies, moment) = transfers.advance()
                    for reply in replies { check(reply, of: nil) }
                    if let moment { time.advance(to: moment) }
                }
            }
        })

    private static func check(_ reply: USBIPReply, of sequence: UInt32?) {
        switch reply {
        case .ended(let number, _, let length, let data):
            hold(data.isEmpty || data.count == length, "the declared number of bytes")
            hold(reply.bytes.count == 48 + data.count, "a header and the data")
            if let sequence { same(number, sequence, "the number of the transfer") }
        case .unlinked(let number, _):
            hold(reply.bytes.count == 48, "a header")
            if let sequence { same(number, sequence, "the number of the command") }
        }
    }

    /// The first byte selects the card. Commands follow, each with its length in front.
    private static let commands = FuzzTarget(
        "card-commands", longestInput: 1024,
        seeds: {
            let select = "0D 00A4040007A000000003101000 0D 00A4040007A000000004101000"
            let initiate = "0A 80A8000004830208400000 08 80A800000283000000 05 00B2010C00 05 00B2011400 05 00B2021400"
            let cryptograms =
                "22 80AE80001D 000000001250 000000000000 0840 8000048000 0840 260102 00 11223344 00"
                + "10 80AE40000A 3030 8000048000 11223344 00 0F 008200000A 1122334455667788 3030"
            let others =
                "05 80CA9F3600 05 80CA9F1700 05 0084000000 0D 0020008008 241234FFFFFFFFFF"
                + "0D 8424000008 1122334455667788 0D 8416000008 1122334455667788 05 84180000 04 0E 0088000004 11223344 00"
            return (0..<UInt8(cards.count)).map { [$0] + bytes(select + initiate + others + cryptograms) }
        },
        run: { bytes in
            let input = Choices(bytes)
            let profile = try profiles.get()[input.number(below: cards.count)]
            let card = try SimulatedEMVCard(profile: profile, random: SeededRandomSource(seed: 1))
            send(from: input, to: card)
        })

    /// Sends commands of the input to a card, and resets it now and then.
    static func send(from input: Choices, to card: any SimulatedCard) {
        hold(!card.reset(warm: false).isEmpty, "these cards answer to reset")
        for _ in 0..<24 {
            guard let command = try? CommandAPDU(bytes: input.bytes(input.number(below: 256))) else { continue }
            let response = card.process(command).response
            hold((response?.data.count ?? 0) <= 256, "an answer fits into a short APDU")
            if input.happens(oneIn: 32) { _ = card.reset(warm: true) }
        }
    }

    private static let cards = ["visa-credit", "mastercard-credit", "issuer-script", "pin-required", "offline-limits"]

    private static let profiles = Result { try cards.map { try CardProfileLibrary.profile($0) } }
}
