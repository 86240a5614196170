import EMV
import Testing

struct BitTableTests {
    // EMV Book 3 annex C5: each bit of the terminal verification results has its place
    @Test(arguments: [
        (TerminalVerificationResults.offlineDataAuthenticationNotPerformed, "8000000000"),
        (.sdaFailed, "4000000000"), (.iccDataMissing, "2000000000"), (.cardOnExceptionFile, "1000000000"),
        (.ddaFailed, "0800000000"), (.cdaFailed, "0400000000"), (.sdaSelected, "0200000000"),
        (.xdaSelected, "0100000000"), (.versionsDiffer, "0080000000"), (.expiredApplication, "0040000000"),
        (.applicationNotYetEffective, "0020000000"), (.serviceNotAllowed, "0010000000"), (.newCard, "0008000000"),
        (.biometricSuccessful, "0002000000"), (.biometricFormatNotSupported, "0001000000"),
        (.cardholderVerificationFailed, "0000800000"), (.unrecognizedCVM, "0000400000"),
        (.pinTryLimitExceeded, "0000200000"), (.pinPadNotWorking, "0000100000"), (.pinNotEntered, "0000080000"),
        (.onlinePINEntered, "0000040000"), (.biometricCaptureNotWorking, "0000020000"),
        (.biometricSubtypeBypassed, "0000010000"), (.floorLimitExceeded, "0000008000"),
        (.lowerOfflineLimitExceeded, "0000004000"), (.upperOfflineLimitExceeded, "0000002000"),
        (.randomlySelectedForOnline, "0000001000"), (.merchantForcedOnline, "0000000800"),
        (.biometricTryLimitExceeded, "0000000400"), (.biometricTypeNotSupported, "0000000200"),
        (.xdaFailed, "0000000100"), (.defaultTDOLUsed, "0000000080"), (.issuerAuthenticationFailed, "0000000040"),
        (.scriptFailedBeforeFinalCryptogram, "0000000020"), (.scriptFailedAfterFinalCryptogram, "0000000010"),
        (.relayResistanceThresholdExceeded, "0000000008"), (.certificationAuthorityECCKeyMissing, "0000000004"),
        (.eccKeyRecoveryFailed, "0000000002"),
    ])
    func `every TVR bit has its EMV position`(bit: TerminalVerificationResults, text: String) {
        #expect(bit.description == text)
        #expect(TerminalVerificationResults(bytes: bytes(text)) == bit)
    }

    // EMV Book 3 annex C6: each bit of the transaction status information has its place
    @Test(arguments: [
        (TransactionStatusInformation.offlineDataAuthenticationPerformed, "8000"),
        (.cardholderVerificationPerformed, "4000"), (.cardRiskManagementPerformed, "2000"),
        (.issuerAuthenticationPerformed, "1000"), (.terminalRiskManagementPerformed, "0800"),
        (.scriptProcessingPerformed, "0400"),
    ])
    func `every TSI bit has its EMV position`(bit: TransactionStatusInformation, text: String) {
        #expect(bit.description == text)
    }

