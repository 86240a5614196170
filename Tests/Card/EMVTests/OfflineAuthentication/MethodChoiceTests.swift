import Cryptography
import Determinism
import EMV
import SmartCard
import Testing

/// Which method is chosen, and what stops every method.
struct MethodChoiceTests {
    typealias Fixture = CertificateFixture

    // EMV Book 3 §10.3: the terminal performs CDA before DDA before SDA, of those that card and terminal both support
    // EMV Book 3 annex C5: offline data authentication that was not performed has a bit of its own in the TVR
    /// The cards of these payments have nothing to authenticate, so that the TVR names the method and that its data
    /// is missing.
    @Test(arguments: [
        ("7D00", "20F8C8", "24"), ("7D00", "20F8C0", "28"), ("7D00", "20F880", "62"), ("7D00", "20F800", "80"),
        ("7D00", "20F848", "24"), ("5C00", "20F8C8", "62"), ("3C00", "20F8C8", "28"), ("1D00", "20F8C8", "24"),
        ("7C00", "20F8C8", "28"), ("1C00", "20F8C8", "80"), ("3C00", "20F888", "80"), ("5C00", "20F848", "80"),
        ("1D00", "20F8C0", "80"), ("9C00", "20F8C8", "80"),
    ])
    func `the strongest method of both is chosen`(aip: String, capabilities: String, byte1: String) async throws {
        var profile = TestCard.Profile.standard()
        profile.aip = bytes(aip)
        let card = TestCard(profile)
        let outcome = try await AuthenticatingTill(floorLimit: 0, capabilities: capabilities).run(card)
        #expect(outcome.verificationResults.description == byte1 + "00008000")
        #expect(outcome.statusInformation.contains(.offlineDataAuthenticationPerformed) == (byte1 != "80"))
        let methods: [String: OfflineAuthenticationMethod] = ["24": .cda, "28": .dda, "62": .sda, "80": .none]
        #expect(outcome.offlineAuthentication.method == methods[byte1])
        #expect(outcome.offlineAuthentication.result == (byte1 == "80" ? .notPerformed : .failed))
        #expect(outcome.offlineAuthentication.reason == (byte1 == "80" ? nil : .missingData(0x8F)))
        // A CDA that has failed already asks for no signature.
        #expect(card.commands(0xAE).map(\.p1) == [0x80, 0x40])
    }

    @Test func `the standard terminal's capabilities for cards are correct`() {
        #expect(TerminalConfiguration.standard.capabilities.description == "20F8C8")
    }

    static let methods = [("5C00", "42"), ("3C00", "08"), ("1D00", "04")]

    private func expectFailure(
        _ aip: String, _ byte1: String, _ reason: OfflineAuthenticationError, till: AuthenticatingTill = .init(),
        _ profile: TestCard.Profile, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let card = TestCard(profile)
        let outcome = try await till.run(card)
        #expect(outcome.verificationResults.description == byte1 + "00000000", sourceLocation: sourceLocation)
        #expect(outcome.statusInformation.description == "E800", sourceLocation: sourceLocation)
        #expect(outcome.offlineAuthentication.result == .failed, sourceLocation: sourceLocation)
        #expect(outcome.offlineAuthentication.reason == reason, sourceLocation: sourceLocation)
        #expect(card.commands(0x88).isEmpty, sourceLocation: sourceLocation)
        #expect(card.commands(0xAE).map(\.p1) == [0x40], sourceLocation: sourceLocation)
    }

    // EMV Book 2 §5.2: without the certification authority's key that the card names, the method fails
    @Test(arguments: methods) func `a CA key that the terminal lacks fails the method`(
        aip: String, byte1: String
    ) async throws {
        let reason = OfflineAuthenticationError.authorityKeyMissing(rid: Fixture.rid, index: 7)
        try await expectFailure(
            aip, byte1, reason, till: AuthenticatingTill(keys: []), try .authenticated(aip: aip))
        #expect(reason.description.contains("A000000003 07"))
    }

    // EMV Book 2 §6.3: a certificate of the issuer that is revoked, expired or another's fails the method
    @Test(arguments: methods) func `a revoked, expired or foreign certificate fails the method`(
        aip: String, byte1: String
    ) async throws {
        let revocation = CertificateRevocation(rid: Fixture.rid, index: 7, serialNumber: [1, 2, 3])
        try await expectFailure(
            aip, byte1, .certificate(.revoked(.issuer)), till: AuthenticatingTill(revoked: [revocation]),
            try .authenticated(aip: aip))
        let expired = try Fixture.authorityKey(expiry: CivilDate(year: 2026, month: 1, day: 1))
        try await expectFailure(
            aip, byte1, .certificate(.authorityKeyExpired(index: 7)), till: AuthenticatingTill(keys: [expired]),
            try .authenticated(aip: aip))
        try await expectFailure(
            aip, byte1, .certificate(.expired(.issuer)),
            try .authenticated(aip: aip, issuer: { $0.expiry = [0x12, 0x25] }))
        try await expectFailure(
            aip, byte1, .certificate(.issuerIdentifier),
            try .authenticated(aip: aip, issuer: { $0.subject = [0x47, 0x62, 0xFF, 0xFF] }))
        try await expectFailure(
            aip, byte1, .certificate(.hashAlgorithm(.issuer, 2)),
            try .authenticated(aip: aip, issuer: { $0.hashAlgorithm = 2 }))
    }

