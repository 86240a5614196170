import CardSecrets
import Cryptography
import Determinism
import SmartCard
import Testing

@testable import ContactlessKernel8

/// The values named "golden run" and "single steps" are those of one transaction between our test card and another
/// implementation of kernel 8 (``GoldenRun``).
struct SecureChannelTests {
    private func envelope(_ tag: BERTag = 0x9F_8111, _ value: String = "0102030405060708") throws -> DataEnvelope {
        try DataEnvelope(tag, hex(value))
    }

    // EMV Book E §7: the kernel's key is x and y, without a first byte 04
    @Test func `the kernel's key data are those of the golden run`() throws {
        #expect(try GoldenRun.kernelKeyPair().keyData == hex(GoldenRun.kernelX + GoldenRun.kernelY))
    }

    // EMV Book E §7: the card shows x of its blinded key, and the blinding factor enciphered with number 8000
    @Test func `the card's key data are those of the golden run`() throws {
        let card = try GoldenRun.cardChannel()
        let keyData = card.keyData
        #expect(keyData == hex(GoldenRun.blindedX + GoldenRun.encipheredFactor))
    }

    @Test func `the blinded key is lifted to the smaller root, and both sides find one secret`() throws {
        let lifted = try EllipticCurvePoint(smallerRootOf: hex(GoldenRun.blindedX), on: .p256)
        #expect(lifted.y == hex(GoldenRun.blindedSmallerY))
        let kernel = try GoldenRun.key(GoldenRun.kernelSecret)
        #expect(try kernel.sharedX(with: lifted).revealed == hex(GoldenRun.sharedX))
        let factor = try EllipticCurveScalar(SensitiveBytes(hex(GoldenRun.blindingFactor)), on: .p256)
        let shared = try GoldenRun.key(GoldenRun.cardSecret).sharedX(with: kernel.publicKey, blindedBy: factor).revealed
        #expect(shared == hex(GoldenRun.sharedX))
    }

    // Single steps: CTR SKc, counter 8001, of 20 zero bytes; CMAC and CMAC+ with SKi
    @Test func `the session keys give the single steps`() throws {
        let derived = try ChannelKeys.derive(from: SensitiveBytes(hex(GoldenRun.sharedX)))
        let given = ChannelKeys(
            confidentiality: SensitiveBytes(hex(GoldenRun.confidentialityKey)),
            integrity: SensitiveBytes(hex(GoldenRun.integrityKey)))
        let zeros = SensitiveBytes([UInt8](repeating: 0, count: 20))
        let stream = hex("E650BE242BF9AF2AC7BB20D8B19BF2EB416045E8")
        let first = try derived.cipher(zeros, counter: 0x8001).revealed
        let second = try given.cipher(zeros, counter: 0x8001).revealed
        #expect(first == stream && second == stream)
        for (message, code) in [
            ("", "0216B2E8D83E390A73A3E6198F2B5978"), ("00112233", "4EE716B02634C6593C0883C280CB5E5F"),
        ] {
            let (first, second) = (try derived.wholeMACPlus(hex(message)), try given.wholeMACPlus(hex(message)))
            #expect(first == hex(code) && second == hex(code))
        }
    }

    @Test func `the records of the golden run are deciphered in their order`() throws {
        var channel = try GoldenRun.channel()
        for (index, record) in GoldenRun.records.enumerated() {
            let before = channel.nextCardNumber
            #expect(before == 0x8001 + UInt16(index))
            let plain = try channel.openRecord(hex(record.enciphered)).revealed
            #expect(plain == hex(record.plain))
        }
        let after = channel.nextCardNumber
        #expect(after == 0x8004)
    }

    @Test func `the card enciphers its records as in the golden run`() throws {
        var card = try GoldenRun.cardChannel()
        for record in GoldenRun.records {
            let enciphered = try card.sealRecord(SensitiveBytes(hex(record.plain)))
            #expect(enciphered == hex(record.enciphered))
        }
    }

    @Test func `a record in the place of another deciphers to rubbish`() throws {
        var channel = try GoldenRun.channel()
        let plain = try channel.openRecord(hex(GoldenRun.records[1].enciphered)).revealed
        #expect(plain != hex(GoldenRun.records[1].plain))
        let empty = try channel.openRecord([]).revealed
        #expect(empty.isEmpty)
    }

