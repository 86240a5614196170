import CardSecrets
import Determinism
import SmartCard
import Testing

@testable import EMV

/// Bad data on the card, from GET PROCESSING OPTIONS to the cryptogram.
struct CardDataTests {
    private func decision(_ change: (inout TestCard.Profile) -> Void) async throws -> TransactionDecision {
        var profile = TestCard.Profile.standard()
        change(&profile)
        return try await TestKernel().run(TestCard(profile)).decision
    }

    // EMV Book 3 §7.2: an application without its account number, expiry, CDOL1 or CDOL2 ends the transaction
    @Test func `mandatory data objects are required`() async throws {
        for (record, tag) in [(0, 0x5A), (0, 0x5F24), (1, 0x8C), (1, 0x8D)] as [(Int, BERTag)] {
            let decision = try await decision { profile in
                let kept = (try? BERTLV.parse(profile.records[record])) ?? []
                profile.records[record] = kept.filter { $0.tag != tag && $0.tag != 0x57 }.flatMap(\.encoded)
            }
            #expect(decision == .terminated(.data(.missing(tag))))
        }
    }

    // EMV Book 3 §7.5: track 2 data that are malformed, or name another account, end the transaction
    @Test func `PAN and track 2 must agree`() async throws {
        let other = "4761739001010028"
        #expect(
            try await decision { profile in
                profile.records[0] =
                    tlv(0x5A, TestCard.Profile.pan) + tlv(0x5F24, "311231") + tlv(0x57, other + "D3112201F0")
            } == .terminated(.accountMismatch))
        #expect(
            try await decision { profile in
                profile.records[0] = tlv(0x5A, TestCard.Profile.pan) + tlv(0x5F24, "311231") + tlv(0x57, other)
            } == .terminated(.data(.wrongFormat(0x57))))
    }

    // EMV Book 3 §10.2: a data object that comes twice in the card's records ends the transaction
    // EMV Book 3 §7.5: a data object that only the terminal may give is refused from the card
    @Test func `a duplicate data object, or one of the terminal, ends the transaction`() async throws {
        #expect(
            try await decision { $0.records[2] += tlv(0x5F24, "311231") } == .terminated(.data(.duplicate(0x5F24))))
        #expect(
            try await decision { $0.records[2] += tlv(0x95, "0000000000") }
                == .terminated(.data(.notForTheCardToGive(0x95))))
    }

    // EMV Book 3 §7.5: a tag that belongs to the payment systems is ignored in the card's records
    @Test(arguments: [
        "9F5A 01 02", "9F5B 0D 31323334353637383930313233", "9F53 03 000000", "9F5D 03 010203", "9F66 04 00000000",
        "9F50 00", "9F7F 02 0102",
    ])
    func `a payment system's data objects do not end the transaction`(object: String) async throws {
        #expect(try await decision { $0.records[2] += bytes(object) } == .approvedOnline)
        #expect(try await decision { $0.records[2] += bytes(object) + bytes(object) } == .approvedOnline)
    }

    // EMV Book 3 §7.5: a malformed date on the card ends the transaction
    @Test func `an invalid date ends the transaction`() async throws {
        #expect(
            try await decision { $0.records[2] += tlv(0x5F25, "250230") } == .terminated(.data(.wrongFormat(0x5F25))))
    }

    // EMV Book 3 §6.5.8.4: the answer to GET PROCESSING OPTIONS comes in format 1 or format 2
    // EMV Book 3 §10.1: an answer without AIP or AFL, or with another status than 9000, ends the transaction
    @Test func `GET PROCESSING OPTIONS is read in both formats`() async throws {
        #expect(
            try await decision { $0.options = tlv(0x77, tlv(0x82, "1C00"), tlv(0x94, "08010301")) } == .approvedOnline)
        #expect(
            try await decision { $0.options = tlv(0x77, tlv(0x82, "1C00")) } == .terminated(.data(.missing(0x94))))
        for bad in [tlv(0x80, "1C00"), tlv(0x70, "1C0008010301"), tlv(0x80, "1C0008010301") + [0x01], []] {
            #expect(
                try await decision { $0.options = bad } == .terminated(.malformedAnswer(.getProcessingOptions)))
        }
        #expect(
            try await decision { $0.applications[0].optionsStatus = .wrongLength }
                == .terminated(.status(.getProcessingOptions, .wrongLength)))
    }

    // EMV Book 3 §10.1: GET PROCESSING OPTIONS carries the data that the PDOL asks for in template 83, or an empty
    // template
    @Test func `the PDOL is filled`() async throws {
        var profile = TestCard.Profile.standard()
        profile.applications[0].proprietary = tlv(0x9F38, "9F1A02 9F0206 9F3501")
        let card = TestCard(profile)
        #expect(try await TestKernel().run(card).decision == .approvedOnline)
        #expect(card.commands(0xA8).map { $0.bytes.hexText } == ["80A800000B" + "8309" + "084000000000125022" + "00"])
        let bare = TestCard(.standard())
        _ = try await TestKernel().run(bare)
        #expect(bare.commands(0xA8).map { $0.bytes.hexText } == ["80A8000002830000"])
    }

    // EMV Book 3 §5.4: a PDOL that asks for more than a command can carry is an error
    @Test func `a list that asks for more than fits ends the transaction`() async throws {
        #expect(
            try await decision { $0.applications[0].proprietary = tlv(0x9F38, "95FD") }
                == .terminated(.dataObjectList(0x9F38, .asksForTooMuch(offset: 0))))
    }

    // EMV Book 3 §10.2: each entry of the file locator names a file of 1 to 30, a first and a last record, and how
    // many are authenticated
    // EMV Book 3 §7.5: a malformed file locator is a card data error
    @Test(
        arguments: [
            ("", AFLError.length(0)), ("080101", .length(3)), ("00010100", .file(entry: 0)),
            ("F8010100", .file(entry: 0)),
            ("09010100", .file(entry: 0)), ("08000100", .records(entry: 0)), ("08020100", .records(entry: 0)),
            ("0801010010010303", nil), ("0801010010010304", .authenticatedCount(entry: 1)),
        ] as [(String, AFLError?)])
    func `file locators are checked`(text: String, expected: AFLError?) {
        var found: AFLError?
        do throws(AFLError) { _ = try ApplicationFileLocator(bytes(text)) } catch { found = error }
        #expect(found == expected)
    }

    @Test func `no bytes make the parsers trap`() {
        let random = SeededRandomSource(seed: 9)
        for round in 0..<2000 {
            let input = random.bytes(round % 48)
            _ = try? ApplicationFileLocator(input)
            _ = try? ApplicationInitiation.parse(input)
            _ = try? CryptogramAnswer(input)
            _ = try? OfflineDataAuthentication.parse(input)
            _ = FileControlInformation(input)
            _ = IssuerScript(template: input)
            _ = EMVDate(bytes: input)
        }
        let good = tlv(0x77, tlv(0x9F27, "80"), tlv(0x9F36, "0001"), tlv(0x9F26, "0102030405060708"))
        for count in 0..<good.count {
            #expect(throws: KernelStop.self) { try CryptogramAnswer(Array(good.prefix(count))) }
        }
    }

    // EMV Book 3 §10.2: any other status than 9000 to READ RECORD ends the transaction
    // EMV Book 3 §6.5.11: a record of files 1 to 10 is a record template
    @Test func `a record that cannot be read, or is no template, ends the transaction`() async throws {
        #expect(
            try await decision { $0.options = tlv(0x80, "1C00 08010401") }
                == .terminated(.status(.readRecord, .recordNotFound)))
        #expect(
            try await decision { $0.options = tlv(0x80, "1C00 10010101") }
                == .terminated(.status(.readRecord, .recordNotFound)))
        #expect(
            try await decision { $0.records[2] = bytes("5F2802") } == .terminated(.malformedAnswer(.readRecord)))
    }

    // EMV Book 3 §10.3: of files 1 to 10 the content of the record template is authenticated, of files 11 to 30 the
    // whole record
    // EMV Book 3 §10.3: the AIP is authenticated when the tag list names it
    @Test func `static data is the data that signatures cover`() {
        func built(_ tagList: [UInt8]?, _ add: (inout OfflineAuthenticationInputBuilder) -> Void) -> (
            String, StaticDataDefect?
        ) {
            var builder = OfflineAuthenticationInputBuilder()
            add(&builder)
            let input = builder.finish(tagList: tagList, profile: [0x1C, 0x00])
            return ((input.records.withUnsafeBytes { Array($0) } + input.rest).hexText, input.defect)
        }
        let record = tlv(0x70, "9F0702FF00")
        let content = bytes("9F0702FF00")
        #expect(built(nil) { $0.add(record, content: content, file: 10) } == ("9F0702FF00", nil))
        #expect(built(nil) { $0.add(record, content: content, file: 11) } == ("70059F0702FF00", nil))
        #expect(built([0x82]) { $0.add(record, content: content, file: 1) } == ("9F0702FF001C00", nil))
        #expect(built([0x95]) { $0.add(record, content: content, file: 1) }.1 == .tagList)
        #expect(built(nil) { $0.add([1, 2], content: nil, file: 12) }.1 == .record)
    }
}
