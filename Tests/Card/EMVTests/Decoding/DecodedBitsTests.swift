import SmartCard
import Testing

@testable import EMV

struct DecodedBitsTests {
    private static let tables: [(name: String, table: BitTable)] = [
        ("AIP", .applicationInterchangeProfile), ("AUC", .applicationUsageControl), ("CID", .cryptogramInformation),
        ("priority", .priorityIndicator), ("CSU", .cardStatusUpdate), ("TVR", .terminalVerificationResults),
        ("TSI", .transactionStatusInformation), ("capabilities", .terminalCapabilities),
        ("input", .cardDataInputCapability), ("CVM", .verificationCapability), ("security", .securityCapability),
        ("additional capabilities", .additionalTerminalCapabilities), ("TRMD", .terminalRiskManagementData),
        ("TTQ", .terminalTransactionQualifiers), ("CTQ", .cardTransactionQualifiers), ("FFI", .formFactorIndicator),
        ("reader", .enhancedReaderCapabilities), ("kernel", .kernelConfiguration),
        ("Visa", .visaVerificationResults), ("Visa device", .visaDeviceVerificationResults),
        ("M/Chip", .mChipVerificationResults), ("CCD", .commonCoreVerificationResults),
        ("kernel 8 TVR", .kernel8VerificationResults), ("kernel 8 AIP", .kernel8InterchangeProfile),
        ("kernel 8 capabilities", .kernel8Capabilities), ("kernel 8 CVM", .kernel8VerificationCapability),
        ("kernel 8 security", .kernel8SecurityCapability), ("kernel 8", .kernel8Configuration),
        ("card qualifier", .cardQualifier), ("kernel qualifier", .kernelQualifier),
        ("decision", .verificationDecision), ("outcome", .outcomeParameterSet), ("data status", .dataStatus),
    ]

    private func flags(_ table: BitTable, byte: Int, _ bits: UInt8) -> [DecodedValue.Flag] {
        var value = [UInt8](repeating: 0, count: table.byteCount)
        value[byte - 1] = bits
        return table.flags(of: value)
    }

