import Cryptography
import EMV
import SmartCard
import Testing

/// SDA and DDA with cards that really sign.
struct SignedDataTests {
    typealias Profile = TestCard.Profile
    typealias Defect = SignedApplicationDataError.Defect

    // EMV Book 2 §5.4: a valid signature over the static data passes SDA and gives the data authentication code
    // EMV Book 3 annex C5: the TVR says that SDA was selected
    @Test func `SDA passes, and the card gets the data authentication code`() async throws {
        var profile = try Profile.authenticated(aip: "5C00")
        profile.records[1] =
            tlv(0x8C, Profile.cdol1.hexText + "9F4502 9F2201") + tlv(0x8D, Profile.cdol2.hexText)
            + tlv(0x8E, "0000000000000000 1F00")
        let card = TestCard(profile)
        let outcome = try await AuthenticatingTill().run(card)
        #expect(outcome.decision == .approvedOffline)
        #expect(outcome.verificationResults.description == "0200000000")
        #expect(outcome.statusInformation.description == "E800")
        #expect(outcome.offlineAuthentication.method == .sda)
        #expect(outcome.offlineAuthentication.result == .passed)
        #expect(outcome.offlineAuthentication.reason == nil)
        #expect(card.commands(0xAE).first?.data.suffix(3) == [0xDA, 0xC0, 0x07])
    }

    /// What bends a signature, and the defect that is found.
    static let bends: [(Defect, @Sendable (inout SigningFixture) -> Void)] = [
        (.header, { $0.header = 0x6B }), (.trailer, { $0.trailer = 0xBD }), (.format(4), { $0.format = 4 }),
        (.hash, { $0.hashDamage = 1 }), (.hashAlgorithm(2), { $0.hashAlgorithm = 2 }),
        (.cryptography(.inputNotBelowModulus), { $0.change = { [UInt8](repeating: 0xFF, count: $0.count) } }),
    ]

    // EMV Book 2 §5.4: length, header, trailer, format, hash algorithm and hash of the signed static data are checked
    @Test func `every check of signed static data fails SDA with a reason of its own`() async throws {
        let short: (Defect, @Sendable (inout SigningFixture) -> Void) = (
            .length(expected: 88, actual: 87), { $0.change = { $0.dropLast() } }
        )
        for (defect, bend) in Self.bends + [short] {
            let outcome = try await AuthenticatingTill().run(try .authenticated(aip: "5C00", static: bend))
            #expect(outcome.verificationResults.description == "4200000000")
            #expect(outcome.statusInformation.description == "E800")
            guard case .signature(let error) = outcome.offlineAuthentication.reason else {
                Issue.record("\(defect)")
                continue
            }
            #expect(error.signature == .static && error.defect == defect)
        }
        var altered = try Profile.authenticated(aip: "5C00")
        altered.records[0] += tlv(0x5F30, "0201")
        let outcome = try await AuthenticatingTill().run(altered)
        #expect(outcome.verificationResults.description == "4200000000")
    }

    // EMV Book 2 §6.5.2: a valid signature over the DDOL data passes DDA and gives the card's dynamic number
    // EMV Book 2 §6.5.1: the terminal sends the card the data that its DDOL names
    // EMV Book 3 §6.5.9: INTERNAL AUTHENTICATE is answered in format 1 or format 2
    @Test(arguments: [false, true]) func `DDA passes in both formats`(format2: Bool) async throws {
        var profile = try Profile.authenticated(aip: "3C00", ddol: "9F3704 9F0206 9A03")
        profile.sign = { try Profile.signed($0, format2: format2) }
        profile.records[1] =
            tlv(0x8C, Profile.cdol1.hexText + "9F4C04") + tlv(0x8D, Profile.cdol2.hexText)
            + tlv(0x8E, "0000000000000000 1F00")
        let card = TestCard(profile)
        let outcome = try await AuthenticatingTill().run(card)
        #expect(outcome.decision == .approvedOffline)
        #expect(outcome.verificationResults.description == "0000000000")
        #expect(outcome.statusInformation.description == "E800")
        #expect(outcome.offlineAuthentication.method == .dda)
        #expect(outcome.offlineAuthentication.result == .passed)
        let number = try #require(outcome.unpredictableNumber).hexText
        #expect(card.commands(0x88).map { $0.bytes.hexText } == ["008800000D\(number)00000000125026010200"])
        #expect(card.commands(0xAE).first?.data.suffix(4) == SigningFixture.dynamicNumber[...])
    }