    // Single steps: READ DATA with CMC 8004, WRITE DATA with KMC 0000, and its answer with CMC 8005
    @Test func `envelopes are read and written as in the single steps`() throws {
        var kernel = try GoldenRun.channel()
        var card = try GoldenRun.cardChannel()
        for record in GoldenRun.records {
            _ = try kernel.openRecord(card.sealRecord(SensitiveBytes(hex(record.plain))))
        }
        let answer = try card.sealEnvelope(envelope())
        #expect(answer == hex("E66B018BFA294C358C300A4E F7E32F54C3F1D347"))
        let value = try kernel.openEnvelope(answer, tag: 0x9F_8111).revealed
        #expect(value == hex("0102030405060708"))

        let written = try envelope(0x9F_8112, "11223344")
        let command = try kernel.sealEnvelope(written)
        #expect(command == hex("13EEA70B979A5FD6"))
        let received = try card.openWritten(command).revealed
        #expect(received == written.encoded)
        let acknowledgment = try card.acknowledge(written)
        #expect(acknowledgment == hex("D31E0EDC9E36F61F"))
        try kernel.checkWritten(written, answer: acknowledgment)
        let (next, nextOwn) = (kernel.nextCardNumber, kernel.nextKernelNumber)
        #expect(next == 0x8006 && nextOwn == 0x0001)
    }

    @Test func `an answer to READ DATA is good once`() throws {
        var kernel = try GoldenRun.channel()
        var card = try GoldenRun.cardChannel()
        let answer = try card.sealEnvelope(envelope())
        _ = try kernel.openEnvelope(answer, tag: 0x9F_8111)
        var replay: SecureChannelError?
        do throws(SecureChannelError) { _ = try kernel.openEnvelope(answer, tag: 0x9F_8111) } catch { replay = error }
        #expect(replay == .wrongMAC(.readData))
    }

    @Test func `an answer to WRITE DATA is good once`() throws {
        var kernel = try GoldenRun.channel()
        var card = try GoldenRun.cardChannel()
        let written = try envelope()
        _ = try card.openWritten(kernel.sealEnvelope(written))
        let answer = try card.acknowledge(written)
        try kernel.checkWritten(written, answer: answer)
        _ = try card.openWritten(kernel.sealEnvelope(written))
        var replay: SecureChannelError?
        do throws(SecureChannelError) { try kernel.checkWritten(written, answer: answer) } catch { replay = error }
        #expect(replay == .wrongMAC(.writeData))
    }

    @Test func `the same envelope is never enciphered with the same stream`() throws {
        var kernel = try GoldenRun.channel()
        var card = try GoldenRun.cardChannel()
        let envelope = try envelope()
        let commands = [try kernel.sealEnvelope(envelope), try kernel.sealEnvelope(envelope)]
        let answers = [try card.sealEnvelope(envelope), try card.sealEnvelope(envelope)]
        #expect(Set(commands + answers).count == 4)
    }

    @Test func `every changed bit of an answer to READ DATA is noticed, and the message still counts`() throws {
        var card = try GoldenRun.cardChannel()
        let answer = try card.sealEnvelope(envelope())
        for index in answer.indices {
            var kernel = try GoldenRun.channel()
            var bent = answer
            bent[index] ^= 0x04
            var failure: SecureChannelError?
            do throws(SecureChannelError) { _ = try kernel.openEnvelope(bent, tag: 0x9F_8111) } catch {
                failure = error
            }
            #expect(failure == .wrongMAC(.readData))
            let next = kernel.nextCardNumber
            #expect(next == 0x8002)
        }
    }

    @Test(arguments: [0, 1, 7]) func `an answer that is shorter than its MAC is refused`(count: Int) throws {
        var kernel = try GoldenRun.channel()
        var failures: [SecureChannelError] = []
        let short = [UInt8](repeating: 0, count: count)
        do throws(SecureChannelError) { _ = try kernel.openEnvelope(short, tag: 0x9F_8111) } catch {
            failures.append(error)
        }
        let written = try envelope()
        do throws(SecureChannelError) { try kernel.checkWritten(written, answer: short) } catch {
            failures.append(error)
        }
        #expect(failures == [.answerLength(count), .answerLength(count)])
    }