    // EMV Book 2 §6.4: a certificate that is expired, of another account or over other static data fails the method
    @Test(arguments: methods.dropFirst()) func `a card certificate that is not this card's fails the method`(
        aip: String, byte1: String
    ) async throws {
        try await expectFailure(
            aip, byte1, .certificate(.expired(.icc)), try .authenticated(aip: aip, card: { $0.expiry = [0x12, 0x25] }))
        try await expectFailure(
            aip, byte1, .certificate(.accountNumber(.icc)),
            try .authenticated(aip: aip, card: { $0.subject[7] ^= 0x01 }))
        var altered = try TestCard.Profile.authenticated(aip: aip)
        altered.records[0] += tlv(0x5F30, "0201")
        try await expectFailure(aip, byte1, .certificate(.hash(.icc)), altered)
    }

    // EMV Book 3 §7.5: data that are missing for offline data authentication set the method's bit and that for
    // missing data
    // EMV Book 3 §7.2: each method needs the card's key index, certificates, exponents and remainders
    @Test(
        arguments: [
            ("5C00", "62", [0x8F, 0x90, 0x9F32, 0x93]), ("3C00", "28", [0x8F, 0x90, 0x9F32, 0x9F46, 0x9F47]),
            ("1D00", "24", [0x8F, 0x90, 0x9F32, 0x9F46, 0x9F47]),
        ] as [(String, String, [BERTag])])
    func `missing data fails the method, and the TVR shows that too`(
        aip: String, byte1: String, tags: [BERTag]
    ) async throws {
        for tag in tags {
            try await expectFailure(
                aip, byte1, .missingData(tag), try .authenticated(aip: aip, lacking: [tag]))
        }
        if aip != "5C00" {
            try await expectFailure(
                aip, byte1, .certificate(.remainderLength(.icc, expected: 34, actual: 0)),
                try .authenticated(aip: aip, lacking: [0x9F48]))
        }
        try await expectFailure(
            aip, byte1, .certificate(.remainderLength(.issuer, expected: 28, actual: 0)),
            try .authenticated(aip: aip, lacking: [0x92]))
    }

    // EMV Book 3 §10.3: the static data authentication tag list may name the AIP and nothing else
    @Test(arguments: methods) func `the tag list adds the AIP, and nothing else`(
        aip: String, byte1: String
    ) async throws {
        let good = try await AuthenticatingTill().run(try .authenticated(aip: aip, tagList: "82"))
        #expect(good.offlineAuthentication.result == .passed)
        for list in ["95", "8282", "825A"] {
            try await expectFailure(
                aip, byte1, .staticData(.tagList), try .authenticated(aip: aip, tagList: list))
        }
    }

    // EMV Book 3 §10.7: a failed method is weighed by the action codes for denial, online and default
    @Test(arguments: methods) func `a failure leads where the action codes say`(
        aip: String, byte1: String
    ) async throws {
        let failed = TerminalVerificationResults([.sdaFailed, .ddaFailed, .cdaFailed])
        for (codes, request) in [
            (ActionCodes(denial: failed, online: [], default: []), [0x00]),
            (ActionCodes(denial: [], online: failed, default: []), [0x80, 0x40]),
            (ActionCodes(denial: [], online: [], default: failed), [0x40]),
        ] as [(ActionCodes, [UInt8])] {
            let card = TestCard(try .authenticated(aip: aip))
            let outcome = try await AuthenticatingTill(keys: [], actionCodes: codes).run(card)
            #expect(card.commands(0xAE).map(\.p1) == request)
            #expect(outcome.decision.isApproved == (request != [0x00]))
        }
    }

    @Test func `no reason contains a digit of the PAN, and each is specific`() {
        let reasons: [OfflineAuthenticationError] = [
            .missingData(0x93), .authorityKeyMissing(rid: Fixture.rid, index: 7), .certificate(.issuerIdentifier),
            .staticData(.record), .staticData(.tagList), .dataObjectList(.truncated(offset: 1)),
            .noUnpredictableNumber, .unsignedCryptogram, .cryptogramInformation, .transactionData,
            .cryptography(.inputNotBelowModulus),
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
        #expect(reasons.allSatisfy { !$0.description.contains("4761") })
    }
}