    // EMV Book 4 §12.1: the issuer gets the result of offline data authentication in the TVR
    @Test func `a payment that goes online after DDA reports it to the issuer`() async throws {
        let till = AuthenticatingTill(floorLimit: 0)
        let outcome = try await till.run(try .authenticated(aip: "3C00"))
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.verificationResults.description == "0000008000")
        #expect(till.issuer.requests.first?.iccData.first(0x95)?.value == bytes("0000008000"))
    }

    // EMV Book 2 §6.5.1: a card without a DDOL gets the terminal's default DDOL
    @Test func `a card without a DDOL gets the terminal's own`() async throws {
        let card = TestCard(try .authenticated(aip: "3C00"))
        let outcome = try await AuthenticatingTill(defaultDDOL: bytes("9C01 9F3704")).run(card)
        #expect(outcome.offlineAuthentication.result == .passed)
        #expect(
            card.commands(0x88).first?.data.hexText == "00" + (try #require(outcome.unpredictableNumber).hexText))
    }

    // EMV Book 2 §6.5.1: a DDOL that does not ask for the unpredictable number fails DDA
    @Test func `a list without an unpredictable number, or that cannot be read, fails DDA`() async throws {
        let cases: [(String?, String, OfflineAuthenticationError)] = [
            ("9F0206", "9F3704", .noUnpredictableNumber), (nil, "9F0206", .noUnpredictableNumber),
            ("9F37", "9F3704", .dataObjectList(.truncated(offset: 0))),
        ]
        for (ddol, own, reason) in cases {
            let card = TestCard(try .authenticated(aip: "3C00", ddol: ddol))
            let outcome = try await AuthenticatingTill(defaultDDOL: bytes(own)).run(card)
            #expect(outcome.verificationResults.description == "0800000000")
            #expect(outcome.offlineAuthentication.reason == reason)
            #expect(card.commands(0x88).isEmpty)
        }
    }

    private func reason(
        number: [UInt8] = [4] + SigningFixture.dynamicNumber,
        _ bend: @escaping @Sendable (inout SigningFixture) -> Void = { _ in }
    ) async throws -> OfflineAuthenticationError? {
        var profile = try Profile.authenticated(aip: "3C00")
        profile.sign = { try Profile.signed($0, number: number, bend) }
        let outcome = try await AuthenticatingTill().run(profile)
        #expect(outcome.offlineAuthentication.result == .failed)
        #expect(outcome.verificationResults.description == "0800000000")
        #expect(outcome.statusInformation.description == "E800")
        return outcome.offlineAuthentication.reason
    }

    private func defect(_ reason: OfflineAuthenticationError?) -> Defect? {
        guard case .signature(let error) = reason, error.signature == .dynamic else { return nil }
        return error.defect
    }

    // EMV Book 2 §6.5.2: length, header, trailer, format, hash algorithm and hash of the signed dynamic data are
    // checked
    @Test func `every check of signed dynamic data fails DDA with a reason of its own`() async throws {
        for (expected, bend) in Self.bends { #expect(defect(try await reason(bend)) == expected) }
        #expect(
            defect(try await reason { $0.change = { $0 + [0] } }) == .length(expected: 80, actual: 81))
        #expect(defect(try await reason { $0.change = { _ in [] } }) == .length(expected: 80, actual: 0))
    }

    // EMV Book 2 §6.5.2: the ICC dynamic number has 2 to 8 bytes
    @Test func `dynamic data must hold a number of 2 to 8 bytes`() async throws {
        for number in [[1, 0xAA], [9, 1, 2, 3, 4, 5, 6, 7, 8, 9], [4, 1, 2, 3], []] as [[UInt8]] {
            #expect(defect(try await reason(number: number)) == .dynamicData)
        }
        for length: UInt8 in [0, 4, 56, 255] {
            #expect(defect(try await reason { $0.dynamicLength = length }) == .dynamicData)
        }
    }

    // EMV Book 2 §6.5.2: the hash covers the number that the terminal chose for this payment
    @Test func `a signature over an older number fails DDA`() async throws {
        var profile = try Profile.authenticated(aip: "3C00")
        profile.sign = { _ in try Profile.signed([1, 2, 3, 4]) }
        let outcome = try await AuthenticatingTill().run(profile)
        #expect(outcome.verificationResults.description == "0800000000")
    }

    // EMV Book 3 §6.5.9: any other status than 9000 to INTERNAL AUTHENTICATE, or an answer that cannot be read, ends
    // the transaction
    @Test func `a card that does not sign, or responds with invalid data, ends the payment`() async throws {
        let cases: [(ResponseAPDU, KernelError)] = [
            (
                ResponseAPDU(status: .conditionsNotSatisfied),
                .status(.internalAuthenticate, .conditionsNotSatisfied)
            ),
            (ResponseAPDU(status: .success), .malformedAnswer(.internalAuthenticate)),
            (ResponseAPDU(data: tlv(0x70, "8000"), status: .success), .malformedAnswer(.internalAuthenticate)),
            (ResponseAPDU(data: bytes("8005AA"), status: .success), .malformedAnswer(.internalAuthenticate)),
            (ResponseAPDU(data: tlv(0x77, "9F360100"), status: .success), .data(.missing(0x9F4B))),
        ]
        for (answer, error) in cases {
            var profile = try Profile.authenticated(aip: "3C00")
            profile.sign = { _ in answer }
            #expect(try await AuthenticatingTill().run(profile).decision == .terminated(error))
        }
    }

    // EMV Book 3 §10.3: records of files 11 to 30 are authenticated with their template's tag and length
    // EMV Book 3 §10.3: a record to be authenticated that is no record template fails the method
    @Test func `records of files 11 to 30 are signed including their template`() async throws {
        var profile = try Profile.authenticated(aip: "5C00")
        // Two entries: file 1 with nothing authenticated, file 12 with its first record.
        let count = UInt8(profile.records.count)
        profile.options = BERTLV.encode(0x80, profile.aip + [0x08, 1, count, 0, 0x60, 1, 1, 1])
        let record = tlv(0x70, "9F0702FF00")
        profile.proprietaryRecord = record
        let signature = try SigningFixture.staticSignature(over: record)
        profile.records[Int(count) - 1] = BERTLV.encode(0x93, signature)
        #expect(try await AuthenticatingTill().run(profile).offlineAuthentication.result == .passed)
        profile.proprietaryRecord = bytes("9F0702FF00")
        let outcome = try await AuthenticatingTill().run(profile)
        #expect(outcome.verificationResults.description == "4200000000")
        #expect(outcome.offlineAuthentication.reason == .staticData(.record))
    }

    // EMV Book 2 §7.1: a card without a key for PINs has them enciphered under its key for DDA
    @Test func `a PIN is enciphered under the key that DDA recovered`() async throws {
        var profile = try Profile.authenticated(aip: "3C00")
        profile.records[1] =
            tlv(0x8C, Profile.cdol1.hexText) + tlv(0x8D, Profile.cdol2.hexText)
            + tlv(0x8E, "0000000000000000 4403 1F00")
        let card = TestCard(profile)
        let kernel = TestKernel(
            terminal: try TestKernel.terminal(
                capabilities: "20F8C8", floorLimit: 10_000, keys: [CertificateFixture.authorityKey()]),
            cardholder: TestCardholder(pins: [.digits([1, 2, 3, 4])]))
        let outcome = try await kernel.run(card)
        #expect(outcome.offlineAuthentication.result == .passed)
        #expect(outcome.cardholderVerification == .encipheredOfflinePIN)
        let opened = try CertificateFixture.card().apply(try #require(card.commands(0x20).first).data)
        #expect(Array(opened.prefix(9)).hexText == "7F241234FFFFFFFFFF")
    }
}
