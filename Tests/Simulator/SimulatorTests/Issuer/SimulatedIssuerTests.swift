import CardSecrets
import Cryptography
import Determinism
import EMV
import Hardware
import Money
import Payments
import Simulator
import SmartCard
import Testing

struct SimulatedIssuerTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    // EMV Book 2 §8.2: the issuer answers a genuine cryptogram with a proof that the card can check
    @Test(arguments: CryptogramVersion.allCases)
    func `a genuine card is approved and authenticates its issuer`(version: CryptogramVersion) async throws {
        let issuer = try fixture.issuer()
        let request = try fixture.request("a", version: version)
        let response = try await issuer.authorize(request)
        #expect(response.responseCode == "00")
        #expect(response.isApproved)
        #expect(response.reference == "000000000001")
        #expect(response.answer.authorizationCode?.utf8.count == 6)
        let data = try #require(response.answer.issuerAuthenticationData)
        let master = try fixture.masterKey(version) { $0.applicationCryptogram.duplicate() }
        let content = try IssuerAuthenticationData.verify(data, fixture.context(request, version), masterKey: master)
        switch version {
        case .cvn10: #expect(content == .responseCode(Array("00".utf8)))
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000: #expect(data.suffix(2) == [0x00, 0x12])
        case .cvn18, .aes: #expect(content == .cardStatusUpdate(CardStatusUpdate(approves: true)))
        }
        #expect(try await fixture.spent(issuer) == 1250)
    }

    // EMV Book 2 §8.1: a cryptogram over other data is not accepted by the issuer
    @Test(arguments: CryptogramVersion.allCases)
    func `a wrong cryptogram is declined without an ARPC`(version: CryptogramVersion) async throws {
        let issuer = try fixture.issuer()
        for tag: BERTag in [0x9F26, 0x9F02, 0x95, 0x9F37, 0x82] {
            let response = try await issuer.authorize(
                try fixture.request("wrong \(tag)", version: version) { $0[tag]?[0] ^= 0x40 })
            #expect(response.responseCode == "88")
            #expect(response.answer.issuerAuthenticationData == nil)
            #expect(response.answer.authorizationCode == nil)
        }
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test(arguments: [0x9F26, 0x9F10, 0x9F36, 0x9F37, 0x95] as [BERTag])
    func `data that is insufficient for the cryptogram is declined`(tag: BERTag) async throws {
        let issuer = try fixture.issuer()
        let response = try await issuer.authorize(try fixture.request("a") { $0[tag] = nil })
        #expect(response.responseCode == "88")
    }

    @Test(arguments: [
        ("0000A08000", "75"), ("0000888000", "70"), ("0000808000", "55"), ("0000208000", "00"), ("0000048000", "00"),
    ])
    func `a payment without successful cardholder verification is declined`(results: String, code: String) async throws
    {
        let issuer = try fixture.issuer()
        let response = try await issuer.authorize(try fixture.request("a", verificationResults: results))
        #expect(response.responseCode == code)
    }

    @Test func `the cryptogram of another card is declined`() async throws {
        let issuer = try fixture.issuer()
        let other = try fixture.request("a", pan: "4761739001010036")
        let stolen = other.card.chipData.first(0x9F26)?.value
        let response = try await issuer.authorize(try fixture.request("b") { $0[0x9F26] = stolen })
        #expect(response.responseCode == "88")
    }

    @Test func `a card of another issuer is unknown`() async throws {
        let response = try await fixture.issuer().authorize(try fixture.request("a", pan: "4761739001010036"))
        #expect(response.responseCode == "14")
    }

    @Test func `a repeated cryptogram with another key is a replay`() async throws {
        let issuer = try fixture.issuer()
        #expect(try await issuer.authorize(try fixture.request("a")).isApproved)
        #expect(try await issuer.authorize(try fixture.request("b")).responseCode == "88")
        #expect(try await issuer.authorize(try fixture.request("c", atc: 2)).isApproved)
        #expect(try await fixture.spent(issuer) == 2500)
    }

    @Test func `the transaction counter must increase if the account requires it`() async throws {
        let issuer = try fixture.issuer(try fixture.account { $0.requiresRisingCounter = true })
        #expect(try await issuer.authorize(try fixture.request("a", atc: 5)).isApproved)
        #expect(try await issuer.authorize(try fixture.request("b", atc: 4)).responseCode == "88")
        #expect(try await issuer.authorize(try fixture.request("c", atc: 6)).isApproved)
    }

    @Test func `the account's response code is returned with an ARPC`() async throws {
        let issuer = try fixture.issuer(try fixture.account { $0.responseCode = "43" })
        let request = try fixture.request("a")
        let response = try await issuer.authorize(request)
        #expect(response.responseCode == "43")
        let data = try #require(response.answer.issuerAuthenticationData)
        let master = try fixture.masterKey(.cvn10) { $0.applicationCryptogram.duplicate() }
        #expect(
            try IssuerAuthenticationData.verify(data, fixture.context(request, .cvn10), masterKey: master)
                == .responseCode(Array("43".utf8)))
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test func `an account is not overdrawn, and a reversal restores its funds`() async throws {
        let issuer = try fixture.issuer(try fixture.account { $0.available = try fixture.dollars("20.00") })
        #expect(try await issuer.authorize(try fixture.request("a", "12.50", atc: 1)).isApproved)
        #expect(try await issuer.authorize(try fixture.request("b", "7.51", atc: 2)).responseCode == "51")
        #expect(try await issuer.authorize(try fixture.request("c", "7.50", atc: 3)).isApproved)
        try await issuer.reverse(try fixture.reversal("a"))
        #expect(try await issuer.authorize(try fixture.request("d", "12.50", atc: 4)).isApproved)
        #expect(try await fixture.spent(issuer) == 2000)
    }

    @Test(arguments: [
        ("JPY", "20", "20.00", "20.01"), ("EUR", "0.50", "0.50", "12.50"), ("KWD", "0.505", "0.50", "0.51"),
    ])
    func `an account of another currency is not overdrawn, either`(
        currency: String, available: String, enough: String, more: String
    ) async throws {
        let issuer = try fixture.issuer(
            try fixture.account { $0.available = try Money(available, currency: Currency(code: currency)) })
        #expect(try await issuer.authorize(try fixture.request("a", more, atc: 1)).responseCode == "51")
        #expect(try await issuer.authorize(try fixture.request("b", enough, atc: 2)).isApproved)
    }

    @Test func `an amount over the limit is declined`() async throws {
        let issuer = try fixture.issuer(try fixture.account { $0.largestAmount = try fixture.dollars("10.00") })
        #expect(try await issuer.authorize(try fixture.request("a", "10.00", atc: 1)).isApproved)
        #expect(try await issuer.authorize(try fixture.request("b", "10.01", atc: 2)).responseCode == "61")
    }

    @Test func `a card is valid through its last month`() async throws {
        let issuer = try fixture.issuer()
        #expect(try await issuer.authorize(try fixture.request("a", atc: 1, expiry: [0x26, 0x11])).isApproved)
        #expect(
            try await issuer.authorize(try fixture.request("b", atc: 2, expiry: [0x26, 0x10])).responseCode == "54")
        #expect(try await issuer.authorize(try fixture.request("c", atc: 3, expiry: [])).responseCode == "54")
    }

    @Test func `the PIN is checked with both kinds of keys`() async throws {
        let issuer = try fixture.issuer(try fixture.account(pin: [1, 2, 3, 4]))
        let blocks = try [fixture.tripleDESBlock([1, 2, 3, 4]), fixture.aesBlock([1, 2, 3, 4])]
        for (index, block) in blocks.enumerated() {
            let request = try fixture.request("right \(index)", atc: UInt16(index + 1), pinBlock: block)
            #expect(try await issuer.authorize(request).isApproved)
        }
        for (index, block) in try [fixture.tripleDESBlock([1, 2, 3, 5]), fixture.aesBlock([1, 2, 3, 5])].enumerated() {
            let request = try fixture.request("wrong \(index)", atc: UInt16(index + 10), pinBlock: block)
            #expect(try await issuer.authorize(request).responseCode == "55")
        }
    }

    @Test func `after three wrong PINs the correct one is declined too`() async throws {
        let issuer = try fixture.issuer(try fixture.account(pin: [1, 2, 3, 4]))
        for (attempt, code) in ["55", "55", "55", "75", "75"].enumerated() {
            let pin: [UInt8] = attempt == 4 ? [1, 2, 3, 4] : [9, 9, 9, 9]
            let request = try fixture.request(
                "\(attempt)", atc: UInt16(attempt + 1), pinBlock: try fixture.tripleDESBlock(pin))
            #expect(try await issuer.authorize(request).responseCode == code)
        }
    }

    @Test func `a correct PIN resets the count of wrong ones`() async throws {
        let issuer = try fixture.issuer(try fixture.account(pin: [1, 2, 3, 4]))
        for (attempt, isRight) in [false, false, true, false, false, true].enumerated() {
            let block = try fixture.tripleDESBlock(isRight ? [1, 2, 3, 4] : [4, 3, 2, 1])
            let response = try await issuer.authorize(
                try fixture.request("\(attempt)", atc: UInt16(attempt + 1), pinBlock: block))
            #expect(response.responseCode == (isRight ? "00" : "55"))
        }
    }

    @Test func `an invalid PIN block counts as a wrong PIN`() async throws {
        let issuer = try fixture.issuer(try fixture.account(pin: [1, 2, 3, 4]))
        for (index, block) in [
            EncipheredPINBlock(block: [], keySerialNumber: []),
            EncipheredPINBlock(block: [1, 2, 3], keySerialNumber: fixture.keys.tripleDESKeySerialNumber.bytes),
            EncipheredPINBlock(block: [1], keySerialNumber: try fixture.keys.aesKeySerialNumber.next().bytes),
        ].enumerated() {
            let request = try fixture.request("\(index)", atc: UInt16(index + 1), pinBlock: block)
            #expect(try await issuer.authorize(request).responseCode == "55")
        }
    }

    // EMV Book 2 §9.2.3: the commands of the issuer's scripts carry MACs for this transaction
    // EMV Book 3 §10.10: scripts are templates 71 and 72 with an identifier and commands
    @Test func `scripts are sent once, with valid MACs`() async throws {
        let account = try fixture.account {
            $0.scripts = [
                IssuerScriptCommand(.blockApplication, comesBeforeFinal: true),
                IssuerScriptCommand(.putData(0x9F14, [5])), IssuerScriptCommand(.unblockPIN),
            ]
        }
        let issuer = try fixture.issuer(account)
        let request = try fixture.request("a", version: .cvn18)
        let answer = try await issuer.authorize(request).answer
        let before = try BERTLV.parse(try #require(answer.scriptsBeforeFinal.first))
        #expect(before.map(\.tag) == [0x9F18, 0x86])
        let after = try BERTLV.parse(try #require(answer.scriptsAfterFinal.first))
        #expect(after.map(\.tag) == [0x9F18, 0x86, 0x86])
        let context = fixture.context(request, .cvn18)
        let master = try fixture.masterKey(.cvn18) { $0.scriptMAC.duplicate() }
        for command in (before + after).filter({ $0.tag == 0x86 }).map(\.value) {
            let expected = try ScriptMAC.compute(
                header: Array(command.prefix(5)), data: Array(command[5...].dropLast(8)), atc: context.atc,
                applicationCryptogram: context.arqc, version: .cvn18, masterKey: master)
            #expect(Array(command.suffix(8)) == expected)
            #expect(Int(command[4]) == command.count - 5)
        }
        #expect(Array(after[1].value.prefix(6)) == [0x84, 0xDA, 0x9F, 0x14, 9, 5])
        let next = try await issuer.authorize(try fixture.request("b", version: .cvn18, atc: 2)).answer
        #expect(next.scriptsBeforeFinal.isEmpty && next.scriptsAfterFinal.isEmpty)
    }

    @Test func `the same seed creates the same authorization codes`() async throws {
        var codes: [String?] = []
        for _ in 0..<2 {
            let response = try await fixture.issuer().authorize(try fixture.request("a"))
            codes.append(response.answer.authorizationCode)
        }
        #expect(codes[0] == codes[1])
    }
}
