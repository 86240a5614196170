import CardSecrets
import Determinism
import Foundation
import SmartCard
import Testing

@testable import Simulator

/// Our cards and issuer beside those of pyemv, which others wrote. `Scripts/test` installs it and names its interpreter
/// in `CARDPRESENT_PEERS`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CARDPRESENT_PEERS"] != nil))
struct OtherProgramTests {
    /// A transaction that the other program's card and issuer carry out.
    struct Question: Encodable {
        let version: CryptogramVersion
        /// The issuer's master key for application cryptograms, 16 bytes in hexadecimal digits.
        let key: String
        let pan: String
        let psn: String
        let data: [String: String]
        /// The response code of method 1, two bytes.
        let code: String
        /// The card status update of method 2.
        let update: String
    }

    struct Answer: Decodable {
        /// 9F26.
        let cryptogram: String
        /// Tag 91.
        let proof: String
    }

    private func ask(_ questions: [Question]) throws -> [Answer] {
        let root = URL(filePath: #filePath).appending(path: "../../../../../..").standardized
        let process = Process()
        process.executableURL = URL(
            filePath: try #require(ProcessInfo.processInfo.environment["CARDPRESENT_PEERS"]))
        process.arguments = ["-W", "ignore", root.appending(path: "Scripts/python/pyemv_peer.py").path]
        let file = FileManager.default.temporaryDirectory.appending(path: "questions-\(UUID().uuidString)")
        try JSONEncoder().encode(questions).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode([Answer].self, from: data)
    }

    private func text(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02X", $0) }.joined() }

    private func question(
        _ version: CryptogramVersion, key: [UInt8], pan: String, psn: String, data: [BERTag: [UInt8]],
        update: CardStatusUpdate
    ) -> Question {
        let code =
            version.hasBinaryResponseCode ? update.mChipResponseCode : Array((update.approves ? "00" : "51").utf8)
        return Question(
            version: version, key: text(key), pan: pan, psn: psn,
            data: Dictionary(uniqueKeysWithValues: data.map { ($0.key.description, text($0.value)) }),
            code: text(code), update: text(update.encoded))
    }

    // EMV Book 2 §8.1: cryptograms agree with those of another program
    // EMV Book 2 §8.2: the ARPC agrees with that of another program, and a wrong one of it is refused
    @Test(arguments: CryptogramVersion.allCases)
    func `cryptograms and responses agree with pyemv`(version: CryptogramVersion) throws {
        let chance = SeededRandomSource(seed: 91)
        var updates: [CardStatusUpdate] = []
        let questions = (0..<32).map { index in
            var results = CardVerificationResults(first: .arqc, pinTriesLeft: UInt8(index % 4))
            results.offlinePINPerformed = index.isMultiple(of: 3)
            var data = CryptogramFixture.dataObjects(
                IssuerApplicationData(version: version, derivationKeyIndex: 1, results: results))
            for (tag, value) in data where tag != 0x9F10 { data[tag] = chance.bytes(value.count) }
            let update = CardStatusUpdate(
                approves: index % 2 == 0, pinTryCounter: index % 3 == 0 ? UInt8(index % 16) : nil,
                goesOnlineNextTime: index % 5 == 0, counters: .init(rawValue: UInt8(index % 4)))
            updates.append(update)
            let digits = chance.bytes([14, 16, 19][index % 3]).map { String($0 % 10) }.joined()
            return question(
                version, key: chance.bytes(16), pan: digits, psn: String(format: "%02d", index), data: data,
                update: update)
        }
        for ((question, answer), update) in zip(zip(questions, try ask(questions)), updates) {
            let objects = question.data.mapValues(hex)
            let input = try ApplicationCryptogram.Input { objects[$0.description] }
            let master = try version.masterKey(
                issuerMasterKey: SensitiveBytes(hex(question.key)), pan: CryptogramFixture.pan(question.pan),
                panSequenceNumber: UInt8(question.psn))
            #expect(text(try ApplicationCryptogram.compute(input, masterKey: master)) == answer.cryptogram)
            let context = IssuerAuthenticationData.Context(
                version: version, atc: input.atc, unpredictableNumber: input.unpredictableNumber,
                arqc: hex(answer.cryptogram))
            let made = try IssuerAuthenticationData.make(
                context, responseCode: hex(question.code), cardStatusUpdate: update, masterKey: master)
            #expect(text(made) == answer.proof)
            var proof = hex(answer.proof)
            #expect(
                try IssuerAuthenticationData.verify(proof, context, masterKey: master)
                    == (version == .cvn10 ? .responseCode(hex(question.code)) : .cardStatusUpdate(update)))
            proof[Int(input.atc) % proof.count] ^= 1 << UInt8(input.atc % 8)
            #expect(try IssuerAuthenticationData.verify(proof, context, masterKey: master) == nil)
        }
    }

    /// Library cards, one for each cryptogram version, with application and PAN.
    private static let cards: [(CryptogramVersion, String)] = [
        (.cvn10, "online-pin"), (.cvn18, "visa-credit"), (.mChip, "mastercard-credit"),
        (.mChipCommonSessionKey, "mastercard-format-one"), (.mChipEMV2000, "mastercard-emv2000"), (.aes, "aes-card"),
    ]

    // EMV Book 2 §8.2: a card accepts the issuer of another program, and refuses a wrong answer of it
    @Test(arguments: cards, [true, false])
    func `a library card hears pyemv's issuer`(card: (version: CryptogramVersion, name: String), isRight: Bool) throws {
        let (version, name) = card
        let profile = try CardProfileLibrary.profile(name)
        let application = try #require(profile.applications.first)
        #expect(application.cryptogram == version)
        let card = try CardUnderTest(profile)
        try card.begin(text(application.aid))
        var values = CryptogramFixture.dataObjects(
            IssuerApplicationData(
                version: version, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc)))
        func filled(_ list: CardDataObjectList) -> [UInt8] {
            list.entries.flatMap { values[$0.tag] ?? [UInt8](repeating: 0, count: $0.length) }
        }
        let arqc = try card.generateAC(0x80, filled(application.cdol1))
        #expect(arqc.information == 0x80)
        (values[0x82], values[0x9F36], values[0x9F10]) = (
            application.interchangeProfile, arqc.atc, arqc.issuerData
        )
        let key = try TestKeys.embedded().withMasterKeys(version.cipher) {
            CryptogramFixture.revealed($0.applicationCryptogram)
        }
        let pan = application.pan.copy().map { String($0) }.joined()
        let answer = try #require(
            try ask([
                question(
                    version, key: key, pan: pan, psn: String(format: "%02d", application.panSequenceNumber ?? 0),
                    data: values, update: CardStatusUpdate(approves: true))
            ]).first)
        #expect(answer.cryptogram == text(arqc.value))

        var proof = hex(answer.proof)
        if !isRight { proof[0] ^= 1 }
        (values[0x8A], values[0x91]) = (Array("00".utf8), proof)
        if application.externalAuthenticate {
            let status = try card.send(hex("00820000") + [UInt8(proof.count)] + proof).status
            #expect((status == .success) == isRight)
        }
        let final = try card.generateAC(0x40, filled(application.cdol2))
        #expect(final.information == (isRight ? 0x40 : 0x03))
    }
}
