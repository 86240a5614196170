import Determinism
import EMV
import SmartCard
import Synchronization

extension FuzzTarget {
    /// Complete payments: the input drives everything around the kernel.
    static let payments: [FuzzTarget] = [changes, cardAnswers]

    /// Good cards that change some of their responses.
    private static let changes = FuzzTarget(
        "card-changes", longestInput: 1024,
        seeds: { (0..<24).map { number in (0..<200).map { UInt8(truncatingIfNeeded: $0 * $0 * 7 + number * 31) } } },
        run: { bytes in
            let payment = try ArbitraryPayment(Choices(bytes))
            let violations = Waiting.wait { await payment.run(.changed(oneIn: 8)).violations }
            hold(violations.isEmpty, violations.joined(separator: "; "))
        })

    /// Cards whose responses are the input.
    private static let cardAnswers = FuzzTarget(
        "card-answers", longestInput: 2048,
        seeds: { try (0..<32).map(recorded) },
        run: { bytes in
            let payment = try ArbitraryPayment(Choices(bytes), genuine: nil)
            let violations = Waiting.wait { await payment.run(.cut).violations }
            hold(violations.isEmpty, violations.joined(separator: "; "))
        })

    /// The choices of a payment, followed by the responses of a good card.
    private static func recorded(_ number: Int) throws -> [UInt8] {
        let around = (0..<64).map { index in
            index < number % 8 ? 0 : UInt8(truncatingIfNeeded: (index + 1) * (number + 3) * 37)
        }
        let drawing = Drawing(around)
        let payment = try ArbitraryPayment(Choices(drawing), genuine: nil)
        let drawn = drawing.drawn
        let card = Recording(TestCard(payment.profile))
        _ = Waiting.wait { await payment.run(.given(card)) }
        return drawn + card.answers.flatMap { CutCard.bytes(of: $0) ?? [] }
    }

    /// Returns the bytes one by one and zeros after them, and records what it returned.
    private final class Drawing: RandomSource {
        private let bytes: [UInt8]
        private let given = Mutex<[UInt8]>([])

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var drawn: [UInt8] { given.withLock { $0 } }

        func bytes(_ count: Int) -> [UInt8] {
            given.withLock { given in
                let next = (given.count..<given.count + count).map { $0 < bytes.count ? bytes[$0] : 0 }
                given += next
                return next
            }
        }

        func stream(_ label: String) -> any RandomSource { self }
    }

    /// A card that records its responses.
    private final class Recording: CardChannel {
        private let card: TestCard
        private let recorded = Mutex<[ResponseAPDU]>([])

        init(_ card: TestCard) { self.card = card }

        var answers: [ResponseAPDU] { recorded.withLock { $0 } }

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            let answer = try await card.transmit(command)
            recorded.withLock { $0.append(answer) }
            return answer
        }
    }
}
