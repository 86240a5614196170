import Determinism
import EMV
import SmartCard
import Synchronization
import Testing

/// Cards that answer nonsense: the kernel must come to an end, and to none that takes money.
struct HostileCardTests {
    /// Answers like a good card, with bytes changed at random.
    private final class Garbler: CardChannel {
        private let card: TestCard
        private let random: any RandomSource
        private let oneIn: UInt32
        private let count = Mutex(0)

        init(_ card: TestCard, _ random: any RandomSource, oneIn: UInt32) {
            (self.card, self.random, self.oneIn) = (card, random, oneIn)
        }

        var commands: Int { count.withLock { $0 } }

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            count.withLock { $0 += 1 }
            let answer = try await card.transmit(command)
            guard random.number(in: 1...oneIn) == 1 else { return answer }
            var data = answer.data
            switch random.number(in: 0...4) {
            case 0: data = random.bytes(Int(random.number(in: 0...64)))
            case 1: data = Array(data.prefix(Int(random.number(in: 0...UInt32(data.count)))))
            case 2: data += random.bytes(Int(random.number(in: 1...8)))
            case 3:
                return ResponseAPDU(
                    data: data, status: StatusWord(rawValue: UInt16(random.number(in: 0x6000...0x9FFF))))
            default:
                for _ in 0..<2 where !data.isEmpty {
                    data[Int(random.number(in: 0...UInt32(data.count - 1)))] = random.bytes(1)[0]
                }
            }
            return ResponseAPDU(data: data, status: answer.status)
        }
    }

    /// Answers every command with random bytes and a friendly status.
    private final class Babbler: CardChannel {
        private let random: any RandomSource
        private let count = Mutex(0)

        init(_ random: any RandomSource) { self.random = random }

        var commands: Int { count.withLock { $0 } }

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            count.withLock { $0 += 1 }
            return ResponseAPDU(data: random.bytes(Int(random.number(in: 0...256))), status: .success)
        }
    }

    private let pins = [TestCardholder.PIN](repeating: .digits([1, 2, 3, 4]), count: 20)

    @Test func `with damaged responses of a card every payment ends`() async throws {
        let random = SeededRandomSource(seed: 11)
        var approved = 0
        for round in 0..<400 {
            var profile = TestCard.Profile.standard(
                cvmList: "0000000000000000 4103 4403 4203 5E03 1F00", tlv(0x9F14, "03"), tlv(0x9F23, "05"))
            profile.data = [0x9F17: [3], 0x9F36: bytes("0005"), 0x9F13: bytes("0004")]
            profile.directory = round.isMultiple(of: 2) ? [tlv(0x61, BERTLV.encode(0x4F, TestCard.Profile.visa))] : nil
            let card = Garbler(TestCard(profile), random, oneIn: round.isMultiple(of: 3) ? 2 : 12)
            let issuer = TestIssuer(code: "00", after: [tlv(0x86, "8424000000")])
            let kernel = TestKernel(
                terminal: try TestKernel.terminal(), cardholder: TestCardholder(pins: pins), issuer: issuer)
            let outcome = try await kernel.run(card)
            #expect(card.commands < 2_000)
            #expect(!outcome.decision.isApproved || !outcome.isReversalRequired)
            // An issuer's approval results in a payment or a reversal, whatever the card does.
            if !issuer.requests.isEmpty { #expect(outcome.decision.isApproved != outcome.isReversalRequired) }
            if outcome.decision.isApproved { approved += 1 }
        }
        #expect(approved > 0)
    }

    // EMV Book 2 §6.6.2: no approval offline comes of a signature that was damaged on the way
    @Test func `nothing is approved offline that the card has not signed`() async throws {
        let random = SeededRandomSource(seed: 14)
        let everything = TerminalVerificationResults([
            .offlineDataAuthenticationNotPerformed, .sdaFailed, .ddaFailed, .cdaFailed,
        ])
        var approved = 0
        for _ in 0..<150 {
            let card = Garbler(TestCard(try .authenticated(aip: "1D00")), random, oneIn: 6)
            let codes = ActionCodes(denial: everything, online: [], default: everything)
            let outcome = try await AuthenticatingTill(actionCodes: codes).run(card)
            guard outcome.decision.isApproved else { continue }
            approved += 1
            #expect(outcome.offlineAuthentication.method == .cda)
            #expect(outcome.offlineAuthentication.result == .passed)
            #expect(outcome.cryptogram?.value == SigningFixture.Combined.cryptogram(1))
            #expect(outcome.cryptogram?.type == .tc)
        }
        #expect(approved > 0)
    }

    @Test func `a card that damages its signatures never spends an approval of the issuer`() async throws {
        let random = SeededRandomSource(seed: 15)
        for _ in 0..<100 {
            let issuer = TestIssuer(code: "00")
            let card = Garbler(TestCard(try .authenticated(aip: "1D00")), random, oneIn: 6)
            let outcome = try await AuthenticatingTill(floorLimit: 0, issuer: issuer).run(card)
            #expect(issuer.requests.isEmpty || outcome.decision.isApproved != outcome.isReversalRequired)
            guard outcome.decision == .approvedOnline, outcome.offlineAuthentication.method == .cda,
                outcome.statusInformation.contains(.offlineDataAuthenticationPerformed)
            else { continue }
            let result = outcome.offlineAuthentication.result
            #expect(result == .passed || !outcome.verificationResults.isDisjoint(with: .cdaFailed))
            if result == .passed { #expect(outcome.cryptogram?.value == SigningFixture.Combined.cryptogram(2)) }
        }
    }

    // EMV Book 3 §7.5: card data that cannot be read never lead to an approval
    @Test func `a card that babbles brings every payment to an end`() async throws {
        let random = SeededRandomSource(seed: 12)
        for _ in 0..<200 {
            let card = Babbler(random)
            let outcome = try await TestKernel(cardholder: TestCardholder(pins: pins)).run(card)
            #expect(!outcome.decision.isApproved)
            #expect(card.commands < 2_000)
        }
    }

    @Test func `with any bytes as issuer responses every payment ends`() async throws {
        let random = SeededRandomSource(seed: 13)
        for _ in 0..<200 {
            func some() -> [UInt8] { random.bytes(Int(random.number(in: 0...20))) }
            let approves = random.number(in: 0...1) == 0
            let answer = IssuerAnswer(
                authorizationResponseCode: approves ? Array("00".utf8) : random.bytes(Int(random.number(in: 0...4))),
                issuerAuthenticationData: some(), scriptsBeforeFinal: [some()],
                scriptsAfterFinal: [some(), tlv(0x86, some().hexText)])
            let outcome = try await TestKernel(issuer: TestIssuer(.answered(answer))).run(TestCard(.standard()))
            if approves { #expect(outcome.decision == .approvedOnline) }
        }
    }
}
