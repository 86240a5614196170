import Cryptography
import Determinism
import EMV
import SmartCard
import Testing

/// XDA with cards that really sign.
struct ExtendedAuthenticationTests {
    typealias Fixture = ExtendedFixture

    /// TVR byte 1 bit 1, XDA selected, and one of the three bits for its failures.
    static let (selected, keyMissing, recoveryFailed, signatureFailed) = (
        "0100000000", "0100000004", "0100000002", "0100000100"
    )

    private func p1(_ card: TestCard) -> [UInt8] { card.commands(0xAE).map(\.p1) }

    // EMV Book 2 §12.5.3: a valid signature passes XDA on both curves
    // EMV Book 3 §10.3: the TVR says that XDA was selected, and the TSI that it was performed
    @Test(arguments: CertificateSuite.allCases)
    func `XDA passes and the terminal approves`(suite: CertificateSuite) async throws {
        let fixture = try Fixture(suite)
        let card = TestCard(try fixture.profile())
        let outcome = try await ExtendedTill(fixture).run(card)
        #expect(outcome.decision == .approvedOffline)
        #expect(outcome.verificationResults.description == Self.selected)
        #expect(outcome.statusInformation.description == "E800")
        #expect(outcome.offlineAuthentication.method == .xda && outcome.offlineAuthentication.result == .passed)
        #expect(outcome.cryptogram?.value == [UInt8](repeating: 0xA1, count: 8))
        #expect(p1(card) == [0x48])
    }