    @Test(arguments: tables.indices)
    func `every named bit is shown at its position, only when it is set`(index: Int) {
        let table = Self.tables[index].table
        let silent = table.flags(of: [UInt8](repeating: 0, count: table.byteCount))
        for field in table.fields {
            switch field {
            case .bits(let byte, let names):
                #expect(byte <= table.byteCount && names.count <= 8)
                for (position, name) in names.enumerated() {
                    let mask: UInt8 = 0x80 >> UInt8(position)
                    guard let name else { continue }
                    let flag = DecodedValue.Flag(byte: byte, mask: mask, name: name)
                    #expect(flags(table, byte: byte, mask).contains(flag))
                    #expect(!silent.contains(flag))
                }
            case .choice(let byte, let mask, let meanings):
                for (bits, name) in meanings {
                    #expect(bits & ~mask == 0)
                    #expect(flags(table, byte: byte, bits).contains(.init(byte: byte, mask: mask, name: name)))
                }
            case .number(let byte, let mask, let name):
                let most = mask >> UInt8(mask.trailingZeroBitCount)
                for number in 0...most {
                    let bits = number << UInt8(mask.trailingZeroBitCount)
                    #expect(
                        flags(table, byte: byte, bits).contains(
                            .init(byte: byte, mask: mask, name: "\(name): \(number)")))
                }
            }
        }
    }

    @Test(arguments: tables.indices)
    func `no bit is shown twice, and one without a name is reserved`(index: Int) {
        let table = Self.tables[index].table
        for byte in 1...table.byteCount {
            for bits in UInt8.min...UInt8.max {
                let told = flags(table, byte: byte, bits).filter { $0.byte == byte }
                #expect(
                    told.reduce(0) { $0 + $1.mask.nonzeroBitCount } == told.reduce(0) { $0 | $1.mask }.nonzeroBitCount)
                #expect(told.reduce(0) { $0 | $1.mask } & bits == bits)
            }
        }
    }

    // The positions of the kernel's own names are checked against the books elsewhere.
    // EMV Book 3 annex C5: each bit of the TVR has its meaning
    @Test func `the TVR bits that the kernel sets have the words that belong to them`() {
        let words: [(TerminalVerificationResults, String)] = [
            (.offlineDataAuthenticationNotPerformed, "offline data authentication not performed"),
            (.sdaFailed, "SDA failed"), (.iccDataMissing, "ICC data missing"),
            (.cardOnExceptionFile, "card on the terminal's exception file"), (.ddaFailed, "DDA failed"),
            (.cdaFailed, "CDA failed"), (.sdaSelected, "SDA selected"), (.xdaSelected, "XDA selected"),
            (.versionsDiffer, "card and terminal have different application versions"),
            (.expiredApplication, "application expired"),
            (.applicationNotYetEffective, "application not yet effective"),
            (.serviceNotAllowed, "service not allowed for the card product"), (.newCard, "new card"),
            (.biometricSuccessful, "biometric verification successful"),
            (.biometricFormatNotSupported, "biometric template format not supported"),
            (.cardholderVerificationFailed, "cardholder verification not successful"),
            (.unrecognizedCVM, "CVM not recognised"), (.pinTryLimitExceeded, "PIN try limit exceeded"),
            (.pinPadNotWorking, "PIN required, PIN pad absent or not working"),
            (.pinNotEntered, "PIN required, PIN pad present, PIN not entered"),
            (.onlinePINEntered, "online PIN entered"),
            (.biometricCaptureNotWorking, "biometric required, capture device not working"),
            (.biometricSubtypeBypassed, "biometric required, subtype bypassed"),
            (.floorLimitExceeded, "floor limit exceeded"),
            (.lowerOfflineLimitExceeded, "lower consecutive offline limit exceeded"),
            (.upperOfflineLimitExceeded, "upper consecutive offline limit exceeded"),
            (.randomlySelectedForOnline, "selected at random to go online"),
            (.merchantForcedOnline, "merchant forced the transaction online"),
            (.biometricTryLimitExceeded, "biometric try limit exceeded"),
            (.biometricTypeNotSupported, "biometric type not supported"),
            (.xdaFailed, "XDA signature verification failed"), (.defaultTDOLUsed, "default TDOL used"),
            (.issuerAuthenticationFailed, "issuer authentication failed"),
            (.scriptFailedBeforeFinalCryptogram, "script failed before the final GENERATE AC"),
            (.scriptFailedAfterFinalCryptogram, "script failed after the final GENERATE AC"),
            (.relayResistanceThresholdExceeded, "relay resistance threshold exceeded (contactless)"),
            (.certificationAuthorityECCKeyMissing, "CA ECC key missing"),
            (.eccKeyRecoveryFailed, "ECC key recovery failed"),
        ]
        for (bit, name) in words {
            #expect(BitTable.terminalVerificationResults.flags(of: bit.bytes).map(\.name) == [name])
        }
    }

    // EMV Book 3 annex C1: the bits of the AIP have their meanings
    // EMV Book 4 annex A3: the bits of the additional terminal capabilities have their meanings
    @Test func `the bits of the other elements that the kernel sets have the words that belong to them`() {
        func words(_ table: BitTable, _ bits: some ByteFlags) -> [String] { table.flags(of: bits.bytes).map(\.name) }
        #expect(words(.applicationInterchangeProfile, ApplicationInterchangeProfile.cda) == ["CDA supported"])
        #expect(words(.applicationInterchangeProfile, ApplicationInterchangeProfile.dda) == ["DDA supported"])
        #expect(
            words(.applicationUsageControl, ApplicationUsageControl.internationalCashback) == [
                "international cashback allowed"
            ])
        #expect(
            words(.transactionStatusInformation, TransactionStatusInformation.scriptProcessingPerformed) == [
                "script processing performed"
            ])
        #expect(
            words(.terminalCapabilities, TerminalCapabilities.encipheredOfflinePIN) == [
                "enciphered PIN verified by the card"
            ])
        #expect(words(.terminalCapabilities, TerminalCapabilities.cda) == ["CDA"])
        for part in UInt8(1)...10 {
            #expect(
                words(.additionalTerminalCapabilities, AdditionalTerminalCapabilities.codeTable(part)) == [
                    "code table \(part)"
                ])
        }
        #expect(words(.additionalTerminalCapabilities, AdditionalTerminalCapabilities.cashDeposit) == ["cash deposit"])
    }

    @Test(arguments: [
        ("9F66", "3620C000", ["1.6", "1.5", "1.3", "1.2", "2.6", "3.8", "3.7"]),
        ("9F6C", "8080", ["1.8", "2.8"]), ("9F27", "4B", ["1.8-7", "1.4", "1.3-1"]),
    ])
    func `bits are counted from 8 down, bytes from 1 up`(tag: String, value: String, places: [String]) throws {
        let decoding = try #require(EMVDecoder.decode(bytes(value), as: DecodingSubject(name: tag)))
        let lines = decoding.text.split(separator: "\n").dropFirst()
        #expect(lines.map { String($0.drop { $0 == " " }.prefix { $0 != " " }) } == places)
    }
}
