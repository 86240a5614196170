import SmartCard
import Testing

/// Both halves of T=1 against each other over a line that damages, loses, repeats and mixes up blocks.
struct T1LossyLineTests {
    /// A card and its line. What it answers depends on the command and on how many it has run.
    private struct Line {
        var card: T1CardSide
        var chance: SeededGenerator
        let faults: Int
        var runs = 0
        private var previous: [UInt8]?

        init(card: T1CardSide, seed: UInt64, faults: Int) {
            self.card = card
            chance = SeededGenerator(seed: seed)
            self.faults = faults
        }

        static func answer(to command: [UInt8], run: Int) -> [UInt8] {
            let count = (Int(command.first ?? 0) * 7 + command.count) % 700
            return (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + run + command.count) } + [
                0x90, UInt8(run & 0xFF),
            ]
        }

        private mutating func cardAnswer(_ block: [UInt8], _ command: inout [UInt8]) -> [UInt8] {
            var step = card.received(block)
            if case .process(let received) = step {
                runs += 1
                command = received
                if chance.chance(20) { return card.requestWaitingTimeExtension(UInt8(chance.number(1...9))) }
                step = .resume
            }
            switch step {
            case .send(let answer): return answer
            case .resume, .process: return card.respond(Self.answer(to: command, run: runs))
            }
        }

        /// What the interface device gets for a block: nil when nothing comes.
        mutating func exchange(_ block: [UInt8], _ command: inout [UInt8]) -> [UInt8]? {
            var toCard = block
            if chance.chance(faults) {
                switch chance.number(0...2) {
                case 0: return nil
                case 1: toCard = damaged(block)
                default: _ = cardAnswer(block, &command)
                }
            }
            let answer = cardAnswer(toCard, &command)
            defer { previous = answer }
            guard chance.chance(faults) else { return answer }
            switch chance.number(0...2) {
            case 0: return nil
            case 1: return damaged(answer)
            default: return previous ?? nil
            }
        }

        private mutating func damaged(_ block: [UInt8]) -> [UInt8] {
            guard chance.chance(70) else { return Array(block.dropLast(chance.number(1...block.count))) }
            var block = block
            block[chance.number(0...(block.count - 1))] ^= UInt8(chance.number(1...255))
            return block
        }
    }

    private func run(faults: Int, detection: T1Block.ErrorDetection) -> (answered: Int, failed: Int) {
        var (answered, failed) = (0, 0)
        for seed in 0..<120 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed &* 77 &+ 1)
            let size = UInt8([1, 5, 32, 254].randomElement(using: &chance) ?? 32)
            var line = Line(
                card: T1CardSide(informationFieldSize: size, errorDetection: detection), seed: seed, faults: faults)
            var device = T1InterfaceDevice(cardInformationFieldSize: size, errorDetection: detection)
            var command: [UInt8] = []
            session: for exchange in 0..<5 {
                let apdu = chance.bytes(chance.number(4...(size == 1 ? 20 : 300)))
                let runsBefore = line.runs
                var step = exchange == 0 ? device.negotiateInformationFieldSize(254) : device.transmit(apdu)
                var blocks = 0
                while case .send(let block, _) = step {
                    blocks += 1
                    guard blocks < 5000 else {
                        Issue.record("seed \(seed): the exchange does not end")
                        return (answered, failed)
                    }
                    if let answer = line.exchange(block, &command) {
                        step = device.received(answer)
                    } else {
                        step = device.timedOut()
                    }
                }
                guard case .complete(let answer) = step else {
                    failed += 1
                    #expect(line.runs <= runsBefore + 1, "seed \(seed): the command ran at most once")
                    break session
                }
                answered += 1
                if exchange > 0 {
                    #expect(line.runs == runsBefore + 1, "seed \(seed): the command ran once")
                    #expect(answer == Line.answer(to: apdu, run: line.runs), "seed \(seed)")
                }
            }
        }
        return (answered, failed)
    }

    @Test func `on a clean line every command gets its answer`() {
        let result = run(faults: 0, detection: .lrc)
        #expect(result.failed == 0)
        #expect(result.answered == 600)
    }

    // EMV Book 1 §9.2.5: blocks that are lost, damaged or repeated lead to no wrong answer and no command run twice
    @Test(arguments: [T1Block.ErrorDetection.lrc, .crc])
    func `on a bad line most commands get their answer, none a wrong one, and none runs twice`(
        detection: T1Block.ErrorDetection
    ) {
        let result = run(faults: 5, detection: detection)
        #expect(result.answered > result.failed * 10)
    }

    @Test func `on a hopeless line everything still ends`() {
        let result = run(faults: 60, detection: .lrc)
        #expect(result.failed > 0)
    }
}