    @Test func `another object than the envelope that was asked for is refused`() throws {
        func keys() -> ChannelKeys {
            ChannelKeys(
                confidentiality: SensitiveBytes(hex(GoldenRun.confidentialityKey)),
                integrity: SensitiveBytes(hex(GoldenRun.integrityKey)))
        }
        let cases: [(plain: String, failure: SecureChannelError)] = [
            ("9F8112 01 AA", .notTheEnvelope(0x9F_8111, offset: 0)), ("", .notTheEnvelope(0x9F_8111, offset: 0)),
            ("9F8111 05 AA", .notTheEnvelope(0x9F_8111, offset: 0)),
            ("9F8111 01 AA 9F8111 01 AA", .notTheEnvelope(0x9F_8111, offset: 5)),
            ("9F8111 01 AA 9F", .notTheEnvelope(0x9F_8111, offset: 5)),
            ("9F8111 85", .notTheEnvelope(0x9F_8111, offset: 3)),
        ]
        for row in cases {
            let enciphered = try keys().cipher(SensitiveBytes(hex(row.plain)), counter: 0x8001).revealed
            let mac = try keys().mac(enciphered, counter: 0x8001)
            var kernel = try GoldenRun.channel()
            var failure: SecureChannelError?
            do throws(SecureChannelError) { _ = try kernel.openEnvelope(enciphered + mac, tag: 0x9F_8111) } catch {
                failure = error
            }
            #expect(failure == row.failure)
        }
    }