    // EMV Book 3 annex C1: each bit of the application interchange profile has its place
    // EMV Book 3 annex C2: each bit of the application usage control has its place
    @Test func `AIP and AUC bits have their EMV positions`() {
        let profile: [ApplicationInterchangeProfile] = [
            .xda, .sda, .dda, .cardholderVerification, .terminalRiskManagement, .issuerAuthentication,
            .onDeviceCardholderVerification, .cda,
        ]
        #expect(profile.map(\.description) == ["8000", "4000", "2000", "1000", "0800", "0400", "0200", "0100"])
        let usage: [ApplicationUsageControl] = [
            .domesticCash, .internationalCash, .domesticGoods, .internationalGoods, .domesticServices,
            .internationalServices, .atms, .terminalsOtherThanATMs, .domesticCashback, .internationalCashback,
        ]
        #expect(
            usage.map(\.description) == [
                "8000", "4000", "2000", "1000", "0800", "0400", "0200", "0100", "0080", "0040",
            ])
    }

    // EMV Book 4 annex A2: the terminal capabilities say what the kernel can do
    // EMV Book 4 annex A3: the additional capabilities say which payments, keys and displays the terminal has
    @Test func `the standard terminal's capabilities match the kernel`() {
        let terminal = TerminalConfiguration.standard
        #expect(terminal.capabilities.description == "20F8C8")
        #expect(terminal.additionalCapabilities.description == "7000B0F111")
        #expect(terminal.type.rawValue == 0x22)
        #expect(terminal.applications.count == 19)
        #expect(terminal.applications.allSatisfy { $0.floorLimit == 0 })
    }

    // EMV Book 4 annex A3: each of the ten code tables has a bit of its own in the additional terminal capabilities
    @Test func `code tables 1 to 10 have their bits`() {
        let expected = [
            "0000000001", "0000000002", "0000000004", "0000000008", "0000000010", "0000000020", "0000000040",
            "0000000080", "0000000100", "0000000200",
        ]
        #expect((1...10).map { AdditionalTerminalCapabilities.codeTable($0).description } == expected)
        #expect(AdditionalTerminalCapabilities.codeTable(0).isEmpty)
        #expect(AdditionalTerminalCapabilities(bytes: bytes("FFFFFFFFFF"))?.supportsCodeTable(11) == false)
    }

    // EMV Book 4 annex A1: the terminal type says who runs it, whether it is attended, and whether it goes online
    @Test(
        arguments: [
            (0x11, true, TerminalType.Connectivity.onlineOnly, false), (0x22, true, .offlineWithOnline, false),
            (0x23, true, .offlineOnly, false), (0x14, false, .onlineOnly, true),
            (0x15, false, .offlineWithOnline, true),
            (0x26, false, .offlineOnly, false), (0x35, false, .offlineWithOnline, false),
        ] as [(UInt8, Bool, TerminalType.Connectivity, Bool)])
    func `a terminal type defines attendance and online capability`(
        raw: UInt8, attended: Bool, connectivity: TerminalType.Connectivity, bank: Bool
    ) throws {
        let type = try #require(TerminalType(rawValue: raw))
        #expect(type.isAttended == attended)
        #expect(type.connectivity == connectivity)
        #expect(type.isUnattendedAtFinancialInstitution == bank)
    }

    // EMV Book 4 annex A1: codes without a meaning are no terminal types
    @Test func `invalid terminal types are rejected`() {
        for raw: UInt8 in [0x00, 0x10, 0x17, 0x27, 0x31, 0x33, 0x37, 0xFF] {
            #expect(TerminalType(rawValue: raw) == nil)
        }
    }

    // EMV Book 3 §6.5.5.4: the cryptogram information tells the kind of cryptogram, whether an advice is wanted, and
    // the reason
    @Test(
        arguments: [
            (0x00, CryptogramType.aac, false, CryptogramInformationData.Reason.none),
            (0x48, .tc, true, .none), (0x80, .arqc, false, .none), (0x0A, .aac, true, .pinTryLimitExceeded),
            (0x01, .aac, false, .serviceNotAllowed), (0x03, .aac, false, .issuerAuthenticationFailed),
        ] as [(UInt8, CryptogramType, Bool, CryptogramInformationData.Reason)])
    func `cryptogram information data is read`(
        raw: UInt8, type: CryptogramType, advice: Bool, reason: CryptogramInformationData.Reason
    ) {
        let information = CryptogramInformationData(rawValue: raw)
        #expect(information.type == type)
        #expect(information.isAdviceRequired == advice)
        #expect(information.reason == reason)
        #expect(CryptogramInformationData(rawValue: raw | 0xC0).type == nil)
    }

    // EMV Book 4 annex A6: the authorization response code says whether the issuer approved, refers or declines
    @Test func `response codes 00, 10 and 11 approve, 01 and 02 refer, others decline`() throws {
        func meaning(_ text: String) throws -> AuthorizationResponseCode.Meaning {
            try #require(AuthorizationResponseCode(bytes: Array(text.utf8))).meaning
        }
        for code in ["00", "10", "11"] { #expect(try meaning(code) == .approval) }
        for code in ["01", "02"] { #expect(try meaning(code) == .referral) }
        for code in ["05", "51", "55", "91", "1A", "Z3"] { #expect(try meaning(code) == .decline) }
        for bad in ["", "0", "000", "0 ", "\u{1}0"] {
            #expect(AuthorizationResponseCode(bytes: Array(bad.utf8)) == nil)
        }
    }
}
