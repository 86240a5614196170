import CLinux
import CardSecrets
import Determinism
import EMV
import Glibc
import Money
import Payments
import Sessions
import Simulator
import SmartCard
import Synchronization
import Testing

/// Work that is done again and again leaves nothing on the heap. Each measurement is in a process of its own, where no
/// other test allocates.
@Suite("Memory")
struct GrowthTests {
    @Test("of kernel and card stays flat, transaction by transaction")
    func kernelAndCard() async {
        await #expect(processExitsWith: .success) {
            let lane = try KernelLane(card: "visa-credit", answer: "05", decision: .declinedOnline)
            // A card keeps its newest 1,000 cryptograms; after that, each replaces another.
            try await Heap.end(warmUp: 3000, count: 600, mostBytesEach: 8) { try await lane.pay() }
        }
    }

    // Both cards sign in each transaction, and an approval ends with a second cryptogram. Numbers of RSA have several
    // lengths, and the C library keeps a few blocks of each for each thread.
    @Test("of approved payments with DDA stays flat, too")
    func dynamicData() async {
        await #expect(processExitsWith: .success) {
            let lane = try KernelLane(card: "visa-dda", answer: "00", decision: .approvedOnline)
            try await Heap.end(warmUp: 1200, count: 800, mostBytesEach: 16) { try await lane.pay() }
        }
    }

    @Test("of approved payments with CDA stays flat, too")
    func combinedData() async {
        await #expect(processExitsWith: .success) {
            let lane = try KernelLane(card: "amex-cda", answer: "00", decision: .approvedOnline)
            try await Heap.end(warmUp: 1200, count: 800, mostBytesEach: 16) { try await lane.pay() }
        }
    }

    @Test("of sessions stays flat, session by session")
    func sessions() async {
        await #expect(processExitsWith: .success) {
            let amount = try Money(minorUnits: 1250, currency: .usDollar)
            try await Heap.end(warmUp: 40, count: 120, mostBytesEach: 64) {
                let isApproved = try SimulatedSession.play(try SessionPlan(card: "visa-credit")) { session in
                    try await session.connect()
                    return try await session.pay(amount).outcome == .approved
                }
                try #require(isApproved)
            }
        }
    }

    @Test("that grows is noticed")
    func growth() async {
        await #expect(processExitsWith: .failure) {
            let kept = Mutex<[[UInt8]]>([])
            try await Heap.end(warmUp: 100, count: 600, mostBytesEach: 8) {
                kept.withLock { $0.append([UInt8](repeating: 1, count: 32)) }
            }
        }
    }
}

/// The heap of this process.
enum Heap {
    /// The number of measurements.
    private static let parts = 5

    /// Does work again and again, measures the heap in between, and ends the process: with success when the work leaves
    /// at most `mostBytesEach` on the heap each time, otherwise with failure.
    static func end(
        warmUp: Int, count: Int, mostBytesEach: Int, _ work: () async throws -> Void
    ) async throws -> Never {
        for _ in 0..<warmUp { try await work() }
        // The C library's caches fill step by step, which counts as use, but a leak grows in every part: the smallest
        // growth counts.
        var growth = Int.max
        for _ in 0..<parts {
            let before = heap_bytes_in_use()
            for _ in 0..<(count / parts) { try await work() }
            growth = min(growth, Int(heap_bytes_in_use()) - Int(before))
        }
        // Not exit(3): it would run the handlers of libraries, such as OpenSSL's, which free what other threads use.
        _exit(growth <= mostBytesEach * (count / parts) ? EXIT_SUCCESS : EXIT_FAILURE)
    }
}

/// A kernel with a simulated card, without a reader, a bus, or a journal. The issuer's answer is always the same, and
/// without a cryptogram.
final class KernelLane {
    private struct Contacts: CardChannel {
        let card: SimulatedEMVCard

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            guard let response = card.process(command).response else { throw .cardMute }
            return response
        }
    }

    private struct Person: CardholderInterface {
        func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { applications.indices.first }
        func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .canceled }
        func encipherPIN(
            _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
        ) async -> EncipheredPINBlock? { nil }
    }

    private struct Line: OnlineAuthorizer {
        let answer: String

        func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
            .answered(IssuerAnswer(authorizationResponseCode: Array(answer.utf8)))
        }
    }

    private let card: SimulatedEMVCard
    private let kernel: ContactKernel
    private let request: TransactionRequest
    private let decision: TransactionDecision

    /// - Parameters:
    ///   - name: the profile of the card.
    ///   - answer: the issuer's response code.
    ///   - decision: how each payment ends.
    /// - Throws: an error of the profile or the test keys.
    init(card name: String, answer: String, decision: TransactionDecision) throws {
        self.decision = decision
        let profile = try CardProfileLibrary.profile(name)
        card = try SimulatedEMVCard(
            profile: profile, keys: try TestKeys.embedded(), random: SeededRandomSource(seed: 1))
        kernel = ContactKernel(
            terminal: .standard, cardholder: Person(), authorizer: Line(answer: answer),
            random: SeededRandomSource(seed: 2))
        request = TransactionRequest(
            amount: try Money(minorUnits: 1250, currency: .usDollar),
            date: CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56), sequenceCounter: 7)
    }

    /// Runs one transaction.
    func pay() async throws {
        _ = card.reset(warm: false)
        let outcome = await kernel.run(request, on: Contacts(card: card))
        card.powerOff()
        try #require(outcome.decision == decision)
    }
}