    // EMV Book 2 §12.5.2: the first signature covers the PDOL and CDOL1 data, the second the CDOL2 data
    // EMV Book 3 §10.3: the PDOL is part of what the issuer certified
    @Test func `a payment that goes online is signed twice`() async throws {
        var fixture = try Fixture()
        fixture.pdol = bytes("9F3303 9F3704")
        fixture.certified += BERTLV.encode(0x9F38, bytes("9F3303 9F3704"))
        let card = TestCard(try fixture.profile())
        let till = try ExtendedTill(fixture, floorLimit: 0, actionCodes: Self.online)
        let outcome = try await till.run(card)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.offlineAuthentication.result == .passed)
        #expect(outcome.verificationResults.description == "0100008000")
        #expect(p1(card) == [0x88, 0x48])
        #expect(outcome.cryptogram?.value == [UInt8](repeating: 0xA2, count: 8))
    }

    // EMV Book 3 §10.3: XDA goes before CDA, DDA, and SDA, if card and terminal have it
    @Test(
        arguments: [
            ("FD00", "20F8CC", .xda), ("FD00", "20F8C8", .cda), ("7D00", "20F8CC", .cda), ("FC00", "20F8C4", .xda),
            ("FC00", "20F8C0", .dda), ("DC00", "20F880", .sda), ("9C00", "20F8C8", .none), ("9C00", "20F804", .xda),
        ] as [(String, String, OfflineAuthenticationMethod)])
    func `the strongest common method is chosen`(
        aip: String, capabilities: String, method: OfflineAuthenticationMethod
    ) async throws {
        let fixture = try Fixture()
        var profile = try fixture.profile()
        profile.aip = bytes(aip)
        let outcome = try await ExtendedTill(fixture, capabilities: capabilities).run(TestCard(profile))
        #expect(outcome.offlineAuthentication.method == method)
        #expect(outcome.verificationResults.contains(.xdaSelected) == (method == .xda))
        #expect(outcome.verificationResults.contains(.offlineDataAuthenticationNotPerformed) == (method == .none))
    }

    /// The floor limit is exceeded, and that goes online.
    static let online = ActionCodes(denial: [], online: [.floorLimitExceeded], default: [])

    // EMV Book 2 §12.2: without the authority's key, or its index, XDA has failed before the first GENERATE AC
    // EMV Book 4 §6.3.2.2.1: the bit is set before terminal action analysis, so it can decline at once
    @Test func `a key that the terminal has not is a bit before the first cryptogram`() async throws {
        let fixture = try Fixture()
        let online = try ExtendedTill(fixture, keys: [])
        let card = TestCard(try fixture.profile())
        let outcome = try await online.run(card)
        #expect(outcome.verificationResults.description == Self.keyMissing)
        #expect(outcome.offlineAuthentication.reason == .authorityKeyMissing(rid: Fixture.rid, index: 7))
        #expect(outcome.decision == .approvedOnline && p1(card) == [0x48])
        #expect(online.kernel.issuer.requests.first?.iccData.first(0x95)?.value == bytes(Self.keyMissing))
        let codes = ActionCodes(denial: [.certificationAuthorityECCKeyMissing], online: [], default: [])
        let refused = TestCard(try fixture.profile())
        let declined = try await ExtendedTill(fixture, actionCodes: codes, keys: []).run(refused)
        #expect(declined.decision == .declinedOffline && p1(refused) == [0x08])
        #expect(declined.responseCode == .offlineDeclined)
    }

    // EMV Book 3 §7.5: a missing index or certificate sets "ICC data missing" too
    @Test(
        arguments: [(0x8F, "2100000004"), (0x90, "2100000002"), (0x9F46, "2100000002")] as [(BERTag, String)])
    func `a missing data object fails XDA`(tag: BERTag, tvr: String) async throws {
        var fixture = try Fixture()
        fixture.missing = [tag]
        let outcome = try await ExtendedTill(fixture).run(fixture)
        #expect(outcome.verificationResults.description == tvr)
        #expect(outcome.offlineAuthentication.reason == .missingData(tag))
        #expect(outcome.decision == .approvedOnline)
    }

    // EMV Book 4 §6.3.2.2.2: the bit for a failed recovery is set only after the first GENERATE AC
    @Test func `a certificate that fails does not change the request, but what follows`() async throws {
        var fixture = try Fixture()
        fixture.card.hash = [UInt8](repeating: 0, count: 32)
        let card = TestCard(try fixture.profile())
        let codes = ActionCodes(denial: [], online: [.eccKeyRecoveryFailed], default: [.eccKeyRecoveryFailed])
        let till = try ExtendedTill(fixture, actionCodes: codes)
        let outcome = try await till.run(card)
        // A TC was asked for with a TVR that does not show the failure. It goes online all the same.
        #expect(p1(card) == [0x48])
        #expect(card.commands(0xAE).first?.data[14..<19].elementsEqual(bytes(Self.selected)) == true)
        #expect(till.kernel.issuer.requests.first?.iccData.first(0x95)?.value == bytes(Self.recoveryFailed))
        #expect(till.kernel.issuer.requests.first?.iccData.first(0x9F27)?.value == [0x40])
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.verificationResults.description == Self.recoveryFailed)
        #expect(outcome.offlineAuthentication.reason == .ellipticCertificate(.staticDataHash))
        #expect(outcome.statusInformation.description == "E800")
    }

    /// What is wrong with the first answer, and why it fails.
    static let signatures: [(OfflineAuthenticationError, @Sendable (inout ExtendedFixture) -> Void)] = [
        (.unsignedCryptogram, { $0.answer = { if $0 == 1 { $1.removeLast() } } }),
        (.extendedSignature(.length(expected: 65, actual: 64)), { $0.signature = { if $0 == 1 { $1.removeLast() } } }),
        (.extendedSignature(.length(expected: 65, actual: 0)), { $0.signature = { if $0 == 1 { $1 = [] } } }),
        (.extendedSignature(.format(0x05)), { $0.signature = { if $0 == 1 { $1[0] = 0x05 } } }),
        (.extendedSignature(.signature), { $0.signature = { if $0 == 1 { $1[1] ^= 0x01 } } }),
        (.extendedSignature(.signature), { $0.signature = { if $0 == 1 { $1[64] ^= 0x80 } } }),
        // Zero is no signature number.
        (
            .extendedSignature(.signature),
            { $0.signature = { if $0 == 1 { $1.replaceSubrange(33..., with: [UInt8](repeating: 0, count: 32)) } } }
        ),
        // Signed, and then changed: another counter, and one object more.
        (.extendedSignature(.signature), { $0.answer = { if $0 == 1 { $1[1] = BERTLV(0x9F36, [0x00, 0x2B]) } } }),
        (.extendedSignature(.signature), { $0.answer = { if $0 == 1 { $1.append(BERTLV(0x9F36, [0x00, 0x2A])) } } }),
    ]

    // EMV Book 2 §12.5.3: a missing, malformed, or false signature fails XDA
    // EMV Book 4 §6.3.2.2.4: a TC without a valid signature goes online, and takes no second GENERATE AC
    @Test(arguments: signatures.indices)
    func `a TC that is not signed is decided by the issuer`(index: Int) async throws {
        let (reason, bend) = Self.signatures[index]
        for (code, decision) in [
            ("00", TransactionDecision.approvedOnline), ("05", .declinedOnline), ("01", .referred),
        ] {
            var fixture = try Fixture()
            bend(&fixture)
            let card = TestCard(try fixture.profile())
            let till = try ExtendedTill(fixture, issuer: TestIssuer(code: code))
            let outcome = try await till.run(card)
            #expect(outcome.offlineAuthentication.reason == reason)
            #expect(outcome.verificationResults.description == Self.signatureFailed)
            #expect(outcome.decision == decision)
            #expect(p1(card) == [0x48])
            #expect(!outcome.isReversalRequired)
            #expect(till.kernel.issuer.requests.map { $0.iccData.first(0x95)?.value } == [bytes(Self.signatureFailed)])
        }
    }

    // EMV Book 4 §6.3.2.2.4: an ARQC without a valid signature goes online; the second signature is not verified
    @Test func `an ARQC that is not signed goes online, and the second answer is not verified`() async throws {
        var fixture = try Fixture()
        fixture.signature = { $1[9] ^= 0x01 }
        let card = TestCard(try fixture.profile())
        let till = try ExtendedTill(fixture, floorLimit: 0, actionCodes: Self.online)
        let outcome = try await till.run(card)
        #expect(outcome.decision == .approvedOnline)
        #expect(p1(card) == [0x88, 0x48])
        #expect(outcome.verificationResults.description == "0100008100")
        #expect(till.kernel.issuer.requests.first?.iccData.first(0x95)?.value == bytes("0100008100"))
        #expect(outcome.offlineAuthentication.reason == .extendedSignature(.signature))
    }

    // EMV Book 4 §6.3.2.2.4: the action codes for denial decline a TC without a second GENERATE AC, an ARQC with one
    @Test(arguments: [(100_000, [0x48]), (0, [0x88, 0x08])] as [(UInt32, [UInt8])])
    func `a failure that the action codes deny is declined without the issuer`(
        floorLimit: UInt32, commands: [UInt8]
    ) async throws {
        var fixture = try Fixture()
        fixture.signature = { $1[9] ^= 0x01 }
        let card = TestCard(try fixture.profile())
        let codes = ActionCodes(denial: [.xdaFailed], online: [.floorLimitExceeded], default: [])
        let till = try ExtendedTill(fixture, floorLimit: floorLimit, actionCodes: codes)
        let outcome = try await till.run(card)
        #expect(outcome.decision == .declinedOffline && outcome.responseCode == .offlineDeclined)
        #expect(p1(card) == commands)
        #expect(till.kernel.issuer.requests.isEmpty && !outcome.isReversalRequired)
    }

    // EMV Book 4 §6.3.2.2.4: without the issuer, a payment whose XDA failed is declined
    @Test(
        arguments: [(100_000, 0x22, [0x48]), (0, 0x22, [0x88, 0x08]), (0, 0x23, [0x48])] as [(UInt32, UInt8, [UInt8])])
    func `a failure is declined when the issuer can't be asked`(
        floorLimit: UInt32, type: UInt8, commands: [UInt8]
    ) async throws {
        var fixture = try Fixture()
        fixture.signature = { $1[9] ^= 0x01 }
        let card = TestCard(try fixture.profile())
        let till = try ExtendedTill(
            fixture, floorLimit: floorLimit, type: type, actionCodes: Self.online,
            issuer: TestIssuer(.unableToGoOnline))
        let outcome = try await till.run(card)
        #expect(outcome.decision == .declinedOffline)
        #expect(outcome.responseCode == .unableToGoOnlineDeclined)
        #expect(p1(card) == commands)
        #expect(!outcome.isReversalRequired)
    }

    // EMV Book 4 §6.3.2.2.3: a second signature that is missing or false declines what the issuer approved
    @Test(arguments: [true, false])
    func `an approval whose second cryptogram is not signed is declined and reversed`(isMissing: Bool) async throws {
        var fixture = try Fixture()
        if isMissing {
            fixture.answer = { if $0 == 2 { $1.removeLast() } }
        } else {
            fixture.signature = { if $0 == 2 { $1[9] ^= 0x01 } }
        }
        let till = try ExtendedTill(fixture, floorLimit: 0, actionCodes: Self.online)
        let outcome = try await till.run(fixture)
        #expect(outcome.decision == .declinedOffline && outcome.isReversalRequired)
        #expect(outcome.verificationResults.description == "0100008100")
    }

    // EMV Book 2 §12.5.1: a signature is asked for with an AAC too, and not verified
    @Test func `the signature of an AAC is not verified`() async throws {
        var fixture = try Fixture()
        fixture.signature = { $1 = [0x15] }
        fixture.first = { _ in 0x00 }
        let outcome = try await ExtendedTill(fixture).run(fixture)
        #expect(outcome.decision == .declinedByCard)
        #expect(outcome.verificationResults.description == Self.selected)
        #expect(outcome.offlineAuthentication.result == .notPerformed)
        let codes = ActionCodes(denial: [.floorLimitExceeded], online: [], default: [])
        let card = TestCard(try Fixture().profile())
        let declined = try await ExtendedTill(fixture, floorLimit: 0, actionCodes: codes).run(card)
        #expect(declined.decision == .declinedOffline && p1(card) == [0x08])
    }

    // EMV Book 2 §12.5.2: the cryptogram is in the clear, and the answer has it in any case
    @Test func `an answer without its cryptogram ends the payment`() async throws {
        var fixture = try Fixture()
        fixture.answer = { $1.removeAll { $0.tag == 0x9F26 } }
        let outcome = try await ExtendedTill(fixture).run(fixture)
        #expect(outcome.decision == .terminated(.data(.missing(0x9F26))))
    }

    // EMV Book 2 §12.5.2: an answer in format 1 has no signature
    @Test func `an answer in format 1 is not signed`() async throws {
        let fixture = try Fixture()
        var profile = try fixture.profile()
        profile.signExtended = nil
        let outcome = try await ExtendedTill(fixture).run(TestCard(profile))
        #expect(outcome.offlineAuthentication.reason == .unsignedCryptogram)
        #expect(outcome.decision == .approvedOnline)
    }

    // EMV Book 3 §10.10: after a TC without a valid signature, the issuer's scripts still reach the card
    @Test func `the scripts of the issuer are sent after a TC that is not signed`() async throws {
        var fixture = try Fixture()
        fixture.signature = { $1[9] ^= 0x01 }
        let script = tlv(0x9F18, "00000001") + tlv(0x86, "8424000008 0102030405060708")
        let card = TestCard(try fixture.profile())
        let issuer = TestIssuer(
            code: "00", authenticationData: bytes("0102030405060708"), before: [script], after: [script])
        let outcome = try await ExtendedTill(fixture, issuer: issuer).run(card)
        #expect(outcome.decision == .approvedOnline)
        #expect(card.commands(0x24).count == 2)
        // The card has finished, so nothing authenticates the issuer any more.
        #expect(card.commands(0x82).isEmpty)
        #expect(outcome.scriptResults.map(\.outcome) == [.successful, .successful])
    }

    // EMV Book 3 §10.9: a removed card does not change the issuer's decision about a TC
    @Test func `a card that is pulled after its TC leaves the decision to the issuer`() async throws {
        var fixture = try Fixture()
        fixture.signature = { $1[9] ^= 0x01 }
        var profile = try fixture.profile()
        profile.removal = { command, cryptograms in cryptograms == 1 && command.ins == 0x24 }
        let script = tlv(0x9F18, "00000001") + tlv(0x86, "8424000008 0102030405060708")
        let outcome = try await ExtendedTill(fixture, issuer: TestIssuer(code: "00", after: [script]))
            .run(TestCard(profile))
        #expect(outcome.decision == .approvedOnline && !outcome.isReversalRequired)
    }
}
