internal import Determinism
internal import SmartCard

@testable internal import Simulator

extension FuzzTarget {
    /// What other terminals send to our card.
    static let simulator: [FuzzTarget] = [doors, commands]

    /// The first byte chooses the door. The card echoes.
    private static let doors = FuzzTarget(
        "doors", longestInput: 512,
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

    private static func serve(_ session: some DoorSession, _ bytes: ArraySlice<UInt8>) throws {
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

    /// The first byte chooses the card; commands with their length in front follow.
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
            hold(!card.reset(warm: false).isEmpty, "these cards answer to reset")
            for _ in 0..<24 {
                guard let command = try? CommandAPDU(bytes: input.bytes(input.number(below: 256))) else { continue }
                let response = card.process(command).response
                hold((response?.data.count ?? 0) <= 256, "an answer fits into a short APDU")
                if input.happens(oneIn: 32) { _ = card.reset(warm: true) }
            }
        })

    private static let cards = ["visa-credit", "mastercard-credit", "issuer-script", "pin-required", "offline-limits"]

    private static let profiles = Result { try cards.map { try CardProfileLibrary.profile($0) } }
}
