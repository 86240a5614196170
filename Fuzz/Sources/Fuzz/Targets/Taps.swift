import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import Simulator
import SmartCard

extension FuzzTarget {
    static let taps: [FuzzTarget] = [kernel8, contactlessCard]

    /// Kernel 8 with a good card, one answer of which is the input: its place, the status, and the data.
    private static let kernel8 = FuzzTarget(
        "kernel-8", longestInput: 300,
        seeds: {
            func seed(_ place: UInt8, _ text: String) -> [UInt8] { [place] + bytes(text) }
            let selection =
                "9000 6F378407F0000000080101A52C5007544553542043385F2D02656E9F380E9F2B089E409F02069F1A029F3501"
            return [
                seed(0, selection + "BF0C0A9F2C070200FFFF800000"),
                seed(1, "9000 7721 8202010A 940408010101 8C139F02069F03069F1A0295055F2A029A039C01"),
                seed(2, "9000 7015 5A085413330089600119 5F340101 5F2403491231"),
                seed(3, "9000 DA04 01020304"), seed(5, "9000 7709 9F270140 9F36020001"), seed(1, "6985"),
                seed(6, "6A82"),
            ]
        },
        run: { bytes in
            guard bytes.count >= 3 else { return }
            let place = Int(bytes[0] % 8)
            let changed = ResponseAPDU(
                data: Array(bytes.dropFirst(3)), status: StatusWord(bytes[1], bytes[2]))
            let profile = try profiles.get()[0]
            let card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
            _ = card.reset(warm: false)
            let aid = profile.contactless?.aid ?? []
            let select = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: aid, expectedLength: 256)
            let selected = card.process(select).response ?? changed
            let combination = try ReaderCombination(aid: aid, kernel: .kernel8)
            var data = Kernel8Configuration.shop(floorLimit: 10_000, cvmRequiredLimit: 5_000)
            data.merge(transaction) { _, new in new }
            data[EMVTag.terminalAID] = aid
            var kernel = Kernel8(
                authorities: try profile.contactlessAuthorityKeys(.embedded()),
                now: CivilDate(year: 2026, month: 11, day: 28), random: SeededRandomSource(seed: 2))
            var step = kernel.activate(
                KernelActivation(
                    start: .b, isRestart: false, combination: combination,
                    indicators: PreProcessingIndicators(unprocessed: combination),
                    selection: place == 0 ? changed : selected, data: data, onlineResponse: nil))
            var count = 0
            while case .transmit(let command) = step.next {
                count += 1
                // At most 62 entries of the file locator with 255 records each, and a few more commands.
                hold(count <= 16_000, "the kernel ends")
                hold(command.data.count <= 255, "a command is a short APDU")
                let right = card.process(command).response ?? changed
                step = kernel.receive(.response(count == place ? changed : right, took: .milliseconds(5)))
            }
            guard case .finish(let outcome) = step.next, let result = kernel.result else {
                hold(false, "an ended kernel has a result")
                return
            }
            same(result.parameterSet.count, 8, "an outcome parameter set of eight bytes")
            hold(result.error == nil || outcome.dataRecord == nil, "an error has no data record")
            hold(outcome.status != .approved || result.error == nil, "no approval with an error")
        })

    /// Commands to a contactless card.
    private static let contactlessCard = FuzzTarget(
        "tap-commands", longestInput: 600,
        seeds: {
            let select = "14 00A404000E325041592E5359532E444446303100 0D 00A4040007F000000008010100"
            let others = "05 00B2010C00 0A 80EA00000411223344 00 09 84320000039F811100 05 80CA9F3600 05 FFCA000000"
            return (0..<UInt8(cards.count)).map { [$0] + bytes(select + others) }
        },
        run: { bytes in
            let input = Choices(bytes)
            let profile = try profiles.get()[input.number(below: cards.count)]
            let card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
            send(from: input, to: card)
        })

    private static let cards = ["k8-offline", "k8-second-tap", "k8-relay-slow"]

    private static let profiles = Result { try cards.map { try CardProfileLibrary.profile($0) } }

    /// The objects of terminal and transaction that Entry Point gives.
    private static let transaction: [BERTag: [UInt8]] = [
        EMVTag.amount: [0, 0, 0, 0, 0x12, 0x50], EMVTag.amountOther: [0, 0, 0, 0, 0, 0],
        EMVTag.date: [0x26, 0x11, 0x28], EMVTag.transactionType: [0], EMVTag.currency: [0x09, 0x78],
        EMVTag.terminalCountry: [0x02, 0x76], EMVTag.terminalType: [0x22],
        EMVTag.unpredictableNumber: [1, 2, 3, 4], EMVTag.additionalCapabilities: [0x60, 0x00, 0xF0, 0xA0, 0x01],
    ]
}
