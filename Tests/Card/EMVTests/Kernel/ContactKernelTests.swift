import CardSecrets
import EMV
import Money
import SmartCard
import Testing

/// Whole transactions, with the TVR and TSI that a host would see.
struct ContactKernelTests {
    private func expect(
        _ outcome: KernelOutcome, _ decision: TransactionDecision, tvr: String, tsi: String, arc: String?,
        reversal: Bool = false, sent: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.decision == decision, sourceLocation: sourceLocation)
        #expect(outcome.verificationResults.description == tvr, sourceLocation: sourceLocation)
        #expect(outcome.statusInformation.description == tsi, sourceLocation: sourceLocation)
        #expect(outcome.responseCode?.description == arc, sourceLocation: sourceLocation)
        #expect(outcome.isReversalRequired == reversal, sourceLocation: sourceLocation)
        #expect(outcome.wasSentOnline == sent, sourceLocation: sourceLocation)
    }

    /// A terminal and a card that leave a payment below the floor limit to themselves.
    private func offlineKernel(type: UInt8 = 0x22, codes: ActionCodes? = nil) throws -> TestKernel {
        TestKernel(terminal: try TestKernel.terminal(type: type, floorLimit: 10_000, actionCodes: codes))
    }

    // EMV Book 3 §10.9: issuer authentication data go to the card with EXTERNAL AUTHENTICATE when its AIP says so
    // EMV Book 3 §10.11: a TC is asked for when the issuer approved
    // EMV Book 3 §6.5.5.4: the answer to GENERATE AC comes in format 1 or format 2
    @Test(arguments: [false, true])
    func `issuer and card approve`(format2: Bool) async throws {
        var profile = TestCard.Profile.standard()
        profile.usesFormat2 = format2
        let card = TestCard(profile)
        let kernel = TestKernel(issuer: TestIssuer(code: "00", authenticationData: bytes("11223344556677883030")))
        let outcome = try await kernel.run(card)
        expect(outcome, .approvedOnline, tvr: "8000008000", tsi: "7800", arc: "00", sent: true)
        #expect(outcome.authorizationCode == "123456")
        #expect(outcome.cryptogram?.type == .tc)
        #expect(outcome.cryptogram?.value == [UInt8](repeating: 0xA2, count: 8))
        #expect(outcome.cryptogram?.counter == 42)
        #expect(outcome.cryptogram?.issuerApplicationData == bytes("06010A03A00000"))
        #expect(outcome.pan?.description == "************0010")
        #expect(outcome.panSequenceNumber == 1)
        #expect(outcome.application?.brand == .visa)
        #expect(outcome.application?.label == "VISA")
        #expect(outcome.cardholderVerification == .noCVMRequired)
        #expect(card.commands(0xAE).map(\.p1) == [0x80, 0x40])
        #expect(card.commands(0x82).map { $0.data.hexText } == ["11223344556677883030"])
    }

    // EMV Book 3 §9.2.1: CDOL1 and CDOL2 say which data go with the first and the second GENERATE AC
    @Test func `the card gets the data of its lists`() async throws {
        let card = TestCard(.standard())
        let outcome = try await TestKernel(issuer: TestIssuer(code: "00")).run(card)
        let number = try #require(outcome.unpredictableNumber).hexText
        let generate = card.commands(0xAE)
        #expect(
            generate.first?.data.hexText == "000000001250" + "000000000000" + "0840" + "8000008000" + "0840" + "260102"
                + "00" + number + "1F0002")
        #expect(generate.last?.data.hexText == "3030" + "8000008000" + "6800" + number)
    }

    // EMV Book 4 §12.1: the authorization request carries the cryptogram with the data that it was made over
    @Test func `the issuer gets the ICC data of the request, and no account in it`() async throws {
        let kernel = TestKernel()
        _ = try await kernel.run(TestCard(.standard()))
        let seen = try #require(kernel.issuer.requests.first)
        #expect(
            seen.iccData.map(\.tag) == [
                0x9F26, 0x9F27, 0x9F10, 0x9F37, 0x9F36, 0x95, 0x9A, 0x9C, 0x9F02, 0x5F2A, 0x82, 0x9F1A, 0x9F03, 0x9F33,
                0x9F34, 0x9F35, 0x9F1E, 0x84, 0x9F09, 0x9F41, 0x9F06, 0x5F34,
            ])
        #expect(seen.iccData.first(0x9F27)?.value == [0x80])
        #expect(seen.iccData.first(0x82)?.value == bytes("1C00"))
        #expect(seen.iccData.first(0x9F41)?.value == bytes("00000007"))
        #expect(seen.lastFour == "0010")
        #expect(seen.expiry == bytes("3112"))
        #expect(seen.hasTrackTwo)
        #expect(seen.panSequenceNumber == 1)
    }

    // EMV Book 3 §8.2: the functions of a transaction come in their order
    @Test func `the states are in the order of the specification`() async throws {
        let states = Recorder<KernelState>()
        let kernel = TestKernel(
            issuer: TestIssuer(
                code: "00", authenticationData: bytes("1122334455667788"), before: [tlv(0x86, "8424000000")],
                after: [tlv(0x86, "8424000000")]))
        _ = try await kernel.run(TestCard(.standard())) { states.record($0) }
        #expect(
            states.values == [
                .selectingApplication, .initiatingApplication(aid: TestCard.Profile.visa), .readingApplicationData,
                .offlineDataAuthentication, .processingRestrictions, .cardholderVerification, .terminalRiskManagement,
                .terminalActionAnalysis(.arqc), .cardActionAnalysis, .online, .issuerAuthentication,
                .issuerScripts(beforeFinalCryptogram: true), .completion(.tc),
                .issuerScripts(beforeFinalCryptogram: false), .ended(.approvedOnline),
            ])
    }

    // EMV Book 3 §10.11: an AAC is asked for when the issuer declined
    @Test func `the issuer declines`() async throws {
        let card = TestCard(.standard())
        let outcome = try await TestKernel(issuer: TestIssuer(code: "51")).run(card)
        expect(outcome, .declinedOnline, tvr: "8000008000", tsi: "6800", arc: "51", sent: true)
        #expect(outcome.authorizationCode == nil)
        #expect(card.commands(0xAE).map(\.p1) == [0x80, 0x00])
    }

    @Test(arguments: ["01", "02"])
    func `the issuer responds with a referral`(code: String) async throws {
        let card = TestCard(.standard())
        let outcome = try await TestKernel(issuer: TestIssuer(code: code)).run(card)
        expect(outcome, .referred, tvr: "8000008000", tsi: "6800", arc: code, sent: true)
        #expect(card.commands(0xAE).map(\.p1) == [0x80, 0x00])
    }

    // EMV Book 3 §10.8: a TC in answer to the first GENERATE AC approves the payment offline
    // EMV Book 4 annex A6: an offline approval has response code Y1
    @Test func `the card approves offline`() async throws {
        let card = TestCard(.standard(TestKernel.permissiveIssuer))
        let kernel = try offlineKernel()
        let outcome = try await kernel.run(card)
        expect(outcome, .approvedOffline, tvr: "8000000000", tsi: "6800", arc: "Y1", sent: false)
        #expect(outcome.cryptogram?.type == .tc)
        #expect(kernel.issuer.requests.isEmpty)
        #expect(card.commands(0xAE).map(\.p1) == [0x40])
    }

    // EMV Book 3 §10.7: a match with the denial codes asks the card for an AAC
    // EMV Book 4 annex A6: an offline decline has response code Z1
    @Test func `the terminal declines offline`() async throws {
        let codes = ActionCodes(denial: .offlineDataAuthenticationNotPerformed, online: [], default: [])
        let card = TestCard(.standard(TestKernel.permissiveIssuer))
        let outcome = try await offlineKernel(codes: codes).run(card)
        expect(outcome, .declinedOffline, tvr: "8000000000", tsi: "6800", arc: "Z1", sent: false)
        #expect(card.commands(0xAE).map(\.p1) == [0x00])
    }

    // EMV Book 3 §10.8: a card may decline what the terminal would send online
    // EMV Book 3 §10.8: the card can ask for an advice
    @Test func `the card declines instead of going online, and requests an advice`() async throws {
        var profile = TestCard.Profile.standard()
        profile.first = { _ in 0x0A }
        let outcome = try await TestKernel().run(TestCard(profile))
        expect(outcome, .declinedByCard, tvr: "8000008000", tsi: "6800", arc: "Z1", sent: false)
        #expect(outcome.isAdviceRequired)
        #expect(outcome.cryptogram?.information.reason == .pinTryLimitExceeded)
    }

    // EMV Book 3 §10.8: a card that answers higher than it was asked ends the transaction
    @Test func `a card that returns a higher cryptogram than requested ends the transaction`() async throws {
        var profile = TestCard.Profile.standard()
        profile.first = { _ in 0x40 }
        #expect(
            try await TestKernel().run(TestCard(profile)).decision
                == .terminated(.cryptogramNotAsked(requested: .arqc, received: .tc)))
    }

    @Test func `the card declines after the issuer's approval, and the authorization must be reversed`() async throws {
        var profile = TestCard.Profile.standard()
        profile.second = { _ in 0x00 }
        let outcome = try await TestKernel().run(TestCard(profile))
        expect(outcome, .declinedByCard, tvr: "8000008000", tsi: "6800", arc: "00", reversal: true, sent: true)
    }

    // EMV Book 3 §10.9: the card hears in CDOL2 that issuer authentication failed
    @Test func `the card rejects the issuer's response`() async throws {
        var profile = TestCard.Profile.standard()
        profile.externalAuthenticate = .authenticationFailed
        profile.second = { _ in 0x03 }
        let card = TestCard(profile)
        let outcome = try await TestKernel(
            issuer: TestIssuer(code: "00", authenticationData: bytes("1122334455667788"))
        ).run(card)
        expect(outcome, .declinedByCard, tvr: "8000008040", tsi: "7800", arc: "00", reversal: true, sent: true)
        #expect(card.commands(0xAE).last?.data.hexText.hasPrefix("303080000080407800") == true)
    }

    // EMV Book 3 §10.9: issuer authentication data that cannot go to the card count as failed, and the TSI bit stays
    // clear
    @Test func `invalid issuer authentication data is not sent and counts as failed`() async throws {
        let card = TestCard(.standard())
        let outcome = try await TestKernel(issuer: TestIssuer(code: "00", authenticationData: [1, 2, 3])).run(card)
        expect(outcome, .approvedOnline, tvr: "8000008040", tsi: "6800", arc: "00", sent: true)
        #expect(card.commands(0x82).isEmpty)
    }

    // EMV Book 3 §10.9: a card whose AIP does not ask for EXTERNAL AUTHENTICATE gets the data in CDOL2
    @Test func `a card that takes issuer authentication in CDOL2 gets it there`() async throws {
        var profile = TestCard.Profile.standard()
        profile.aip = bytes("1800")
        profile.records[1] =
            tlv(0x8C, TestCard.Profile.cdol1.hexText) + tlv(0x8D, "910A8A02")
            + tlv(
                0x8E, "00000000000000001F00")
        let card = TestCard(profile)
        let outcome = try await TestKernel(
            issuer: TestIssuer(code: "00", authenticationData: bytes("11223344556677883030"))
        ).run(card)
        expect(outcome, .approvedOnline, tvr: "8000008000", tsi: "6800", arc: "00", sent: true)
        #expect(card.commands(0x82).isEmpty)
        #expect(card.commands(0xAE).last?.data.hexText == "112233445566778830303030")
    }

    // EMV Book 3 §10.10: template 71 goes to the card before the second GENERATE AC and template 72 after it
    // EMV Book 4 §6.3.9: the results of all scripts are kept for the acquirer in the order of the scripts
    @Test func `scripts go to the card before and after the second cryptogram`() async throws {
        var profile = TestCard.Profile.standard()
        profile.scripts = [0x24: StatusWord(0x6A, 0x80), 0x18: StatusWord(0x62, 0x00)]
        let card = TestCard(profile)
        let issuer = TestIssuer(
            code: "00",
            before: [tlv(0x9F18, "AABBCCDD") + tlv(0x86, "8418000000") + tlv(0x86, "841E000000")],
            after: [tlv(0x86, "841E000000") + tlv(0x86, "8424000000") + tlv(0x86, "84DA000000"), bytes("8605")])
        let outcome = try await TestKernel(issuer: issuer).run(card)
        expect(outcome, .approvedOnline, tvr: "8000008010", tsi: "6C00", arc: "00", sent: true)
        #expect(outcome.scriptResults.map { $0.bytes.hexText } == ["20AABBCCDD", "1200000000", "0000000000"])
        #expect(outcome.scriptResults.map(\.isBeforeFinalCryptogram) == [true, false, false])
        #expect(outcome.scriptResults.map(\.statuses.count) == [2, 2, 0])
        #expect(outcome.iccData.first(0x9F5B)?.value.hexText == "20AABBCCDD" + "1200000000" + "0000000000")
        let order = card.commands.map(\.ins).filter { [0xAE, 0x18, 0x1E, 0x24, 0xDA].contains($0) }
        #expect(order == [0xAE, 0x18, 0x1E, 0xAE, 0x1E, 0x24])
    }

    // EMV Book 3 annex E: a script that fails before the second GENERATE AC shows in the TVR and TSI of CDOL2
    @Test func `a script that fails before the second cryptogram shows in the card's data`() async throws {
        var profile = TestCard.Profile.standard()
        profile.scripts = [0x24: StatusWord(0x69, 0x82)]
        let card = TestCard(profile)
        let outcome = try await TestKernel(issuer: TestIssuer(code: "00", before: [tlv(0x86, "8424000000")])).run(card)
        expect(outcome, .approvedOnline, tvr: "8000008020", tsi: "6C00", arc: "00", sent: true)
        #expect(card.commands(0xAE).last?.data.hexText.hasPrefix("303080000080206C00") == true)
    }

    // EMV Book 3 §10.7: when the issuer cannot be reached a match with the default codes declines
    // EMV Book 4 annex A6: a decline without the issuer has response code Z3
    @Test func `the issuer cannot be reached, and the defaults decline`() async throws {
        let card = TestCard(.standard())
        let outcome = try await TestKernel(issuer: TestIssuer(.unableToGoOnline)).run(card)
        expect(outcome, .declinedOffline, tvr: "8000008000", tsi: "6800", arc: "Z3", sent: true)
        #expect(card.commands(0xAE).map(\.p1) == [0x80, 0x00])
    }

    // EMV Book 3 §10.7: when the issuer cannot be reached and no default code matches, a TC is asked for
    // EMV Book 4 annex A6: an approval without the issuer has response code Y3, which goes into CDOL2
    @Test func `the issuer cannot be reached, and the defaults approve`() async throws {
        let codes = ActionCodes(denial: [], online: .offlineDataAuthenticationNotPerformed, default: [])
        var kernel = try offlineKernel(codes: codes)
        kernel.issuer = TestIssuer(.unableToGoOnline)
        let card = TestCard(.standard(TestKernel.permissiveIssuer))
        let outcome = try await kernel.run(card)
        expect(outcome, .approvedOffline, tvr: "8000000000", tsi: "6800", arc: "Y3", sent: true)
        #expect(card.commands(0xAE).map(\.p1) == [0x80, 0x40])
        #expect(card.commands(0xAE).last?.data.hexText.hasPrefix("5933") == true)
    }

    // EMV Book 3 §10.9: a terminal that cannot go online completes an ARQC as one without a response
    @Test func `an offline-only terminal does not ask, and completes with the defaults`() async throws {
        var profile = TestCard.Profile.standard(TestKernel.permissiveIssuer)
        profile.first = { _ in 0x80 }
        let kernel = try offlineKernel(type: 0x23)
        let outcome = try await kernel.run(TestCard(profile))
        expect(outcome, .approvedOffline, tvr: "8000000000", tsi: "6800", arc: "Y3", sent: false)
        #expect(kernel.issuer.requests.isEmpty)
    }

    @Test func `a response without a response code is reversed`() async throws {
        let outcome = try await TestKernel(issuer: TestIssuer(code: "")).run(TestCard(.standard()))
        expect(outcome, .declinedOffline, tvr: "8000008000", tsi: "6800", arc: "Z3", reversal: true, sent: true)
    }

    // EMV Book 4 §6.3.5: a card on the exception file sets its TVR bit
    // EMV Book 3 §10.6.1: payments before with the same card count towards the floor limit
    // EMV Book 4 §6.5: a payment that the merchant forces online sets its TVR bit
    @Test func `forced online, the exception file and split sales set their bits`() async throws {
        struct History: CardHistory {
            func isOnExceptionFile(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) async -> Bool {
                pan.lastFour == "0010"
            }
            func recentAmount(
                _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, currency: Currency
            ) async -> Int64 { 9_000 }
        }
        var kernel = try offlineKernel()
        kernel.history = History()
        let outcome = try await kernel.run(
            TestCard(.standard(TestKernel.permissiveIssuer)), try TestKernel.request(forcedOnline: true))
        #expect(outcome.verificationResults.description == "9000008800")
    }

    // EMV Book 3 §10.6.3: the card's counters are compared with both of its limits, and counters that cannot be read
    // count as exceeded
    @Test func `velocity is checked with the card's counters`() async throws {
        var profile = TestCard.Profile.standard(TestKernel.permissiveIssuer, tlv(0x9F14, "03"), tlv(0x9F23, "05"))
        profile.data = [0x9F36: bytes("000E"), 0x9F13: bytes("000A")]
        #expect(try await offlineKernel().run(TestCard(profile)).verificationResults.description == "8000004000")
        profile.data = [:]
        #expect(try await offlineKernel().run(TestCard(profile)).verificationResults.description == "8000006000")
    }

    // EMV Book 3 §10.6: terminal risk management is left out when the AIP does not ask for it
    @Test func `without the AIP bit terminal risk management is skipped`() async throws {
        var profile = TestCard.Profile.standard()
        profile.aip = bytes("1000")
        let outcome = try await TestKernel().run(TestCard(profile))
        expect(outcome, .approvedOnline, tvr: "8000000000", tsi: "6000", arc: "00", sent: true)
    }

    // EMV Book 3 §9.2.2: the TC hash is made over the default TDOL when the card has none, and the TVR says so
    @Test func `the TC hash uses the default list, and the TVR shows it`() async throws {
        var profile = TestCard.Profile.standard()
        profile.records[1] =
            tlv(0x8C, "9814 9505") + tlv(0x8D, TestCard.Profile.cdol2.hexText)
            + tlv(0x8E, "00000000000000001F00")
        let card = TestCard(profile)
        let kernel = TestKernel(terminal: try TestKernel.terminal(defaultTDOL: bytes("9C01")))
        let outcome = try await kernel.run(card)
        #expect(outcome.verificationResults.description == "8000008080")
        // SHA-1 of one zero byte.
        #expect(
            card.commands(0xAE).first?.data.hexText == "5BA93C9DB0CFF93F52B521D7420E43F6EDA2784F" + "8000008080")
    }

    // EMV Book 3 §10.4: the processing restrictions set their bits of the TVR
    @Test(arguments: [
        ("250101", "0040"), ("311231", "0000"),
    ])
    func `restrictions go into the TVR`(expiry: String, byte2: String) async throws {
        var profile = TestCard.Profile.standard(tlv(0x9F07, "FF00"), tlv(0x9F08, "0096"))
        profile.records[0] = tlv(0x5A, TestCard.Profile.pan) + tlv(0x5F24, expiry)
        let outcome = try await TestKernel().run(TestCard(profile))
        #expect(outcome.verificationResults.description == "80\(byte2.suffix(2))008000")
    }

    @Test func `an invalid request is rejected before any card command`() async throws {
        let card = TestCard(.standard())
        let outcome = try await TestKernel().run(card, try TestKernel.request(100, cashback: 200))
        #expect(outcome.decision == .terminated(.request(.cashback)))
        #expect(card.commands.isEmpty)
    }
}
