import CardSecrets
import Cryptography
import Determinism
import EMV
import SmartCard
import Synchronization
import Testing

/// The kernel against a payment that another program computed (Tests/Vectors/extended_authentication.py).
struct ExtendedVectorTests {
    /// A card with fixed answers to GENERATE AC.
    private final class Card: CardChannel {
        private let card: TestCard
        private let answers: [[UInt8]]
        private let state = Mutex<[CommandAPDU]>([])

        init(_ vector: ExtendedVectors.Vector) throws {
            var profile = TestCard.Profile.standard()
            profile.aip = bytes("9C00")
            profile.records += [
                tlv(0x8F, "07"), BERTLV.encode(0x90, bytes(vector.issuerCertificate)),
                BERTLV.encode(0x9F46, bytes(vector.cardCertificate)),
            ]
            card = TestCard(profile)
            answers = [bytes(vector.firstAnswer), bytes(vector.secondAnswer)]
        }

        var cryptograms: [CommandAPDU] { state.withLock { $0 } }

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            guard command.ins == 0xAE else { return try await card.transmit(command) }
            let number = state.withLock { state in
                state.append(command)
                return state.count
            }
            guard answers.indices.contains(number - 1) else { throw .cardMute }
            return ResponseAPDU(data: answers[number - 1], status: .success)
        }
    }

    /// Draws the vector's number.
    private struct Fixed: RandomSource {
        func bytes(_ count: Int) -> [UInt8] { EMVTests.bytes(ExtendedVectors.unpredictableNumber) }
        func stream(_ label: String) -> any RandomSource { self }
    }

    private static let vectors = [(ExtendedVectors.p256, CertificateSuite.p256), (ExtendedVectors.p521, .p521)]

    // EMV Book 2 §12.3: a whole payment, computed independently with Python
    @Test(arguments: [0, 1]) func `the kernel agrees with an independent payment, byte for byte`(index: Int)
        async throws
    {
        let (vector, suite) = Self.vectors[index]
        let card = try Card(vector)
        var kernel = TestKernel()
        kernel.terminal = try TestKernel.terminal(capabilities: "20F8CC").adding(
            ellipticAuthorityKeys: [
                ECCAuthorityKey(rid: ExtendedFixture.rid, index: 7, suite: suite, key: bytes(vector.authorityX))
            ])
        kernel.random = Fixed()
        let outcome = try await kernel.run(card)
        #expect(card.cryptograms.map(\.data) == [bytes(vector.firstData), bytes(vector.secondData)])
        #expect(card.cryptograms.map(\.p1) == [0x88, 0x48])
        #expect(outcome.offlineAuthentication.result == .passed, "\(outcome.offlineAuthentication)")
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.cryptogram?.value == bytes("B1B2B3B4B5B6B7B8"))
    }

    // EMV Book 2 §12.5.2: the second signature does not cover the data of the first
    @Test func `a second signature over the first data too is not the book's`() throws {
        let vector = ExtendedVectors.p256
        let key = try EllipticCurvePoint(smallerRootOf: bytes(vector.cardX), on: .p256)
        let objects = try BERTLV.parse(bytes(vector.secondAnswer))[0].children
        let signed = try #require(objects.first(0x9F4B)).value
        let plain = objects.filter { $0.tag != 0x9F4B }.flatMap(\.encoded)
        #expect(throws: Never.self) {
            try ExtendedSignature.verify(signed, of: [0x15] + bytes(vector.secondData) + plain, key: key)
        }
        #expect(throws: ExtendedSignatureDefect.signature) {
            try ExtendedSignature.verify(
                signed, of: [0x15] + bytes(vector.firstData) + bytes(vector.secondData) + plain, key: key)
        }
    }
}