    @Test func `envelopes have ten tags and at most 243 bytes`() throws {
        #expect(try DataEnvelope(0x9F_811A, [UInt8](repeating: 1, count: 243)).encoded.count == 248)
        #expect(throws: SecureChannelError.envelopeTooLong(0x9F_8111, 244)) {
            try DataEnvelope(0x9F_8111, [UInt8](repeating: 1, count: 244))
        }
        for tag: BERTag in [0x9F_8110, 0x9F_811B, 0x5A] {
            #expect(throws: SecureChannelError.noEnvelopeTag(tag)) { try DataEnvelope(tag, []) }
        }
    }

    // EMV Book E §7: no message has the number FFFF, and none has a number that another one had
    @Test func `counters end before a number repeats`() throws {
        var card = MessageCounter.card
        var count = 0
        while let number = card.take() {
            #expect(Int(number) == 0x8000 + count)
            count += 1
        }
        #expect(count == 0x7FFF && card.value == 0xFFFF)
        var kernel = MessageCounter.kernel
        var last: UInt16?
        while let number = kernel.take() { last = number }
        #expect(last == 0x7FFF)
        let next = kernel.take()
        #expect(next == nil)
    }

    @Test func `a channel that has carried too many messages refuses the next`() throws {
        var kernel = try GoldenRun.channel()
        while kernel.nextCardNumber < 0xFFFF { _ = try kernel.openRecord([]) }
        var failures: [SecureChannelError] = []
        for _ in 0..<2 {
            do throws(SecureChannelError) { _ = try kernel.openRecord([]) } catch { failures.append(error) }
        }
        #expect(failures == [.counterExhausted(.card), .counterExhausted(.card)])
    }

    // EMV Book E §7: the blinding factor ties the channel to the certified key
    @Test func `the blinded key is that of the certificate, and of no other card`() throws {
        let channel = try GoldenRun.channel()
        let own = try EllipticCurvePoint(smallerRootOf: hex(GoldenRun.cardX), on: .p256)
        let other = try EllipticCurvePoint(smallerRootOf: hex(GoldenRun.issuerX), on: .p256)
        let (isOwn, isOther) = (try channel.isBlindedKey(of: own), try channel.isBlindedKey(of: other))
        #expect(isOwn && !isOther)
    }

    /// Opens a channel whose card has enciphered any bytes as its blinding factor.
    private func channel(factor: [UInt8], blindedX: [UInt8]) throws -> SecureChannel {
        let kernel = try GoldenRun.key(GoldenRun.kernelSecret)
        let blinded = try EllipticCurvePoint(smallerRootOf: blindedX, on: .p256)
        let keys = try ChannelKeys.derive(from: kernel.sharedX(with: blinded))
        let enciphered = try keys.cipher(SensitiveBytes(factor), counter: 0x8000).revealed
        return try GoldenRun.kernelKeyPair().openChannel(cardKeyData: blindedX + enciphered)
    }

    @Test func `a blinding factor that blinds nothing is refused`() throws {
        let own = try EllipticCurvePoint(smallerRootOf: hex(GoldenRun.cardX), on: .p256)
        let zeros = [UInt8](repeating: 0, count: 31)
        let order = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        for factor in [zeros + [0], zeros + [1], order, [UInt8](repeating: 0xFF, count: 32)] {
            // With a factor of 1, the blinded key is the certified one itself.
            let isBlinded = try channel(factor: factor, blindedX: hex(GoldenRun.cardX)).isBlindedKey(of: own)
            #expect(!isBlinded)
        }
        let wrong = try channel(factor: zeros + [2], blindedX: hex(GoldenRun.blindedX)).isBlindedKey(of: own)
        #expect(!wrong)
        let twice = try GoldenRun.key(GoldenRun.cardSecret).publicKey.multiplied(
            by: EllipticCurveScalar(SensitiveBytes(zeros + [2]), on: .p256))
        let right = try channel(factor: zeros + [2], blindedX: twice.x).isBlindedKey(of: own)
        #expect(right)
    }

    @Test(arguments: [0, 32, 63, 65, 128, 132]) func `card key data of another length are refused`(count: Int) throws {
        let pair = try GoldenRun.kernelKeyPair()
        #expect(throws: SecureChannelError.keyDataLength(expected: 64, actual: count)) {
            _ = try pair.openChannel(cardKeyData: [UInt8](repeating: 1, count: count))
        }
    }

    @Test func `a blinded key that no point has is refused`() throws {
        let pair = try GoldenRun.kernelKeyPair()
        let zeros = [UInt8](repeating: 0, count: 31)
        // 1 has no point on P-256, and FF…FF is not below the prime.
        for x in [zeros + [1], [UInt8](repeating: 0xFF, count: 32)] {
            #expect(throws: SecureChannelError.blindedKeyNotOnCurve) {
                _ = try pair.openChannel(cardKeyData: x + hex(GoldenRun.encipheredFactor))
            }
        }
    }

    @Test func `a card refuses a kernel's key that is no point, and a factor of one`() throws {
        let card = try GoldenRun.key(GoldenRun.cardSecret)
        func open(_ keyData: [UInt8], factor: [UInt8] = hex(GoldenRun.blindingFactor)) throws {
            let factor = try EllipticCurveScalar(SensitiveBytes(factor), on: .p256)
            _ = try CardSecureChannel(key: card, kernelKeyData: keyData, blindingFactor: factor)
        }
        let good = hex(GoldenRun.kernelX + GoldenRun.kernelY)
        #expect(throws: Never.self) { try open(good) }
        #expect(throws: SecureChannelError.kernelKeyNotOnCurve) { try open(hex(GoldenRun.kernelY + GoldenRun.kernelX)) }
        #expect(throws: SecureChannelError.kernelKeyNotOnCurve) { try open([UInt8](repeating: 0, count: 64)) }
        for bent in [[], Array(good.dropLast()), [0x04] + good, good + good] {
            #expect(throws: SecureChannelError.keyDataLength(expected: 64, actual: bent.count)) { try open(bent) }
        }
        #expect(throws: SecureChannelError.blindingFactorOfOne) {
            try open(good, factor: [UInt8](repeating: 0, count: 31) + [1])
        }
        #expect(throws: CryptographyError.unusableScalar("P-256")) {
            try open(good, factor: [UInt8](repeating: 0, count: 32))
        }
    }

    @Test func `any card and any kernel understand each other`() throws {
        for seed in UInt64(1)...20 {
            let random = SeededRandomSource(seed: seed)
            let key = try EllipticCurvePrivateKey.random(on: .p256, from: random).withSmallerY()
            let factor = try EllipticCurveScalar.random(on: .p256, from: random)
            let pair = try KernelKeyPair(suite: .p256AES128, random: random)
            var card = try CardSecureChannel(key: key, kernelKeyData: pair.keyData, blindingFactor: factor)
            var kernel = try pair.openChannel(cardKeyData: card.keyData)
            let isBlinded = try kernel.isBlindedKey(of: key.publicKey)
            #expect(isBlinded)
            for count in [0, 1, 15, 16, 17, 250] {
                let content = random.bytes(count)
                let received = try kernel.openRecord(card.sealRecord(SensitiveBytes(content))).revealed
                #expect(received == content)
            }
        }
    }

    @Test func `a source that repeats itself makes no kernel key`() {
        #expect(throws: SecureChannelError.cryptography(.unusableRandomness("P-256"))) {
            _ = try KernelKeyPair(suite: .p256AES128, random: FixedBytes(String(repeating: "00", count: 32)))
        }
    }
}
